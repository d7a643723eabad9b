/** The state folder: created if missing, locked by one process, and written so that files survive a power failure. */

import { randomUUID } from 'node:crypto';
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import type { Bytes } from '../../shared/ports.ts';
import { checkStateFile } from './database.ts';

const STATE_FILE = 'state.db';

type StateFolder = { path: string; table: string; blobs: string; master: string; mail: string };

export function stateFolder(folder: string): StateFolder {
  const path = resolve(folder);
  const entries = entriesOf(path);
  if (entries.some((entry) => !entry.startsWith('lock.')) && !entries.includes(STATE_FILE)) {
    throw new Problem(
      'badSetting',
      `${path} holds files that are not Errand's: set ERRAND_STATE to another folder, or to an empty one.`,
    );
  }
  const at = (name: string) => join(path, name);
  return { path, table: at(STATE_FILE), blobs: at('blobs'), master: at('master.json'), mail: at('mail') };
}

/** `stateFolder` reports all other faults of the folder. */
export function requireState(folder: string): void {
  const path = resolve(folder);
  if (listEntries(path).some((entry) => !entry.startsWith('lock.'))) return;
  throw new Problem('badSetting', `There is no state in ${path}: start the product once, or set ERRAND_STATE.`);
}

function listEntries(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : [path];
  }
}

/** The entries that we create in the folder, except the lock. */
const OURS = /^(blobs|mail|(demo|local|master)\.json.*|state\.db(-shm|-wal)?)$/;

/** Deletes the state and no other files of the folder. The caller holds the lock. */
export function resetState({ path, table }: StateFolder): void {
  checkStateFile(table);
  // The table is deleted last: an interrupted reset is then still recognized as a state and can be repeated.
  const entries = readdirSync(path).filter((entry) => OURS.test(entry) && entry !== STATE_FILE);
  for (const entry of [...entries, STATE_FILE]) rmSync(join(path, entry), { recursive: true, force: true });
  // An empty table marks the folder as ours, even if it contains other files.
  writeFileSync(table, '', { mode: 0o600 });
}

function entriesOf(path: string): string[] {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return readdirSync(path);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw new Problem(
      'badSetting',
      `${path} cannot be used as the state folder (${reason}): set ERRAND_STATE to a folder you can write.`,
      { cause },
    );
  }
}

const BUSY = 5;

/** Locks with an exclusive transaction that never ends: the operating system releases it with the process, so no stale lock remains. */
export function lockState(folder: string): { release(): void } {
  const holder = join(folder, 'lock.pid');
  const db = new DatabaseSync(join(folder, 'lock.db'), { timeout: 0 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode !== BUSY) throw error;
    throw new Problem(
      'badSetting',
      `Errand already runs on ${folder} (process ${holderOf(holder)}): stop it, or set ERRAND_STATE to another folder.`,
    );
  }
  writeFileSync(holder, String(process.pid));
  return { release: () => db.close() };
}

function holderOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'unknown';
  }
}

/** Whether a product runs on the folder now. Nothing is locked to find out, because a start at that moment would fail. */
export function isRunning(folder: string): boolean {
  const pid = Number(holderOf(join(folder, 'lock.pid')));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const CANTOPEN = 14;

const primaryCodeOf = (error: unknown): number | undefined => {
  const code = (error as { errcode?: number } | undefined)?.errcode;
  return code === undefined ? undefined : code & 0xff;
};

const isBusy = (error: unknown): boolean => primaryCodeOf(error) === BUSY;

const CORRUPT = 11;
const NOTADB = 26;

/** Describes damage that only a backup can repair. */
export function damageIn(error: unknown): string | undefined {
  const code = primaryCodeOf(error);
  if (code !== CORRUPT && code !== NOTADB) return undefined;
  return `The state is damaged (${(error as Error).message}): stop the product and restore its folder from a backup.`;
}

const NO_ROOM = 'The disk is full; try again when the operator has freed space.';

const WORDS: Record<number, string> = {
  [BUSY]: 'Another process holds the state; try again shortly.',
  [READONLY]: 'The state cannot be written; try again when the operator has fixed it.',
  [IOERR]: 'The disk rejected a write; try again when the operator has checked it.',
  [FULL]: NO_ROOM,
  [CANTOPEN]: 'The state cannot be opened; try again when the operator has fixed it.',
};

/** Faults while the product runs: transient or for the operator to fix, and nothing was written. */
function stateFault(cause: unknown): unknown {
  if (isNoRoom(cause)) return noRoom(cause);
  const isBroken = (cause as NodeJS.ErrnoException).code === 'EIO';
  const words = WORDS[isBroken ? IOERR : (primaryCodeOf(cause) ?? 0)];
  return words === undefined ? cause : new Problem('busy', words, { cause });
}

const NO_ROOM_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const isNoRoom = (error: unknown): boolean => NO_ROOM_CODES.has((error as NodeJS.ErrnoException).code ?? '');

const noRoom = (cause: unknown): Problem => new Problem('busy', NO_ROOM, { cause });

const START_CODES = new Set([...NO_ROOM_CODES, 'EROFS', 'EACCES', 'EPERM', 'EIO']);
const NAMES: Record<number, string> = {
  [READONLY]: 'read-only',
  [IOERR]: 'EIO',
  [FULL]: 'ENOSPC',
  [CANTOPEN]: 'EACCES',
};

/** Faults at the start: one line with a remedy in place of a stack trace. */
export function startFault(folder: string, error: unknown): unknown {
  const cause = isProblem(error, 'busy') ? error.cause : error;
  if (isProblem(cause)) return cause;
  const damage = damageIn(cause);
  if (damage !== undefined) return new Problem('badSetting', damage, { cause });
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason = NAMES[primaryCodeOf(cause) ?? 0] ?? (code !== undefined && START_CODES.has(code) ? code : undefined);
  if (reason === undefined) return error;
  const remedy =
    reason === 'ENOSPC' || NO_ROOM_CODES.has(reason) ? 'free some space there' : 'make it a folder you can write';
  const words = `${folder} cannot be written (${reason}): ${remedy}, or set ERRAND_STATE to another one.`;
  return new Problem('badSetting', words, { cause });
}

/** A new file is durable only when its folder is synced too. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** A handler for `catch`: returns the value if the file does not exist, and rethrows other errors. */
const absentAs =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };

/** A file is complete and on disk before it gets its name, so that readers never see a part of it. */
type Writing = { folder: string; body: Bytes; maxBytes: number };

/** Calls `placeFor` for the final path when the bytes are on disk. Returns their number. */
async function writeWhole({ folder, ...writing }: Writing, placeFor: () => Promise<string>): Promise<number> {
  const partial = join(partialFolder(folder), randomUUID());
  await mkdir(dirname(partial), { recursive: true, mode: 0o700 });
  try {
    const size = await write(partial, writing);
    await moveIntoPlace(folder, partial, await placeFor());
    return size;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function moveIntoPlace(folder: string, partial: string, place: string): Promise<void> {
  const parent = dirname(place);
  const created = await mkdir(parent, { recursive: true, mode: 0o700 });
  await rename(partial, place);
  await syncFolder(parent);
  if (created === undefined) return;
  await syncFolder(dirname(parent));
  await syncFolder(folder);
}

async function write(partial: string, { body, maxBytes }: Omit<Writing, 'folder'>): Promise<number> {
  let size = 0;
  async function* countBytes(): Bytes {
    for await (const chunk of withGarbageCollection(body)) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new Problem('tooLarge', `There are more than ${maxBytes} bytes.`);
      yield chunk;
    }
  }
  const handle = await open(partial, 'wx', 0o600);
  try {
    await writeFile(handle, countBytes());
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

/**
 * Buffers are allocated outside V8's heap and freed by a collection of its young generation, which a stream alone does
 * not trigger: 200 MB moved through up to 130 MB of dead buffers. Without `--expose-gc` they stay until V8 collects by
 * itself.
 */
async function* withGarbageCollection(body: Bytes): Bytes {
  let passed = 0;
  for await (const chunk of body) {
    passed += chunk.byteLength;
    yield chunk;
    if (passed < EVERY_BYTES) continue;
    passed = 0;
    globalThis.gc?.({ type: 'minor' });
  }
}

/** On the same file system as the blobs, so that a rename is atomic. */
const partialFolder = (folder: string): string => join(folder, 'partial');

const EVERY_BYTES = 8_388_608;

/** Writes of files that are atomic and survive a power failure. */
export const durableFiles = { syncFolder, absentAs, writeWhole, clearing: withGarbageCollection, partialFolder };

/** Translates errors of the disk and the database into problems. */
export const diskFault = { isBusy, toProblem: stateFault, isNoRoom, noRoom };
