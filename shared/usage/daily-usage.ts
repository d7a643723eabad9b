/** The tokens of an organization by day: one counter row each. */

import { DAY_MS } from '../core/time.ts';
import type { Counts, Key, Row, Table } from '../ports.ts';
import { costUsd, isSpent, NAMES, sumTokens, type Tokens } from './tokens.ts';

const USAGE_DAYS = 30;

export type Day = { date: string; costUsd: number | null } & Omit<Tokens, 'pricedTokens' | 'microUsd'>;

export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Adds to the counters of the day. Zero tokens, as without a language model, cost no write. */
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
  return dates.map((date, at) => {
    const { pricedTokens, microUsd, ...tokens } = tokensIn(rows[at]);
    return { date, ...tokens, costUsd: costUsd({ ...tokens, pricedTokens, microUsd }) };
  });
}

/** Newest first; today is included. */
const datesUpTo = (now: number): string[] =>
  Array.from({ length: USAGE_DAYS }, (_, back) => dateOf(now - back * DAY_MS));

const dayKey = (organization: string, date: string): Key => ({ pk: `O#${organization}#USAGE`, sk: `DAY#${date}` });

const tokensIn = (row: Row<Counts> | undefined): Tokens => sumTokens(row?.value ?? {});
