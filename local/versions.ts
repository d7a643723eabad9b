/**
 * The versions of an upload: files beside its place, named in the order in which they arrived. One that arrives takes those
 * before it away, so that an address never fills the disk; a version that is kept has another ending and stays. To keep
 * and to take away are one step of the file system each, so one of the two finds the file no longer there.
 */
import { randomUUID } from 'node:crypto';
import { readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { absentAs, syncFolder } from './durable.ts';

const KEPT = '.kept';
const NUMBER_DIGITS = 12;
const VERSION = /^\d{12}-[0-9a-f-]{36}$/;

type Found = { version: string; file: string; isKept: boolean };

const fileOf = (place: string, version: string): string => `${place}.${version}`;

/** The two names a version may have: it changes from the first to the second, and never back. */
export const filesOf = (place: string, version: string): string[] =>
  VERSION.test(version) ? [fileOf(place, version), fileOf(place, version) + KEPT] : [];

/** The newest first. */
async function found(place: string): Promise<Found[]> {
  const start = `${basename(place)}.`;
  const names = await readdir(dirname(place)).catch(absentAs<string[]>([]));
  const versions = names.flatMap((name) => {
    const isKept = name.endsWith(KEPT);
    const version = name.slice(start.length, isKept ? -KEPT.length : undefined);
    const file = join(dirname(place), name);
    return name.startsWith(start) && VERSION.test(version) ? [{ version, file, isKept }] : [];
  });
  return versions.sort((a, b) => (a.version < b.version ? 1 : -1));
}

export const newestVersion = async (place: string): Promise<string | undefined> => (await found(place))[0]?.version;

/** By what has arrived, not by a clock, which may go back. Of two at one moment either may be the newer. */
export async function nextVersion(place: string): Promise<string> {
  const number = Number((await newestVersion(place))?.slice(0, NUMBER_DIGITS) ?? 0) + 1;
  return fileOf(place, `${String(number).padStart(NUMBER_DIGITS, '0')}-${randomUUID()}`);
}

/** All before the newest that nobody keeps. Those that come back after a power cut go with the next. */
export async function removeOlder(place: string): Promise<void> {
  const [, ...older] = await found(place);
  for (const { file, isKept } of older) if (!isKept) await unlink(file).catch(absentAs(undefined));
}

const yes = () => true;

/** Outlives a power cut: a row is about to name it. */
export async function keepVersion(place: string, version: string): Promise<boolean> {
  const [file, kept] = filesOf(place, version);
  if (file === undefined || kept === undefined) return false;
  const renamed = await rename(file, kept).then(yes, absentAs(undefined));
  // Another completion may have kept it.
  const isKept = renamed ?? (await stat(kept).then(yes, absentAs(false)));
  if (isKept) await syncFolder(dirname(place));
  return isKept;
}

export async function removeVersions(place: string): Promise<void> {
  // One that is renamed while we look is there under its other name.
  for (let all = await found(place); all.length > 0; all = await found(place)) {
    for (const { file } of all) await unlink(file).catch(absentAs(undefined));
    await syncFolder(dirname(place));
  }
}
