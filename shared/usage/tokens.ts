/** The tokens of a call, an attempt or a task, and what they cost. */

/** All fields but `microUsd` count tokens; those after the first two count a part of them. */
export type Tokens = {
  inputTokens: number;
  outputTokens: number;
  /** Part of the input: read from the provider's prompt cache, if reported. */
  cachedInputTokens: number;
  /** Part of the output: spent on reasoning, if reported. */
  reasoningTokens: number;
  /** Part of input and output: estimated, because the provider reported nothing. */
  estimatedInputTokens: number;
  estimatedOutputTokens: number;
  /** Part of input and output: from models with a known price. */
  pricedTokens: number;
  /** The cost of `pricedTokens` in millionths of a US dollar. */
  microUsd: number;
};

/** The tokens spent on the calls of one model. */
export type Usage = { model: string } & Tokens;

export const NO_TOKENS: Tokens = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  estimatedInputTokens: 0,
  estimatedOutputTokens: 0,
  pricedTokens: 0,
  microUsd: 0,
};

/** Millionths of a dollar in a dollar. */
export const MICRO = 1_000_000;

export const NAMES = Object.keys(NO_TOKENS) as (keyof Tokens)[];

/** Absent figures count as zero: a counter holds only what was spent. */
export function sumTokens(...parts: readonly Partial<Tokens>[]): Tokens {
  const sum = { ...NO_TOKENS };
  for (const tokens of parts) for (const name of NAMES) sum[name] += tokens[name] ?? 0;
  return sum;
}

export const difference = (total: Tokens, part: Tokens): Tokens => {
  const remaining = { ...NO_TOKENS };
  for (const name of NAMES) remaining[name] = total[name] - part[name];
  return remaining;
};

export const bothIn = ({ inputTokens, outputTokens }: Tokens): number => inputTokens + outputTokens;

export const isSpent = (tokens: Tokens): boolean => bothIn(tokens) > 0;

export const isEstimated = ({ estimatedInputTokens = 0, estimatedOutputTokens = 0 }: Partial<Tokens>): boolean =>
  estimatedInputTokens + estimatedOutputTokens > 0;

/** Null if the price of a part is unknown: models without a price, and tokens counted before prices existed. */
export function costUsd({ inputTokens = 0, outputTokens = 0, pricedTokens = 0, microUsd = 0 }: Partial<Tokens>) {
  return pricedTokens < inputTokens + outputTokens ? null : microUsd / MICRO;
}

/** Dollars per million tokens equal millionths of a dollar per token. */
export const microUsdOf = (
  { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 }: Partial<Tokens>,
  price: TokenPrice | undefined,
): number => {
  if (!price) return 0;
  const { input, output, cachedInput = input } = price;
  const cached = Math.min(cachedInputTokens, inputTokens);
  return Math.ceil((inputTokens - cached) * input + cached * cachedInput + outputTokens * output);
};

/** In US dollars per million tokens. `cachedInput`: of input that the provider read from its cache; absent: as any other. */
export type TokenPrice = { input: number; output: number; cachedInput?: number };
