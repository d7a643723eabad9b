/** Blobs in a folder. After a crash a key has the old bytes or the new ones, never a part of them. */

import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
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
import { DAY_MS } from '../../shared/core/time.ts';
import type { ArrivedUpload, Blobs, ByteRange, Bytes, Clock, Everything, Page } from '../../shared/ports.ts';
import type { SignedAddresses } from './blob-server.ts';
import { diskFault, durableFiles } from './state-folder.ts';

/** Errors of a folder that is missing or inaccessible; a full disk is handled separately. */
const CLOSED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'EEXIST']);

function storageFault(cause: NodeJS.ErrnoException): never {
  if (diskFault.isNoRoom(cause)) throw diskFault.noRoom(cause);
  if (!CLOSED.has(cause.code ?? '')) throw cause;
  throw new Problem('noStorage', 'Local storage configuration missing', { cause });
}

// The layout of uploads: one folder for each hour, with file names that contain the rest of the key, so that uploads
// can be listed. Subfolders keep each folder small, because looking for a version reads its folder.

const KEY = new RegExp(String.raw`^${ARRIVALS}(\d{4}-\d\d-\d\dT\d\d)/([a-z0-9-]+)/([a-z0-9-]+)$`);
const HOUR = /^\d{4}-\d\d-\d\dT\d\d$/;
/** The format of `nextVersion`. */
const VERSION_FORM = String.raw`\d{12}-[0-9a-f-]{36}`;
const NAME = new RegExp(`^([a-z0-9-]+)_([a-z0-9-]+)\\.(${VERSION_FORM})`);

function uploadPlace(folder: string, key: string, hash: string): string | undefined {
  const [, hour, organization, fileId] = KEY.exec(key) ?? [];
  return hour === undefined ? undefined : join(folder, hour, hash.slice(0, 1), `${organization}_${fileId}`);
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(durableFiles.absentAs<string[]>([]));

const hoursIn = async (folder: string): Promise<string[]> => (await namesIn(folder)).filter((name) => HOUR.test(name));

/** The versions of keys with this prefix, ordered by key. */
async function uploadsIn(folder: string, prefix: string): Promise<string[]> {
  const versions = new Set<string>();
  for (const hour of await hoursIn(folder)) {
    const start = `${ARRIVALS}${hour}/`;
    if (!start.startsWith(prefix) && !prefix.startsWith(start)) continue;
    for (const name of await spreadNames(join(folder, hour))) {
      const [, organization, fileId, version] = NAME.exec(name) ?? [];
      if (version !== undefined) versions.add(versionOfBlob(`${start}${organization}/${fileId}`, version));
    }
  }
  return [...versions].filter((at) => at.startsWith(prefix)).sort();
}

async function spreadNames(hour: string): Promise<string[]> {
  const names = await Promise.all((await namesIn(hour)).map((spread) => namesIn(join(hour, spread))));
  return names.flat();
}

/**
 * The versions of an upload are files in the same folder, numbered in order of arrival. A new version removes the older
 * ones, so that one URL never fills the disk; a kept version has the suffix `.kept` and stays. Keeping and removing are
 * one atomic step of the file system each, so the slower of the two finds that the file is gone.
 */
const KEPT = '.kept';
const NUMBER_DIGITS = 12;
const VERSION = new RegExp(`^${VERSION_FORM}$`);

type StoredVersion = { version: string; file: string; isKept: boolean };

const fileOf = (path: string, version: string): string => `${path}.${version}`;

/** The two possible names of a version: it is renamed from the first to the second, and never back. */
const filesOf = (path: string, version: string): string[] =>
  VERSION.test(version) ? [fileOf(path, version), fileOf(path, version) + KEPT] : [];

/** The newest first. */
async function listVersions(path: string): Promise<StoredVersion[]> {
  const start = `${basename(path)}.`;
  const names = await readdir(dirname(path)).catch(durableFiles.absentAs<string[]>([]));
  const versions = names.flatMap((name) => {
    const isKept = name.endsWith(KEPT);
    const version = name.slice(start.length, isKept ? -KEPT.length : undefined);
    const file = join(dirname(path), name);
    return name.startsWith(start) && VERSION.test(version) ? [{ version, file, isKept }] : [];
  });
  return versions.sort((a, b) => (a.version < b.version ? 1 : -1));
}

const newestVersion = async (path: string): Promise<string | undefined> => (await listVersions(path))[0]?.version;

/** Counts up from the newest version, because a clock may go back. Of two simultaneous uploads either may become the newer. */
async function nextVersion(path: string): Promise<string> {
  const number = Number((await newestVersion(path))?.slice(0, NUMBER_DIGITS) ?? 0) + 1;
  return fileOf(path, `${String(number).padStart(NUMBER_DIGITS, '0')}-${randomUUID()}`);
}

/**
 * Removes all versions older than the newest, except kept ones. Files that reappear after a power failure are removed
 * by the next call.
 */
async function removeOlder(path: string): Promise<void> {
  const [, ...older] = await listVersions(path);
  for (const { file, isKept } of older) if (!isKept) await unlink(file).catch(durableFiles.absentAs(undefined));
}

const yes = () => true;

/** Synced to disk, because a row is about to refer to this version. */
async function keepVersion(path: string, version: string): Promise<boolean> {
  const [file, keptFile] = filesOf(path, version);
  if (file === undefined || keptFile === undefined) return false;
  const renamed = await rename(file, keptFile).then(yes, durableFiles.absentAs(undefined));
  // A concurrent completion may have kept it already.
  const isKept = renamed ?? (await stat(keptFile).then(yes, durableFiles.absentAs(false)));
  if (isKept) await durableFiles.syncFolder(dirname(path));
  return isKept;
}

async function removeVersions(path: string): Promise<void> {
  // A file that is renamed meanwhile is found under its other name in the next round.
  for (let versions = await listVersions(path); versions.length > 0; versions = await listVersions(path)) {
    for (const { file } of versions) await unlink(file).catch(durableFiles.absentAs(undefined));
    await durableFiles.syncFolder(dirname(path));
  }
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

// Removes blobs that no row refers to any more, as lifecycle rules do on AWS.

/** Longer than any retention period. */
const OLD_BLOB_MS = 33 * DAY_MS;
/** The names of the folders over which blobs are spread. */
const SPREAD = /^[0-9a-f]{2}$/;

/** Returns the number of removed entries; an hour of uploads counts as one. */
export async function clearOldBlobs({ folder, clock }: { folder: string; clock: Clock }): Promise<number> {
  let removed = 0;
  for (const path of await spreadFolders(folder)) {
    for (const name of await namesIn(path)) {
      const stats = await stat(join(path, name)).catch(durableFiles.absentAs(undefined));
      if (stats === undefined || clock.now() - stats.mtimeMs < OLD_BLOB_MS) continue;
      await rm(join(path, name), { force: true });
      removed++;
    }
  }
  for (const hour of await hoursIn(folder)) {
    if (clock.now() - Date.parse(`${hour}:00Z`) < OLD_BLOB_MS) continue;
    await rm(join(folder, hour), { recursive: true, force: true });
    removed++;
  }
  return removed;
}

async function spreadFolders(folder: string): Promise<string[]> {
  const firsts = (await namesIn(folder)).filter((name) => SPREAD.test(name));
  const seconds = await Promise.all(
    firsts.map(async (first) => (await namesIn(join(folder, first))).map((second) => join(folder, first, second))),
  );
  return seconds.flat();
}

const KEPT_MS = DAY_MS;

/** Removes partial files that a crash left and returns their number. A write in progress has touched its file within the day. */
export async function clearPartialBlobs({ folder, clock }: { folder: string; clock: Clock }): Promise<number> {
  const partials = durableFiles.partialFolder(folder);
  let removed = 0;
  for (const name of await readdir(partials).catch(durableFiles.absentAs<string[]>([]))) {
    const stats = await stat(join(partials, name)).catch(durableFiles.absentAs(undefined));
    if (stats === undefined || clock.now() - stats.mtimeMs < KEPT_MS) continue;
    await rm(join(partials, name), { force: true });
    removed++;
  }
  return removed;
}
