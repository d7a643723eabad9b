/** Blobs in a folder. After a crash a key has the old bytes or the new ones, never a part of them. */

import { createHash } from 'node:crypto';
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  ARRIVALS,
  checkRange,
  isUploadKey,
  keyOfBlob,
  ownerOfBlob,
  versionOfBlob,
  versionsPage,
} from '../../shared/core/blobs.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { ArrivedUpload, Blobs, ByteRange, Bytes, Everything, Page } from '../../shared/ports.ts';
import type { SignedAddresses } from './signed-addresses.ts';
import { diskFault, durableFiles } from './state-folder.ts';
import { uploadPlace, uploadsIn } from './upload-folders.ts';
import { filesOf, keepVersion, newestVersion, nextVersion, removeOlder, removeVersions } from './upload-versions.ts';

/** Errors of a folder that is missing or inaccessible; a full disk is handled separately. */
const CLOSED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'EEXIST']);

function storageFault(cause: NodeJS.ErrnoException): never {
  if (diskFault.isNoRoom(cause)) throw diskFault.noRoom(cause);
  if (!CLOSED.has(cause.code ?? '')) throw cause;
  throw new Problem('noStorage', 'Local storage configuration missing', { cause });
}

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
    arrived: async (key, headBytes) => readArrived(placed(key), headBytes).catch(storageFault),
    uploads: async (prefix, paging) => listUploads(folder, prefix, paging).catch(storageFault),
    uploadsOf: async (organization) =>
      [...new Set((await uploadsIn(folder, ARRIVALS)).map((at) => keyOfBlob(at).key))].filter(
        (key) => ownerOfBlob(key).organization === organization,
      ),
    async keep(at) {
      const { path, version } = placed(at);
      return version === undefined || keepVersion(path, version).catch(storageFault);
    },
    downloadAddress: (at, as, seconds) => addresses.sign({ method: 'GET', key: at, seconds, as }),
  };
}

type Placed = { key: string; version?: string; path: string };

function placedIn(folder: string, at: string): Placed {
  const placed = keyOfBlob(at);
  const name = createHash('sha256').update(placed.key, 'utf8').digest('hex');
  const spread = join(folder, name.slice(0, 2), name.slice(2, 4), name.slice(4));
  return { ...placed, path: uploadPlace(folder, placed.key, name) ?? spread };
}

async function put(folder: string, { key, path }: Placed, o: Limit & { body: Bytes }): Promise<number> {
  if (!isUploadKey(key)) return durableFiles.writeWhole({ folder, ...o }, async () => path);
  const size = await durableFiles.writeWhole({ folder, ...o }, () => nextVersion(path));
  await removeOlder(path);
  return size;
}

/** The names that the file may have at the moment. */
async function filesAt({ key, version, path }: Placed): Promise<string[]> {
  if (!isUploadKey(key)) return [path];
  const effective = version ?? (await newestVersion(path));
  return effective === undefined ? [] : filesOf(path, effective);
}

async function openBlob(placed: Placed): Promise<FileHandle | undefined> {
  for (const file of await filesAt(placed)) {
    const handle = await open(file, 'r').catch(durableFiles.absentAs(undefined));
    if (handle) return handle;
  }
  return undefined;
}

async function sizeOf(placed: Placed): Promise<number | undefined> {
  for (const file of await filesAt(placed)) {
    const stats = await stat(file).catch(durableFiles.absentAs(undefined));
    if (stats) return stats.size;
  }
  return undefined;
}

async function read(placed: Placed, range: ByteRange = { from: 0 }): Promise<Bytes | undefined> {
  checkRange(range);
  const handle = await openBlob(placed);
  if (handle === undefined) return undefined;
  const to = range.to === undefined ? {} : { end: range.to };
  return durableFiles.clearing(handle.createReadStream({ start: range.from, highWaterMark: READ_BYTES, ...to }));
}

async function remove(placed: Placed): Promise<void> {
  const { key, version, path } = placed;
  if (isUploadKey(key) && version === undefined) return removeVersions(path);
  for (const file of await filesAt(placed)) {
    await unlink(file).then(() => durableFiles.syncFolder(dirname(file)), durableFiles.absentAs(undefined));
  }
}

/** If the newest version is replaced before it is opened, the replacement is opened. */
async function readArrived({ key, path }: Placed, headBytes: number): Promise<ArrivedUpload | undefined> {
  for (let newest = await newestVersion(path); newest !== undefined; newest = await newestVersion(path)) {
    const handle = await openBlob({ key, path, version: newest });
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

async function listUploads(
  folder: string,
  prefix: string,
  o: { after?: string; limit: number },
): Promise<Page<string>> {
  const { after = '', limit } = o;
  const versions = (await uploadsIn(folder, prefix)).filter((at) => keyOfBlob(at).key > after);
  return versionsPage(versions.slice(0, limit), versions.length > limit, prefix, o.after);
}
