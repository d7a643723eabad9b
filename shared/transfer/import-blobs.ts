/** Puts the bytes of an exported organization where its rows say, and says what an upload's version is called here. */
import { Problem } from '../core/problem.ts';
import type { Blobs, Bytes } from '../ports.ts';
import type { ExportedBlob } from './format.ts';

/** Reads the bytes of an export. The stream fails if they are not the bytes that were exported. */
export type BlobSource = (blob: ExportedBlob) => Promise<Bytes>;

type BlobPorts = { blobs: Blobs; blobSource: BlobSource };

/** A blob of the same length is compared, because an interrupted import may have written it. */
export async function placeBlob({ blobs, blobSource }: BlobPorts, blob: ExportedBlob): Promise<void> {
  const { key, bytes } = blob;
  const size = await blobs.size(key);
  if (size === undefined) {
    await blobs.put(key, await blobSource(blob), { maxBytes: bytes });
    return;
  }
  const isEqual = size === bytes && (await areEqual(await blobSource(blob), await blobs.read(key)));
  if (!isEqual) throw new Problem('invalid', `names ${key}, which is here already with other bytes`);
}

/** Returns the name of the version: the store gives it, so that it differs from the exported one. */
export async function placeUpload({ blobs, blobSource }: BlobPorts, blob: ExportedBlob): Promise<string> {
  const { key, bytes } = blob;
  const before = await blobs.arrived(key, 1);
  const isThere = before?.size === bytes && (await areEqual(await blobSource(blob), await blobs.read(before.at)));
  if (!isThere) await blobs.put(key, await blobSource(blob), { maxBytes: bytes });
  const arrived = isThere ? before : await blobs.arrived(key, 1);
  if (arrived && (await blobs.keep(arrived.at))) return arrived.at;
  throw new Problem('busy', 'Another import writes the same file: try again when it has ended.');
}

async function areEqual(expected: Bytes, stored: Bytes | undefined): Promise<boolean> {
  if (!stored) return false;
  const storedChunks = stored[Symbol.asyncIterator]();
  let buffer: Uint8Array = new Uint8Array();
  try {
    for await (let chunk of expected) {
      while (chunk.byteLength > 0) {
        if (buffer.byteLength === 0) {
          const next = await storedChunks.next();
          if (next.done) return false;
          buffer = next.value;
        }
        const length = Math.min(buffer.byteLength, chunk.byteLength);
        if (Buffer.compare(buffer.subarray(0, length), chunk.subarray(0, length)) !== 0) return false;
        [buffer, chunk] = [buffer.subarray(length), chunk.subarray(length)];
      }
    }
    // The lengths were equal, so nothing is left.
    return true;
  } finally {
    await storedChunks.return?.();
  }
}
