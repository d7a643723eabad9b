/** A folder that a script builds and rebuilds when its sources change, in a separate process so that the product stays small. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { HOUR_MS } from '../../shared/core/time.ts';

const ROOT = join(import.meta.dirname, '../..');
/** How long the sources count as unchanged: a change shows on the next reload, while the requests of one page share a check. */
const LOOK_MS = 2_000;
const DELETED_AFTER_MS = HOUR_MS;

/** `script` takes the folder as its argument; `sources` are patterns from the root of the repository. */
type BuiltFolder = { name: string; script: string; sources: readonly string[] };

/** Returns a function that resolves with the path of the folder. */
export function builtFolder({ name, script, sources }: BuiltFolder): (now?: number) => Promise<string> {
  const underway = new Map<string, Promise<string>>();
  let newest: { folder: Promise<string>; lookedAt: number } | undefined;

  function look(): Promise<string> {
    const folder = join(ROOT, '.cache', name, keyOf(globSync(sources, { cwd: ROOT }).sort()));
    const begun = underway.get(folder) ?? build(folder, { name, script }).finally(() => underway.delete(folder));
    underway.set(folder, begun);
    return begun;
  }

  return (now = performance.now()) => {
    if (!newest || now - newest.lookedAt > LOOK_MS) newest = { folder: look(), lookedAt: now };
    newest.folder.catch(() => {
      newest = undefined;
    });
    return newest.folder;
  };
}

/** The name of the folder: a hash of the sources. */
function keyOf(files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file}\n${size}\n${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

async function build(folder: string, { name, script }: Omit<BuiltFolder, 'sources'>): Promise<string> {
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, script), partial]);
    // Another process may have built the same sources first.
    await rename(partial, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } catch (cause) {
    throw new Error(`The ${name} could not be built: ${(cause as Error).message}`, { cause });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  await sweep(folder);
  return folder;
}

/** Keeps recent folders, because another process may still serve them. */
async function sweep(newest: string): Promise<void> {
  const folders = readdirSync(dirname(newest)).map((entry) => join(dirname(newest), entry));
  for (const folder of folders)
    if (folder !== newest && Date.now() - statSync(folder).mtimeMs > DELETED_AFTER_MS)
      await rm(folder, { recursive: true, force: true });
}
