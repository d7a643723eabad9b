/** What SQLite and the file system say of a state that cannot be written, in words for whoever waits or starts. */
import { isProblem, Problem } from '../shared/core/problem.ts';

/** SQLite's primary result codes. */
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const CANTOPEN = 14;

const primaryOf = (error: unknown): number | undefined => {
  const code = (error as { errcode?: number } | undefined)?.errcode;
  return code === undefined ? undefined : code & 0xff;
};

export const isBusy = (error: unknown): boolean => primaryOf(error) === BUSY;

const CORRUPT = 11;
const NOTADB = 26;

/** What no remedy but a backup mends. */
export function damageIn(error: unknown): string | undefined {
  const code = primaryOf(error);
  if (code !== CORRUPT && code !== NOTADB) return undefined;
  return `The state is damaged (${(error as Error).message}): stop the product and restore its folder from a backup.`;
}

const NO_ROOM = 'No room is left on the disk; try again when the operator has made some.';

const WORDS: Record<number, string> = {
  [BUSY]: 'Another process holds the state; try again shortly.',
  [READONLY]: 'The state cannot be written; try again when the operator has mended that.',
  [IOERR]: 'The disk did not take what was to be written; try again when the operator has looked at it.',
  [FULL]: NO_ROOM,
  [CANTOPEN]: 'The state cannot be opened; try again when the operator has mended that.',
};

/** While the product runs: it passes, or the operator makes it pass, and nothing was written. */
export function stateFault(cause: unknown): unknown {
  if (isNoRoom(cause)) return noRoom(cause);
  const isBroken = (cause as NodeJS.ErrnoException).code === 'EIO';
  const words = WORDS[isBroken ? IOERR : (primaryOf(cause) ?? 0)];
  return words === undefined ? cause : new Problem('busy', words, { cause });
}

const NO_ROOM_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

export const isNoRoom = (error: unknown): boolean => NO_ROOM_CODES.has((error as NodeJS.ErrnoException).code ?? '');

export const noRoom = (cause: unknown): Problem => new Problem('busy', NO_ROOM, { cause });

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
    reason === 'ENOSPC' || NO_ROOM_CODES.has(reason) ? 'make room there' : 'make it a folder you can write';
  const words = `${folder} cannot be written (${reason}): ${remedy}, or set ERRAND_STATE to another one.`;
  return new Problem('badSetting', words, { cause });
}
