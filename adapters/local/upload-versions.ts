/** The versions of an upload in its folder: numbered, kept and removed. */
import { randomUUID } from 'node:crypto';
import { readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { durableFiles } from './state-folder.ts';

/** The format of `nextVersion`. */
export const VERSION_FORM = String.raw`\d{12}-[0-9a-f-]{36}`;

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
export const filesOf = (path: string, version: string): string[] =>
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

export const newestVersion = async (path: string): Promise<string | undefined> =>
  (await listVersions(path))[0]?.version;

/** Counts up from the newest version, because a clock may go back. Of two simultaneous uploads either may become the newer. */
export async function nextVersion(path: string): Promise<string> {
  const number = Number((await newestVersion(path))?.slice(0, NUMBER_DIGITS) ?? 0) + 1;
  return fileOf(path, `${String(number).padStart(NUMBER_DIGITS, '0')}-${randomUUID()}`);
}

/**
 * Removes all versions older than the newest, except kept ones. Files that reappear after a power failure are removed
 * by the next call.
 */
export async function removeOlder(path: string): Promise<void> {
  const [, ...older] = await listVersions(path);
  for (const { file, isKept } of older) if (!isKept) await unlink(file).catch(durableFiles.absentAs(undefined));
}

const yes = () => true;

/** Synced to disk, because a row is about to refer to this version. */
export async function keepVersion(path: string, version: string): Promise<boolean> {
  const [file, keptFile] = filesOf(path, version);
  if (file === undefined || keptFile === undefined) return false;
  const renamed = await rename(file, keptFile).then(yes, durableFiles.absentAs(undefined));
  // A concurrent completion may have kept it already.
  const isKept = renamed ?? (await stat(keptFile).then(yes, durableFiles.absentAs(false)));
  if (isKept) await durableFiles.syncFolder(dirname(path));
  return isKept;
}

export async function removeVersions(path: string): Promise<void> {
  // A file that is renamed meanwhile is found under its other name in the next round.
  for (let versions = await listVersions(path); versions.length > 0; versions = await listVersions(path)) {
    for (const { file } of versions) await unlink(file).catch(durableFiles.absentAs(undefined));
    await durableFiles.syncFolder(dirname(path));
  }
}
