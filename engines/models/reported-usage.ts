/** Which of the tokens that a provider reports can be true. What cannot be is as good as not reported. */
import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Tokens } from '../../shared/usage/tokens.ts';

/** What was sent and received in a call, in bytes of UTF-8. Only unusual figures need them, and a long prompt takes time. */
export type CallSize = { sentBytes(): number; receivedBytes(): number };

/**
 * Tokens that a call may have beside those of its texts: pictures and the provider's own instructions in the input,
 * reasoning that is not shown in the output. About as many as most models can take or write at all.
 */
const HIDDEN_TOKENS = 1_000_000;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** No tokenizer makes more than one token of a byte. */
const isCredible = (tokens: unknown, bytes: () => number): tokens is number =>
  isCount(tokens) && (tokens <= HIDDEN_TOKENS || tokens <= bytes() + HIDDEN_TOKENS);

const partOf = (whole: number | undefined, part: unknown): number =>
  whole !== undefined && isCount(part) && part <= whole ? part : 0;

/** A side that is not reported, or cannot be true, is absent. */
export type ReportedTokens = Partial<
  Pick<Tokens, 'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'reasoningTokens'>
>;

export function credibleUsage({ inputTokens, outputTokens }: LanguageModelV4Usage, size: CallSize): ReportedTokens {
  const inputCount = isCredible(inputTokens.total, size.sentBytes) ? inputTokens.total : undefined;
  const outputCount = isCredible(outputTokens.total, size.receivedBytes) ? outputTokens.total : undefined;
  return {
    ...(inputCount === undefined
      ? {}
      : { inputTokens: inputCount, cachedInputTokens: partOf(inputCount, inputTokens.cacheRead) }),
    ...(outputCount === undefined
      ? {}
      : { outputTokens: outputCount, reasoningTokens: partOf(outputCount, outputTokens.reasoning) }),
  };
}

/** Reads the usage in the body of a refusal, in the formats of OpenAI's protocol and of Amazon Bedrock. */
export function credibleUsageInBody(body: string, sentBytes: () => number): ReportedTokens {
  const { prompt_tokens, completion_tokens, inputTokens, outputTokens } = usageIn(body);
  const [sent, received] = [prompt_tokens ?? inputTokens, completion_tokens ?? outputTokens];
  return {
    ...(isCredible(sent, sentBytes) ? { inputTokens: sent } : {}),
    ...(isCredible(received, () => Buffer.byteLength(body)) ? { outputTokens: received } : {}),
  };
}

function usageIn(body: string): Record<string, unknown> {
  try {
    return (JSON.parse(body) as { usage?: Record<string, unknown> } | null)?.usage ?? {};
  } catch {
    return {};
  }
}
