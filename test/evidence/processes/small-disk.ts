/** A disk that fills up and is freed again: a small mounted one where possible, else a limit on the process's file size. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MEGABYTE = 1_048_576;
const SIZE_MEGABYTES = 48;
/** The space that is left when it is nearly full. */
const LEFT_BYTES = 768 * 1_024;

export type SmallDisk = {
  /** The method on this machine. */
  way: string;
  state: string;
  fill(pid: number): void;
  free(pid: number): void;
  remove(): void;
};

const run = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

export const mayMount = (at: string, ...options: string[]): boolean => run('mount', ...options, at);
export const unmount = (at: string): boolean => run('umount', '-l', at);

export function smallDisk(): SmallDisk {
  const folder = temporaryFolder();
  const at = join(folder.path, 'disk');
  const state = join(at, 'state');
  mkdirSync(at);
  return mayMount(at, '-t', 'tmpfs', '-o', `size=${SIZE_MEGABYTES}m,mode=700`, 'tmpfs')
    ? mounted(at, state, folder.remove)
    : limited(state, folder.remove);
}

function mounted(at: string, state: string, removeFolder: () => void): SmallDisk {
  const ballast = join(at, 'ballast');
  return {
    way: `a disk of ${SIZE_MEGABYTES} MB, mounted for it`,
    state,
    fill() {
      const { bavail, bsize } = statfsSync(at);
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - LEFT_BYTES)));
    },
    free: () => rmSync(ballast),
    remove() {
      unmount(at);
      removeFolder();
    },
  };
}

/** The limit applies to each file; a write beyond it fails with another error of the same kind. */
function limited(state: string, removeFolder: () => void): SmallDisk {
  const limit = (pid: number, bytes: number | 'unlimited'): void => {
    // A process that has ended has no limit.
    if (existsSync(`/proc/${pid}`)) execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  };
  const biggest = (): number => Math.max(...readdirSync(state).map((name) => statSync(join(state, name)).size));
  return {
    way: 'a limit on the size of files (prlimit), because nothing may be mounted here',
    state,
    fill: (pid) => limit(pid, Math.max(MEGABYTE, biggest()) + LEFT_BYTES),
    free: (pid) => limit(pid, 'unlimited'),
    remove: removeFolder,
  };
}
