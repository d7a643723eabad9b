/** Access to table rows: batched reads, reads with a consistent fallback, and writes with optimistic locking. */
import type { Draft, Key, ReplaceOptions, Row, Table } from '../ports.ts';
import { definedFields } from './optional-fields.ts';
import { Problem } from './problem.ts';
import { ROW_LIMITS } from './row-limits.ts';

/** The table reads at most this many keys at once. */
export const KEYS_AT_ONCE = ROW_LIMITS.keysAtOnce;

/** In the order of the keys. */
export async function getInBatches<T>(table: Table, keys: Key[]): Promise<(Row<T> | undefined)[]> {
  const parts = Array.from({ length: Math.ceil(keys.length / KEYS_AT_ONCE) }, (_, part) =>
    keys.slice(part * KEYS_AT_ONCE, (part + 1) * KEYS_AT_ONCE),
  );
  return (await Promise.all(parts.map((batch) => table.getMany<T>(batch)))).flat();
}

/** For rows of which any version is good enough: an eventual read, and a consistent one only if it finds nothing. */
export const getEventually = async <T>(table: Table, key: Key): Promise<Row<T> | undefined> =>
  (await table.get<T>(key, { consistency: 'eventual' })) ?? table.get<T>(key);

const PAGE = 100;

type ListedRowsOptions = { keyOf: (id: string) => Key; newestFirst?: boolean; max?: number };

/** The rows behind a list of the index, each read from the table because the index may lag. */
export async function listedRows<T>(table: Table, list: string, options: ListedRowsOptions): Promise<T[]> {
  const { keyOf, newestFirst = false, max = Number.POSITIVE_INFINITY } = options;
  const values: T[] = [];
  let after: string | undefined;
  do {
    const limit = Math.min(PAGE, max - values.length);
    const page = await table.listed(list, { limit, newestFirst, ...definedFields({ after }) });
    const rows = await table.getMany<T>(page.rows.map(({ id }) => keyOf(id)));
    values.push(...rows.flatMap((row) => (row ? [row.value] : [])));
    after = page.next;
  } while (after !== undefined && values.length < max);
  return values;
}

/** `write` replaces the row, or inserts it if there is none; `stop` leaves it as it is. */
type Change<T, S> = { write: Omit<Draft<T>, keyof Key>; options?: ReplaceOptions } | { stop: S };
type Updated<T, S> = { written: Row<T> } | { stopped: S } | { contended: true };

type Options<T> = {
  maxTries?: number;
  /** The row from an earlier read, which saves the first read. */
  cachedRow?: Row<T> | undefined;
  /** Whether `cachedRow` was read just now, so that `stop` is final. Otherwise the row is read again before stopping. */
  isCurrent?: boolean;
};

export async function updateRow<T, S = undefined>(
  table: Table,
  key: Key,
  change: (row: Row<T> | undefined) => Change<T, S> | Promise<Change<T, S>>,
  { maxTries = 10, cachedRow, isCurrent = false }: Options<T> = {},
): Promise<Updated<T, S>> {
  let row = cachedRow;
  for (let tries = 0; tries < maxTries; tries++) {
    row ??= await table.get<T>(key);
    const next = await change(row);
    if ('stop' in next) {
      if (row === undefined || row !== cachedRow || isCurrent) return { stopped: next.stop };
    } else {
      const written = await writeOver(table, key, row, next);
      if (written) return { written };
    }
    row = undefined;
  }
  return { contended: true };
}

/** Changes the value of an existing row. */
type ValueChange<T> = { draft: (value: T) => Draft<T>; change: (value: T) => T | Promise<T> };

/** Returns the new value, or `undefined` if the row does not exist. */
export async function changeRow<T>(table: Table, key: Key, { draft, change }: ValueChange<T>): Promise<T | undefined> {
  const updated = await updateRow<T>(table, key, async (row) =>
    row ? { write: withoutKey(draft(await change(row.value))) } : { stop: undefined },
  );
  if ('contended' in updated)
    throw new Problem('busy', 'The same record is being changed by other requests; try again.');
  return 'written' in updated ? updated.written.value : undefined;
}

/** Inserts or replaces a row; the last writer wins. */
export async function putRow<T>(table: Table, draft: Draft<T>): Promise<void> {
  if (await table.insert(draft)) return;
  // Another writer may have removed the row meanwhile.
  const changed = await changeRow<T>(table, draft, { draft: () => draft, change: () => draft.value });
  if (changed === undefined) await table.insert(draft);
}

const writeOver = <T>(
  table: Table,
  key: Key,
  row: Row<T> | undefined,
  next: Extract<Change<T, unknown>, { write: unknown }>,
) =>
  row
    ? table.replace(row, next.write, next.options)
    : table.insert({ ...key, ...next.write }, next.options?.prerequisites);

function withoutKey<T>({ pk: _pk, sk: _sk, ...draft }: Draft<T>): Omit<Draft<T>, keyof Key> {
  return draft;
}
