/** The suppression list of an organization: one row for each address that unsubscribed, bounced or complained. */

import type { Clock, Key, Table } from '../ports.ts';

export type SuppressedBy = 'unsubscribed' | 'bounced' | 'complained';

/** The address itself is not stored. */
export type Suppression = { mark: string; by: SuppressedBy; at: number; hint: string };

const PAGE = 100;

const partition = (organization: string): string => `O#${organization}#SUPPRESSED`;
const suppressionKey = (organization: string, mark: string): Key => ({ pk: partition(organization), sk: mark });

type SuppressionPorts = { table: Table; clock: Clock };

/** The first entry stays: a repeat changes nothing. */
export async function suppress(
  { table, clock }: SuppressionPorts,
  organization: string,
  { mark, by, hint }: Omit<Suppression, 'at'>,
): Promise<void> {
  const value: Suppression = { mark, by, hint, at: clock.now() };
  await table.insert({ ...suppressionKey(organization, mark), value });
}

/** For at most 100 marks, in their order. */
export async function suppressedAmong(
  table: Table,
  organization: string,
  marks: string[],
): Promise<(Suppression | undefined)[]> {
  const rows = await table.getMany<Suppression>(marks.map((mark) => suppressionKey(organization, mark)));
  return rows.map((row) => row?.value);
}

export async function listSuppressions(table: Table, organization: string, max: number): Promise<Suppression[]> {
  const suppressions: Suppression[] = [];
  let after: string | undefined;
  do {
    const limit = Math.min(PAGE, max - suppressions.length);
    const page = await table.rows<Suppression>(partition(organization), '', { limit, ...(after ? { after } : {}) });
    suppressions.push(...page.rows.map(({ value }) => value));
    after = page.next;
  } while (after !== undefined && suppressions.length < max);
  return suppressions;
}

/** Returns the removed entry, or `undefined` if there was none. */
export async function removeSuppression(
  table: Table,
  organization: string,
  mark: string,
): Promise<Suppression | undefined> {
  const row = await table.get<Suppression>(suppressionKey(organization, mark));
  return row && (await table.remove(row)) ? row.value : undefined;
}
