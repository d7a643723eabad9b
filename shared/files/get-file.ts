/** A completed file with a fresh download address. */
import type { Blobs, Clock, Table } from '../ports.ts';
import { FILE_LIMITS, type StoredFile } from './file.ts';
import { checkStored, type FileAddress, findFile } from './find-file.ts';

type GetPorts = { table: Table; blobs: Blobs; clock: Clock };
export type FileWithUrl = StoredFile & { url: string; urlExpiresAt: number };

export async function getFile(ports: GetPorts, address: FileAddress): Promise<FileWithUrl> {
  const { value: file } = checkStored(await findFile(ports, address));
  const { fileName, mimeType: contentType } = file;
  // Taken before signing, so that the address never dies before the time we tell.
  const urlExpiresAt = ports.clock.now() + FILE_LIMITS.downloadSeconds * 1_000;
  const url = await ports.blobs.downloadAddress(file.bytesAt, { fileName, contentType }, FILE_LIMITS.downloadSeconds);
  return { ...file, url, urlExpiresAt };
}
