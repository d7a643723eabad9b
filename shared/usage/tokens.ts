/** The tokens of models that an organization's tasks have used, by day: one counter row for each. */
import type { Counts, Key, Row, Table } from '../ports.ts';
import type { Usage } from '../tasks/result.ts';

const DAY_MS = 24 * 3_600_000;
const USAGE_DAYS = 30;

export type Day = { date: string; inputTokens: number; outputTokens: number };

export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The newest first; today is one of them. */
const datesUpTo = (now: number): string[] =>
  Array.from({ length: USAGE_DAYS }, (_, back) => dateOf(now - back * DAY_MS));

const dayKey = (organization: string, date: string): Key => ({ pk: `O#${organization}#USAGE`, sk: `DAY#${date}` });

/** What used none, such as the offline model, costs no write. */
export async function noteTokens(
  table: Table,
  organization: string,
  { usage, now }: { usage: Usage | undefined; now: number },
): Promise<void> {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  if (inputTokens + outputTokens === 0) return;
  const expiresAt = now + (USAGE_DAYS + 1) * DAY_MS;
  await table.spend(dayKey(organization, dateOf(now)), { by: { inputTokens, outputTokens }, atMost: {}, expiresAt });
}

export async function tokensByDay(table: Table, organization: string, now: number): Promise<Day[]> {
  const dates = datesUpTo(now);
  const rows = await table.getMany<Counts>(dates.map((date) => dayKey(organization, date)));
  return dates.map((date, at) => ({ date, ...tokensIn(rows[at]) }));
}

const tokensIn = (row: Row<Counts> | undefined) => ({
  inputTokens: row?.value.inputTokens ?? 0,
  outputTokens: row?.value.outputTokens ?? 0,
});
