/** The console's files, built anew when its sources have changed: by a process of its own, so that the product stays small. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');
const BUILT = join(ROOT, '.cache/console');
const SOURCES = [
  'console/*.*',
  'console/*/**',
  'client/src/**/*.ts',
  'scripts/console.ts',
  'scripts/console/*.ts',
  'package-lock.json',
];

/** Whoever changes a source and looks sees it; the files of one page are asked for within a moment. */
const LOOK_MS = 2_000;

const underway = new Map<string, Promise<string>>();
let newest: { folder: Promise<string>; lookedAt: number } | undefined;

/** The folder that holds them. */
export function builtConsole(now = performance.now()): Promise<string> {
  if (!newest || now - newest.lookedAt > LOOK_MS) newest = { folder: look(), lookedAt: now };
  newest.folder.catch(() => {
    newest = undefined;
  });
  return newest.folder;
}

function look(): Promise<string> {
  const key = keyOf(globSync(SOURCES, { cwd: ROOT }).sort());
  const begun = underway.get(key) ?? build(join(BUILT, key)).finally(() => underway.delete(key));
  underway.set(key, begun);
  return begun;
}

/** What was built from the same files lies under the same name. */
function keyOf(files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file}\n${size}\n${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

async function build(folder: string): Promise<string> {
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/console.ts'), partial]);
    // Another product of the same sources may have been faster.
    await rename(partial, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } catch (cause) {
    throw new Error(`The console could not be built: ${(cause as Error).message}`, { cause });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  await sweep(folder);
  return folder;
}

const KEPT_MS = 3_600_000;

/** Another product may still serve what it built a moment ago. */
async function sweep(newestChange: string): Promise<void> {
  const old = readdirSync(BUILT).map((name) => join(BUILT, name));
  for (const folder of old) {
    if (folder !== newestChange && Date.now() - statSync(folder).mtimeMs > KEPT_MS)
      await rm(folder, { recursive: true, force: true });
  }
}
