/** The rows behind a list of the index, each read again because the index may lag. */
import type { Key, Table } from '../ports.ts';

const PAGE = 100;

type ListedRowsOptions = { keyOf: (id: string) => Key; newestFirst?: boolean; most?: number };

export async function listedRows<T>(table: Table, list: string, wanted: ListedRowsOptions): Promise<T[]> {
  const { keyOf, newestFirst = false, most = Number.POSITIVE_INFINITY } = wanted;
  const found: T[] = [];
  let after: string | undefined;
  do {
    const limit = Math.min(PAGE, most - found.length);
    const page = await table.listed(list, { limit, newestFirst, ...(after === undefined ? {} : { after }) });
    const rows = await table.getMany<T>(page.rows.map(({ id }) => keyOf(id)));
    found.push(...rows.flatMap((row) => (row ? [row.value] : [])));
    after = page.next;
  } while (after !== undefined && found.length < most);
  return found;
}
