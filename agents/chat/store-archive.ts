/** The archive of what a chat task saved. */

import type { Documents } from '../../engines/documents/documents.ts';
import type { Blobs, Bytes, Ids } from '../../shared/ports.ts';
import type { Work } from '../../shared/tasks/agent.ts';
import { type Archive, archiveKey } from '../../shared/tasks/archive.ts';
import { fileWriter } from '../write-files.ts';
import type { SavedFile } from './workspace.ts';

type Ports = { blobs: Blobs; ids: Ids; documents: Pick<Documents, 'applyRule'> };

/** Stores all files that a task saved as one ZIP archive. */
export async function storeArchive(
  { blobs, ids, documents }: Ports,
  { address, signal }: Pick<Work, 'address' | 'signal'>,
  saved: SavedFile[],
): Promise<Archive> {
  const write = fileWriter(documents, { organization: address.organization, signal });
  const zip = await write(
    'zipFiles',
    saved.map((file) => ({ name: file.name, bytes: bytesOf(file) })),
  );
  // Each attempt has a key of its own, so a late attempt overwrites nothing.
  const bytesAt = archiveKey(address, ids.mark());
  const sizeBytes = await blobs.put(bytesAt, singleChunk(zip), { maxBytes: zip.length });
  return { bytesAt, sizeBytes };
}

const bytesOf = ({ text, base64 }: SavedFile): Uint8Array =>
  base64 === undefined ? Buffer.from(text, 'utf8') : Buffer.from(base64, 'base64');

async function* singleChunk(bytes: Uint8Array): Bytes {
  yield bytes;
}
