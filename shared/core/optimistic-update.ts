/**
 * Optimistic locking: reads a row, computes its next value and writes it over the version that was read. If another writer
 * was first, it reads again.
 */
import type { Draft, Key, Replacing, Row, Table } from '../ports.ts';

/** `write` replaces the row, or inserts it if there is none; `stop` leaves it as it is. */
export type Change<T, S> = { write: Omit<Draft<T>, keyof Key>; options?: Replacing } | { stop: S };
export type Updated<T, S> = { written: Row<T> } | { stopped: S } | { contended: true };

type Options<T> = {
  maxTries?: number;
  /** A row that was read before: saves the first read. */
  known?: Row<T> | undefined;
  /** Whether `known` was read just now, so that a stop holds. Otherwise a stop is decided over a new read. */
  isCurrent?: boolean;
};

export async function updateRow<T, S = undefined>(
  table: Table,
  key: Key,
  change: (row: Row<T> | undefined) => Change<T, S> | Promise<Change<T, S>>,
  { maxTries = 10, known, isCurrent = false }: Options<T> = {},
): Promise<Updated<T, S>> {
  let row = known;
  for (let tries = 0; tries < maxTries; tries++) {
    row ??= await table.get<T>(key);
    const next = await change(row);
    if ('stop' in next) {
      if (row === undefined || row !== known || isCurrent) return { stopped: next.stop };
    } else {
      const written = await writeOver(table, key, row, next);
      if (written) return { written };
    }
    row = undefined;
  }
  return { contended: true };
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
