/** Writes to the rows of accounts. */
import { updateRow } from '../core/optimistic-update.ts';
import { Problem } from '../core/problem.ts';
import type { Draft, Key, Table } from '../ports.ts';

/** Changes the value of an existing row. */
type Change<T> = { draft: (value: T) => Draft<T>; change: (value: T) => T | Promise<T> };

/** Returns the new value, or nothing if there is no such row. */
export async function changeRow<T>(table: Table, key: Key, { draft, change }: Change<T>): Promise<T | undefined> {
  const updated = await updateRow<T>(table, key, async (row) =>
    row ? { write: withoutKey(draft(await change(row.value))) } : { stop: undefined },
  );
  if ('contended' in updated)
    throw new Problem('busy', 'The same record is being changed by other requests; try again.');
  return 'written' in updated ? updated.written.value : undefined;
}

function withoutKey<T>({ pk: _pk, sk: _sk, ...draft }: Draft<T>): Omit<Draft<T>, keyof Key> {
  return draft;
}

/** Inserts or replaces a row; the last writer wins. */
export async function putRow<T>(table: Table, draft: Draft<T>): Promise<void> {
  if (await table.insert(draft)) return;
  // Somebody may have removed it meanwhile.
  const changed = await changeRow<T>(table, draft, { draft: () => draft, change: () => draft.value });
  if (changed === undefined) await table.insert(draft);
}
