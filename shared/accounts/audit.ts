/** The audit log of operators: a row before each action, completed when its outcome is known. */

import { listedRows } from '../core/table-access.ts';
import type { Clock, Draft, Ids, Key, Table } from '../ports.ts';

export type Act = { by: string; act: string; subject: string; organization?: string; detail?: string };
/** `begun`: the process ended before the outcome was recorded. */
type AuditEntry = Act & { id: string; at: number; outcome: 'begun' | 'done' | 'failed' };

type Ports = { table: Table; clock: Clock; ids: Ids };

const ALL = 'AUDIT';
const PREFIX = 'ACT#';
const MAX_CHARACTERS = 200;

const keyOf = (id: string): Key => ({ pk: ALL, sk: PREFIX + id });
const listOf = (organization: string): string => `O#${organization}#AUDIT`;

function draftOf(entry: AuditEntry): Draft<AuditEntry> {
  const { id, at, act, organization, outcome } = entry;
  const listed = organization && { list: listOf(organization), at, id, state: outcome, type: act, priority: 0 };
  return {
    ...keyOf(id),
    value: { ...entry, subject: entry.subject.slice(0, MAX_CHARACTERS) },
    ...(listed ? { listed } : {}),
  };
}

/** Runs the action after its row is written. The result adds details known only afterwards, such as a new id. */
export async function withAudit<T>(
  { table, clock, ids }: Ports,
  act: Act,
  run: () => Promise<T>,
  details: (result: T) => Partial<Act> = () => ({}),
): Promise<T> {
  const begun: AuditEntry = { ...act, id: ids.uuid(), at: clock.now(), outcome: 'begun' };
  const row = await table.insert(draftOf(begun));
  if (!row) throw new Error('An id was generated twice.');
  try {
    const result = await run();
    await table.replace(row, draftOf({ ...begun, ...details(result), outcome: 'done' }));
    return result;
  } catch (error) {
    // If this write fails too, the row still says `begun`.
    await table.replace(row, draftOf({ ...begun, outcome: 'failed' })).catch(() => undefined);
    throw error;
  }
}

/** Newest first: the actions on one organization, or all of them. */
export async function listAudit(table: Table, o: { organization?: string; max: number }): Promise<AuditEntry[]> {
  if (o.organization) {
    return listedRows(table, listOf(o.organization), { keyOf, newestFirst: true, max: o.max });
  }
  const page = await table.rows<AuditEntry>(ALL, PREFIX, { limit: o.max, newestFirst: true });
  return page.rows.map(({ value }) => value);
}
