/** Changes one row among others who do the same: whoever loses the race reads again and decides anew. */
import { Problem } from '../core/problem.ts';
import type { Draft, Key, Table } from '../ports.ts';

const MOST_TRIES = 10;

type Change<T> = { draft: (value: T) => Draft<T>; change: (value: T) => T | Promise<T> };

/** Undefined = there is no such row. */
export async function changeRow<T>(table: Table, key: Key, { draft, change }: Change<T>): Promise<T | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const row = await table.get<T>(key);
    if (!row) return undefined;
    const value = await change(row.value);
    if (await table.replace(row, draft(value))) return value;
  }
  throw new Problem('busy', 'Others keep changing the same thing; try again.');
}
