/** A completed file with a fresh download address. */
import type { Blobs, Clock, Table } from '../ports.ts';
import { FILE_LIMITS, keptKey, type StoredFile } from './file.ts';
import { fileNotFound, findFile } from './find-file.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock };
export type FileWithAddress = StoredFile & { fileId: string; url: string; urlExpiresAt: number };

export async function getFile(
  { table, blobs, clock }: Ports,
  { organization, fileId }: { organization: string; fileId: string },
): Promise<FileWithAddress> {
  const { value: file } = await findFile(table, organization, fileId);
  if (file.state !== 'stored') throw fileNotFound();
  const { fileName, mimeType: contentType } = file;
  // Taken before signing, so that the address never dies before the time we tell.
  const urlExpiresAt = clock.now() + FILE_LIMITS.downloadSeconds * 1_000;
  const url = await blobs.downloadAddress(
    keptKey(organization, fileId),
    { fileName, contentType },
    FILE_LIMITS.downloadSeconds,
  );
  return { ...file, fileId, url, urlExpiresAt };
}
