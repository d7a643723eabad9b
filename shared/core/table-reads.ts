/** Reads over the table: in batches, with a fallback to a consistent read, and by cursor. */

import type { Key, Row, Table } from '../ports.ts';
import { definedFields } from './optional-fields.ts';
import { Problem } from './problem.ts';

/** Reads any number of rows: the table takes so many keys at a time. */
const KEYS_AT_ONCE = 100;

/** In the order of the keys. */
export async function getInBatches<T>(table: Table, keys: Key[]): Promise<(Row<T> | undefined)[]> {
  const parts = Array.from({ length: Math.ceil(keys.length / KEYS_AT_ONCE) }, (_, part) =>
    keys.slice(part * KEYS_AT_ONCE, (part + 1) * KEYS_AT_ONCE),
  );
  return (await Promise.all(parts.map((some) => table.getMany<T>(some)))).flat();
}

/** A row of which every version will do: it is taken however old the look, and only what is not found is looked for again. */
export const getEventually = async <T>(table: Table, key: Key): Promise<Row<T> | undefined> =>
  (await table.get<T>(key, { consistency: 'eventual' })) ?? table.get<T>(key);

/** Page addresses: opaque to the caller, a position in byte order to us. */
export const cursorOf = (position: string): string => Buffer.from(position, 'utf8').toString('base64url');

/** Throws unless the cursor is one that `cursorOf` made for a position this list can have. */
export function parseCursor(cursor: string, isPosition: (position: string) => boolean): string {
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursorOf(position) !== cursor || !isPosition(position)) {
    throw new Problem('badCursor', 'Invalid cursor. Omit `cursor` to start from the first page.');
  }
  return position;
}

/** The rows behind a list of the index, each read again because the index may lag. */
const PAGE = 100;

type ListedRowsOptions = { keyOf: (id: string) => Key; newestFirst?: boolean; max?: number };

export async function listedRows<T>(table: Table, list: string, wanted: ListedRowsOptions): Promise<T[]> {
  const { keyOf, newestFirst = false, max = Number.POSITIVE_INFINITY } = wanted;
  const found: T[] = [];
  let after: string | undefined;
  do {
    const limit = Math.min(PAGE, max - found.length);
    const page = await table.listed(list, { limit, newestFirst, ...definedFields({ after }) });
    const rows = await table.getMany<T>(page.rows.map(({ id }) => keyOf(id)));
    found.push(...rows.flatMap((row) => (row ? [row.value] : [])));
    after = page.next;
  } while (after !== undefined && found.length < max);
  return found;
}
