/** The folder that holds the state: created if missing, locked by one product, and written so that files survive a power cut. */

import { randomUUID } from 'node:crypto';
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import type { Bytes } from '../../shared/ports.ts';
import { checkOurs } from './database.ts';

/** The folder that holds the state: made when absent, refused when it cannot be written or is somebody else's. */
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
export function demandState(folder: string): void {
  const path = resolve(folder);
  if (existing(path).some((entry) => !entry.startsWith('lock.'))) return;
  throw new Problem('badSetting', `There is no state in ${path}: start the product once, or set ERRAND_STATE.`);
}

function existing(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : [path];
  }
}

/** What we create in the folder, the lock aside. */
const OURS = /^(blobs|mail|(demo|local|master)\.json.*|state\.db(-shm|-wal)?)$/;

/** Wipes the state, and nothing else that lies there. The caller holds the lock. */
export function resetState({ path, table }: StateFolder): void {
  checkOurs(table);
  // The table last: what is left of a reset that was cut off is still known for a state, and can be reset again.
  const entries = readdirSync(path).filter((entry) => OURS.test(entry) && entry !== STATE_FILE);
  for (const entry of [...entries, STATE_FILE]) rmSync(join(path, entry), { recursive: true, force: true });
  // An empty one, so that the folder stays ours also beside files that are not.
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

/** Lets one product run on one state folder. The lock dies with its process, however that ends. */
const BUSY = 5;

/** An exclusive transaction that is never ended: the operating system frees it, so nothing stale can be left behind. */
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

const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const CANTOPEN = 14;

const primaryOf = (error: unknown): number | undefined => {
  const code = (error as { errcode?: number } | undefined)?.errcode;
  return code === undefined ? undefined : code & 0xff;
};

const isBusy = (error: unknown): boolean => primaryOf(error) === BUSY;

const CORRUPT = 11;
const NOTADB = 26;

/** What no remedy but a backup mends. */
export function damageIn(error: unknown): string | undefined {
  const code = primaryOf(error);
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

/** While the product runs: it passes, or the operator makes it pass, and nothing was written. */
function stateFault(cause: unknown): unknown {
  if (isNoRoom(cause)) return noRoom(cause);
  const isBroken = (cause as NodeJS.ErrnoException).code === 'EIO';
  const words = WORDS[isBroken ? IOERR : (primaryOf(cause) ?? 0)];
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

/** At the start: one line with a remedy in place of a stack. */
export function startFault(folder: string, error: unknown): unknown {
  const cause = isProblem(error, 'busy') ? error.cause : error;
  if (isProblem(cause)) return cause;
  const damage = damageIn(cause);
  if (damage !== undefined) return new Problem('badSetting', damage, { cause });
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason = NAMES[primaryOf(cause) ?? 0] ?? (code !== undefined && START_CODES.has(code) ? code : undefined);
  if (reason === undefined) return error;
  const remedy =
    reason === 'ENOSPC' || NO_ROOM_CODES.has(reason) ? 'free some space there' : 'make it a folder you can write';
  const words = `${folder} cannot be written (${reason}): ${remedy}, or set ERRAND_STATE to another one.`;
  return new Problem('badSetting', words, { cause });
}

/** Writes that outlive a power cut: a new name in a folder is only safe once the folder itself is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** For a catch: that value when the file is not there; any other failure goes on. */
const absentAs =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };

/** Writes files that are never seen in part: complete and on the disk before they get their name. */
type Writing = { folder: string; body: Bytes; maxBytes: number };

/** `placeFor` is asked when the bytes are on the disk. Answers their length. */
async function writeWhole({ folder, ...writing }: Writing, placeFor: () => Promise<string>): Promise<number> {
  const partial = join(partialFolder(folder), randomUUID());
  await mkdir(dirname(partial), { recursive: true, mode: 0o700 });
  try {
    const size = await write(partial, writing);
    await settle(folder, partial, await placeFor());
    return size;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function settle(folder: string, partial: string, place: string): Promise<void> {
  const parent = dirname(place);
  const made = await mkdir(parent, { recursive: true, mode: 0o700 });
  await rename(partial, place);
  await syncFolder(parent);
  if (made === undefined) return;
  await syncFolder(dirname(parent));
  await syncFolder(folder);
}

async function write(partial: string, { body, maxBytes }: Omit<Writing, 'folder'>): Promise<number> {
  let size = 0;
  async function* counted(): Bytes {
    for await (const chunk of clearing(body)) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new Problem('tooLarge', `There are more than ${maxBytes} bytes.`);
      yield chunk;
    }
  }
  const handle = await open(partial, 'wx', 0o600);
  try {
    await writeFile(handle, counted());
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

/**
 * Bytes lie outside V8's heap and are freed when it clears its young generation, which a stream alone does not fill:
 * docs/adr/0007. Without `--expose-gc` they wait for that.
 */
async function* clearing(body: Bytes): Bytes {
  let passed = 0;
  for await (const chunk of body) {
    passed += chunk.byteLength;
    yield chunk;
    if (passed < EVERY_BYTES) continue;
    passed = 0;
    globalThis.gc?.({ type: 'minor' });
  }
}

/** In the same file system as the blobs, so that a rename is one step. */
const partialFolder = (folder: string): string => join(folder, 'partial');

/** Passes streamed bytes on, and has those that have passed forgotten before there are many. */
const EVERY_BYTES = 8_388_608;

/** Files that are never seen in part and survive a power cut. */
export const durableFiles = { syncFolder, absentAs, writeWhole, clearing, partialFolder };

/** What the disk or the database refuses, as problems of a call. */
export const diskFault = { isBusy, toProblem: stateFault, isNoRoom, noRoom };
