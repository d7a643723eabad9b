/** Blobs in a folder. A crash leaves the old bytes or the new ones under a key, never a part of them. */
import { createHash } from 'node:crypto';
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ARRIVALS, checkRange, isUploadKey, keyOfBlob, ownerOfBlob, versionOfBlob } from '../shared/core/blobs.ts';
import type { Arrived, Blobs, ByteRange, Bytes, Everything, Page } from '../shared/ports.ts';
import { clearing } from './clearing.ts';
import { absentAs, syncFolder } from './durable.ts';
import type { SignedAddresses } from './signed-addresses.ts';
import { storageFault } from './storage-fault.ts';
import { uploadPlace, uploadsIn } from './upload-places.ts';
import { filesOf, keepVersion, newestVersion, nextVersion, removeOlder, removeVersions } from './versions.ts';
import { writeWhole } from './whole-files.ts';

const READ_BYTES = 262_144;

type Limit = { maxBytes: number };
export type LocalBlobs = Blobs & Pick<Everything, 'uploadsOf'>;

export function folderBlobs({ folder, addresses }: { folder: string; addresses: SignedAddresses }): LocalBlobs {
  const placed = (at: string): Placed => placedIn(folder, at);
  return {
    put: async (key, body, { maxBytes }) => put(folder, placed(key), { body, maxBytes }).catch(storageFault),
    read: async (at, range) => read(placed(at), range).catch(storageFault),
    size: async (at) => sizeOf(placed(at)).catch(storageFault),
    remove: async (at) => remove(placed(at)).catch(storageFault),
    uploadAddress: (key, seconds) => addresses.sign({ method: 'PUT', key, seconds }),
    arrived: async (key, headBytes) => arrived(placed(key), headBytes).catch(storageFault),
    uploads: async (prefix, paging) => uploads(folder, prefix, paging).catch(storageFault),
    uploadsOf: async (organization) =>
      (await uploadsIn(folder, ARRIVALS)).filter((key) => ownerOfBlob(key).organization === organization),
    async keep(at) {
      const { place, version } = placed(at);
      return version === undefined || keepVersion(place, version).catch(storageFault);
    },
    downloadAddress: (at, as, seconds) => addresses.sign({ method: 'GET', key: at, seconds, as }),
  };
}

type Placed = { key: string; version?: string; place: string };

function placedIn(folder: string, at: string): Placed {
  const placed = keyOfBlob(at);
  const name = createHash('sha256').update(placed.key, 'utf8').digest('hex');
  const spread = join(folder, name.slice(0, 2), name.slice(2, 4), name.slice(4));
  return { ...placed, place: uploadPlace(folder, placed.key, name) ?? spread };
}

async function put(folder: string, { key, place }: Placed, o: Limit & { body: Bytes }): Promise<number> {
  if (!isUploadKey(key)) return writeWhole({ folder, ...o }, async () => place);
  const size = await writeWhole({ folder, ...o }, () => nextVersion(place));
  await removeOlder(place);
  return size;
}

/** The names that the file may have just now. */
async function filesAt({ key, version, place }: Placed): Promise<string[]> {
  if (!isUploadKey(key)) return [place];
  const wanted = version ?? (await newestVersion(place));
  return wanted === undefined ? [] : filesOf(place, wanted);
}

async function opened(placed: Placed): Promise<FileHandle | undefined> {
  for (const file of await filesAt(placed)) {
    const handle = await open(file, 'r').catch(absentAs(undefined));
    if (handle) return handle;
  }
  return undefined;
}

async function sizeOf(placed: Placed): Promise<number | undefined> {
  for (const file of await filesAt(placed)) {
    const found = await stat(file).catch(absentAs(undefined));
    if (found) return found.size;
  }
  return undefined;
}

async function read(placed: Placed, range: ByteRange = { from: 0 }): Promise<Bytes | undefined> {
  checkRange(range);
  const handle = await opened(placed);
  if (handle === undefined) return undefined;
  const to = range.to === undefined ? {} : { end: range.to };
  return clearing(handle.createReadStream({ start: range.from, highWaterMark: READ_BYTES, ...to }));
}

async function remove(placed: Placed): Promise<void> {
  const { key, version, place } = placed;
  if (isUploadKey(key) && version === undefined) return removeVersions(place);
  for (const file of await filesAt(placed)) {
    await unlink(file).then(() => syncFolder(dirname(file)), absentAs(undefined));
  }
}

/** What is newer by the time of opening is the newest. */
async function arrived({ key, place }: Placed, headBytes: number): Promise<Arrived | undefined> {
  for (let newest = await newestVersion(place); newest !== undefined; newest = await newestVersion(place)) {
    const handle = await opened({ key, place, version: newest });
    if (handle === undefined) continue;
    try {
      const { size } = await handle.stat();
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(headBytes), position: 0 });
      return { at: size === 0 ? key : versionOfBlob(key, newest), size, head: buffer.subarray(0, bytesRead) };
    } finally {
      await handle.close();
    }
  }
  return undefined;
}

async function uploads(folder: string, prefix: string, o: { after?: string; limit: number }): Promise<Page<string>> {
  const { after = '', limit } = o;
  const keys = (await uploadsIn(folder, prefix)).filter((key) => key > after);
  const rows = keys.slice(0, limit);
  const next = keys.length > limit ? rows.at(-1) : undefined;
  return { rows, ...(next === undefined ? {} : { next }) };
}
