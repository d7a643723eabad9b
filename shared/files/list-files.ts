/** An organization's files, the newest first, and the storage that they use. */

import { definedFields } from '../core/optional-fields.ts';
import type { Clock, Page, Table } from '../ports.ts';
import { type File, fileKey, filesList, type StoredFile, sizeIn } from './file.ts';

type ListPorts = { table: Table; clock: Clock };
type ListedFile = StoredFile & { fileId: string };

/** An organization's files, the newest first. */
export async function listFiles(
  { table, clock }: ListPorts,
  { organization, ...paging }: { organization: string; limit: number; after?: string },
): Promise<Page<ListedFile>> {
  const { rows: entries, next } = await table.listed(filesList(organization), { ...paging, newestFirst: true });
  // The index may lag behind the rows, so its entries are read from the table.
  const rows = await table.getMany<File>(entries.map(({ id }) => fileKey(organization, id)));
  const files = rows.flatMap((row, at) => {
    const file = row?.value;
    return file?.state === 'stored' && file.goneAt > clock.now() ? [{ ...file, fileId: entries[at]?.id ?? '' }] : [];
  });
  return { rows: files, ...definedFields({ next }) };
}

const MAX_FILES = 10_000;

/** `capped`: there are more files, which are not counted. */
export type StorageUsed = { files: number; bytes: number; capped: boolean };

/** The number and bytes of an organization's newest files, computed from the index alone. */
export async function storageUsed(table: Table, organization: string): Promise<StorageUsed> {
  const { rows, next } = await table.listed(filesList(organization), { limit: MAX_FILES, newestFirst: true });
  const bytes = rows.reduce((sum, { type }) => sum + sizeIn(type), 0);
  return { files: rows.length, bytes, capped: next !== undefined };
}
