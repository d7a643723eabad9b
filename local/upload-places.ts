/**
 * Where uploads lie on one machine: in a folder of their hour, whose names tell the rest of the key, so that they can be
 * listed. They are spread in it, because whoever looks for a version reads the folder it lies in.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ARRIVALS } from '../shared/core/blobs.ts';
import { absentAs } from './durable.ts';

/** Others, such as those of the release before, lie where all blobs do. */
const KEY = new RegExp(String.raw`^${ARRIVALS}(\d{4}-\d\d-\d\dT\d\d)/([a-z0-9-]+)/([a-z0-9-]+)$`);
const HOUR = /^\d{4}-\d\d-\d\dT\d\d$/;
/** Behind the point comes the version. */
const NAME = /^([a-z0-9-]+)_([a-z0-9-]+)\./;

export function uploadPlace(folder: string, key: string, hash: string): string | undefined {
  const [, hour, organization, fileId] = KEY.exec(key) ?? [];
  return hour === undefined ? undefined : join(folder, hour, hash.slice(0, 1), `${organization}_${fileId}`);
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(absentAs<string[]>([]));

export const hoursIn = async (folder: string): Promise<string[]> =>
  (await namesIn(folder)).filter((name) => HOUR.test(name));

/** The keys that begin so, in their order. */
export async function uploadsIn(folder: string, prefix: string): Promise<string[]> {
  const keys = new Set<string>();
  for (const hour of await hoursIn(folder)) {
    const start = `${ARRIVALS}${hour}/`;
    if (!start.startsWith(prefix) && !prefix.startsWith(start)) continue;
    for (const name of await spreadNames(join(folder, hour))) {
      const [, organization, fileId] = NAME.exec(name) ?? [];
      if (organization !== undefined) keys.add(`${start}${organization}/${fileId}`);
    }
  }
  return [...keys].filter((key) => key.startsWith(prefix)).sort();
}

async function spreadNames(hour: string): Promise<string[]> {
  const names = await Promise.all((await namesIn(hour)).map((spread) => namesIn(join(hour, spread))));
  return names.flat();
}
