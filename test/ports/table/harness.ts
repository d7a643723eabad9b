/** What the cases of the table's contract share. */
import { vi } from 'vitest';
import type { Draft, Page, Row, Table } from '../../../shared/ports.ts';
import type { setClock } from '../clock.ts';

export type TableHarness = {
  /** Empty. */
  table: Table;
  /** The same store behind a connection that loses the first reply of every write, so that the write is repeated. */
  flaky: Table;
  clock: ReturnType<typeof setClock>;
  close(): Promise<void>;
};

/** The harness of the current test. */
export type Opened = () => TableHarness;

export const key = { pk: 'P', sk: 'S' };

export const MINUTE = 60_000;

export function present<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('The table answered that there is no row, or that the race was lost.');
  return row;
}

export const insertRow = async <T>(table: Table, draft: Draft<T>): Promise<Row<T>> =>
  present(await table.insert(draft));

/** One row for each text. */
export const fill = (table: Table, pk: string, sks: string[]) =>
  Promise.all(sks.map((sk) => insertRow(table, { pk, sk, value: sk })));

/** Every page from the first to the last. */
export async function pagesOf<R>(read: (after: { after?: string }) => Promise<Page<R>>): Promise<R[][]> {
  const pages: R[][] = [];
  let page = await read({});
  for (pages.push(page.rows); page.next !== undefined; pages.push(page.rows)) {
    if (pages.length > 2_000) throw new Error('The pages do not come to an end.');
    page = await read({ after: page.next });
  }
  return pages;
}

/** The expected pages of this size. */
export const inPages = <R>(rows: R[], size: number): R[][] =>
  Array.from({ length: Math.max(1, Math.ceil(rows.length / size)) }, (_, page) =>
    rows.slice(page * size, (page + 1) * size),
  );

/** Polls until the expectation holds, as an index may lag. */
export const eventually = (expectation: () => Promise<void>) =>
  vi.waitFor(expectation, { timeout: 5_000, interval: 10 });

export const inByteOrder = (texts: string[]): string[] =>
  [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

export const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
