/** Removes blobs that no row refers to any more, as lifecycle rules do on AWS. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../../shared/core/time.ts';
import type { Clock } from '../../shared/ports.ts';
import { durableFiles } from './state-folder.ts';
import { hoursIn, namesIn } from './upload-folders.ts';

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

const DELETED_AFTER_MS = DAY_MS;

/** Removes partial files that a crash left and returns their number. A write in progress has touched its file within the day. */
export async function clearPartialBlobs({ folder, clock }: { folder: string; clock: Clock }): Promise<number> {
  const partials = durableFiles.partialFolder(folder);
  let removed = 0;
  for (const name of await readdir(partials).catch(durableFiles.absentAs<string[]>([]))) {
    const stats = await stat(join(partials, name)).catch(durableFiles.absentAs(undefined));
    if (stats === undefined || clock.now() - stats.mtimeMs < DELETED_AFTER_MS) continue;
    await rm(join(partials, name), { force: true });
    removed++;
  }
  return removed;
}
