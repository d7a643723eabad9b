/** Tokens of models: what a call, an attempt or a task spent, and what an organization spent by day, one counter row for each. */
import type { Counts, Key, Row, Table } from '../ports.ts';

const DAY_MS = 24 * 3_600_000;
const USAGE_DAYS = 30;

/** The last four say of how many of the first two they are true. */
export type Tokens = {
  inputTokens: number;
  outputTokens: number;
  /** Of the input: read from the provider's prompt cache, where the provider reports it. */
  cachedInputTokens: number;
  /** Of the output: spent on reasoning, where the provider reports it. */
  reasoningTokens: number;
  /** Of the input and of the output: estimated, because the provider reported nothing. */
  estimatedInputTokens: number;
  estimatedOutputTokens: number;
};

/** What was spent on the calls of one model. */
export type Usage = { model: string } & Tokens;

export type Day = { date: string } & Tokens;

export const NO_TOKENS: Tokens = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  estimatedInputTokens: 0,
  estimatedOutputTokens: 0,
};

const NAMES = Object.keys(NO_TOKENS) as (keyof Tokens)[];

/** Absent figures are zero, as in rows written before a figure existed. */
export function sumTokens(...all: readonly Partial<Tokens>[]): Tokens {
  const sum = { ...NO_TOKENS };
  for (const tokens of all) for (const name of NAMES) sum[name] += tokens[name] ?? 0;
  return sum;
}

export const isSpent = ({ inputTokens, outputTokens }: Tokens): boolean => inputTokens + outputTokens > 0;

/** Also of what was written before estimates existed. */
export const isEstimated = ({ estimatedInputTokens = 0, estimatedOutputTokens = 0 }: Partial<Tokens>): boolean =>
  estimatedInputTokens + estimatedOutputTokens > 0;

export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The newest first; today is one of them. */
const datesUpTo = (now: number): string[] =>
  Array.from({ length: USAGE_DAYS }, (_, back) => dateOf(now - back * DAY_MS));

const dayKey = (organization: string, date: string): Key => ({ pk: `O#${organization}#USAGE`, sk: `DAY#${date}` });

/** Adds to the counters of the day. What spent nothing, such as the offline model, costs no write. */
export async function countTokens(
  table: Table,
  organization: string,
  { tokens, now }: { tokens: Tokens; now: number },
): Promise<void> {
  if (!isSpent(tokens)) return;
  const by = Object.fromEntries(NAMES.filter((name) => tokens[name] > 0).map((name) => [name, tokens[name]]));
  const expiresAt = now + (USAGE_DAYS + 1) * DAY_MS;
  await table.spend(dayKey(organization, dateOf(now)), { by, atMost: {}, expiresAt });
}

export async function tokensByDay(table: Table, organization: string, now: number): Promise<Day[]> {
  const dates = datesUpTo(now);
  const rows = await table.getMany<Counts>(dates.map((date) => dayKey(organization, date)));
  return dates.map((date, at) => ({ date, ...tokensIn(rows[at]) }));
}

const tokensIn = (row: Row<Counts> | undefined): Tokens => sumTokens(row?.value ?? {});
