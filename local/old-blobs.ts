/** Removes the bytes that no row can still name, as the bucket's own rules do in the cloud. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../shared/ports.ts';
import { absentAs } from './durable.ts';
import { hoursIn } from './upload-places.ts';

/** Longer than anything is kept. */
const OLD_BLOB_MS = 33 * 86_400_000;
/** Of the folders that blobs are spread over. */
const SPREAD = /^[0-9a-f]{2}$/;

/** Says how many it removed, an hour of uploads with its folders being one. */
export async function clearOldBlobs({ folder, clock }: { folder: string; clock: Clock }): Promise<number> {
  let removed = 0;
  for (const place of await spreadFolders(folder)) {
    for (const name of await namesIn(place)) {
      const found = await stat(join(place, name)).catch(absentAs(undefined));
      if (found === undefined || clock.now() - found.mtimeMs < OLD_BLOB_MS) continue;
      await rm(join(place, name), { force: true });
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

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(absentAs<string[]>([]));

async function spreadFolders(folder: string): Promise<string[]> {
  const firsts = (await namesIn(folder)).filter((name) => SPREAD.test(name));
  const seconds = await Promise.all(
    firsts.map(async (first) => (await namesIn(join(folder, first))).map((second) => join(folder, first, second))),
  );
  return seconds.flat();
}
