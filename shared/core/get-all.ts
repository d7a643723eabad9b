/** Reads any number of rows: the table takes so many keys at a time. */
import type { Key, Row, Table } from '../ports.ts';

const KEYS_AT_ONCE = 100;

/** In the order of the keys. */
export async function getInBatches<T>(table: Table, keys: Key[]): Promise<(Row<T> | undefined)[]> {
  const parts = Array.from({ length: Math.ceil(keys.length / KEYS_AT_ONCE) }, (_, part) =>
    keys.slice(part * KEYS_AT_ONCE, (part + 1) * KEYS_AT_ONCE),
  );
  return (await Promise.all(parts.map((some) => table.getMany<T>(some)))).flat();
}
