/** The folder that holds the state: made when absent, refused when it cannot be written or is somebody else's. */
import { accessSync, constants, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Problem } from '../shared/core/problem.ts';
import { checkOurs } from './database.ts';

const STATE_FILE = 'state.db';

export type StateFolder = { path: string; table: string; blobs: string; master: string; mail: string };

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

/** What else is wrong with the folder is told by `stateFolder`. */
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

/** What we make in the folder, besides the lock. */
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
