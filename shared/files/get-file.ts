/** A completed file with a fresh download address. */
import type { Blobs, Clock, Table } from '../ports.ts';
import { FILE_LIMITS, type StoredFile } from './file.ts';
import { type FileAddress, findFile, storedOnly } from './find-file.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock };
export type FileWithAddress = StoredFile & { url: string; urlExpiresAt: number };

export async function getFile(ports: Ports, address: FileAddress): Promise<FileWithAddress> {
  const { value: file } = storedOnly(await findFile(ports, address));
  const { fileName, mimeType: contentType } = file;
  // Taken before signing, so that the address never dies before the time we tell.
  const urlExpiresAt = ports.clock.now() + FILE_LIMITS.downloadSeconds * 1_000;
  const url = await ports.blobs.downloadAddress(file.bytesAt, { fileName, contentType }, FILE_LIMITS.downloadSeconds);
  return { ...file, url, urlExpiresAt };
}
