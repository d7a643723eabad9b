/** Reads a file of an organization, with a download URL once it is stored. */

import { isUuid } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import type { Blobs, Clock, Row, Table } from '../ports.ts';
import { FILE_LIMITS, type File, type FileAddress, fileKey, type StoredFile } from './file.ts';

type FindPorts = { table: Table; clock: Clock };

/** Reads a file's row. Unknown, foreign, malformed and expired ids all return 404 (no existence oracle). */
export async function findFile({ table, clock }: FindPorts, { organization, fileId }: FileAddress): Promise<Row<File>> {
  const row = isUuid(fileId) ? await table.get<File>(fileKey(organization, fileId)) : undefined;
  if (!row || row.value.goneAt <= clock.now()) throw fileNotFound();
  return row;
}

export function checkStored(row: Row<File>): Row<StoredFile> {
  if (row.value.state !== 'stored') throw fileNotFound();
  return row as Row<StoredFile>;
}

export const fileNotFound = () => new Problem('notFound', 'File not found');

type GetPorts = { table: Table; blobs: Blobs; clock: Clock };
type FileWithUrl = StoredFile & { url: string; urlExpiresAt: number };

/** A completed file with a new download URL. */
export async function getFile(ports: GetPorts, address: FileAddress): Promise<FileWithUrl> {
  const { value: file } = checkStored(await findFile(ports, address));
  const { fileName, mimeType: contentType } = file;
  // Computed before signing, so that the URL never expires before the time we report.
  const urlExpiresAt = ports.clock.now() + FILE_LIMITS.downloadSeconds * 1_000;
  const url = await ports.blobs.downloadAddress(file.bytesAt, { fileName, contentType }, FILE_LIMITS.downloadSeconds);
  return { ...file, url, urlExpiresAt };
}
