/** Writes a row whatever was there before: for whoever's word is the last. */
import type { Draft, Table } from '../ports.ts';
import { changeRow } from './change-row.ts';

export async function putRow<T>(table: Table, draft: Draft<T>): Promise<void> {
  if (await table.insert(draft)) return;
  // Somebody may have removed it meanwhile.
  const changed = await changeRow<T>(table, draft, { draft: () => draft, change: () => draft.value });
  if (changed === undefined) await table.insert(draft);
}
