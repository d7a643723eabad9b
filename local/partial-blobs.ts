/** Where blobs are written before they take their place, and how what a crash left there is cleared. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../shared/ports.ts';
import { absentAs } from './durable.ts';

const KEPT_MS = 86_400_000;

/** In the same file system as the blobs, so that a rename is one step. */
export const partialFolder = (folder: string): string => join(folder, 'partial');

/** Says how many it removed. Whoever still writes has touched its file within the day. */
export async function clearPartialBlobs({ folder, clock }: { folder: string; clock: Clock }): Promise<number> {
  const partials = partialFolder(folder);
  let removed = 0;
  for (const name of await readdir(partials).catch(absentAs<string[]>([]))) {
    const found = await stat(join(partials, name)).catch(absentAs(undefined));
    if (found === undefined || clock.now() - found.mtimeMs < KEPT_MS) continue;
    await rm(join(partials, name), { force: true });
    removed++;
  }
  return removed;
}
