/** What is left of an organization's limits, without spending any of it. */
import type { Clock, Counts, Table } from '../ports.ts';
import { type Limit, type Window, windowsOf } from './limit.ts';
import { rateKey } from './spend-limit.ts';

export async function limitsLeft(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  limits: readonly Limit[],
): Promise<Window[][]> {
  const now = Math.floor(clock.now() / 1_000);
  const rows = await table.getMany<Counts>(limits.map((limit) => rateKey(organization, limit, now)));
  return limits.map((limit, at) => windowsOf(limit, now, rows[at]?.value ?? {}, 0));
}
