/** An organization's files, the newest first. */
import type { Clock, Page, Table } from '../ports.ts';
import { type File, fileKey, filesList, type StoredFile } from './file.ts';

type ListPorts = { table: Table; clock: Clock };
export type ListedFile = StoredFile & { fileId: string };

export async function listFiles(
  { table, clock }: ListPorts,
  { organization, ...paging }: { organization: string; limit: number; after?: string },
): Promise<Page<ListedFile>> {
  const { rows: places, next } = await table.listed(filesList(organization), { ...paging, newestFirst: true });
  // The index may lag behind the rows, so what it shows is read again.
  const rows = await table.getMany<File>(places.map(({ id }) => fileKey(organization, id)));
  const files = rows.flatMap((row, at) => {
    const file = row?.value;
    return file?.state === 'stored' && file.goneAt > clock.now() ? [{ ...file, fileId: places[at]?.id ?? '' }] : [];
  });
  return { rows: files, ...(next === undefined ? {} : { next }) };
}
