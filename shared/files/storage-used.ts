/** How many files an organization stores, and their bytes: from the index alone, among its newest files. */
import type { Table } from '../ports.ts';
import { filesList, sizeIn } from './file.ts';

const MAX_FILES = 10_000;

/** `capped`: there are more files, and these are not counted. */
export type StorageUsed = { files: number; bytes: number; capped: boolean };

export async function storageUsed(table: Table, organization: string): Promise<StorageUsed> {
  const { rows, next } = await table.listed(filesList(organization), { limit: MAX_FILES, newestFirst: true });
  const bytes = rows.reduce((sum, { type }) => sum + sizeIn(type), 0);
  return { files: rows.length, bytes, capped: next !== undefined };
}
