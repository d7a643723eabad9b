/** All the files a task saved, as one ZIP. */
import type { Blobs, Bytes, Ids } from '../../../shared/ports.ts';
import { type Archive, archiveKey } from '../../../shared/tasks/details.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { zipFiles } from '../../archive/zip-files.ts';
import type { SavedFile } from './desk.ts';

type Ports = { blobs: Blobs; ids: Ids };

export async function archived({ blobs, ids }: Ports, address: TaskAddress, saved: SavedFile[]): Promise<Archive> {
  const zip = zipFiles(saved.map(({ name, text }) => ({ name, bytes: Buffer.from(text, 'utf8') })));
  // A key of its own for each attempt, so that one which comes too late overwrites nothing.
  const bytesAt = archiveKey(address, ids.mark());
  const sizeBytes = await blobs.put(bytesAt, whole(zip), { maxBytes: zip.length });
  return { bytesAt, sizeBytes };
}

async function* whole(bytes: Uint8Array): Bytes {
  yield bytes;
}
