/**
 * The layout of uploads: one folder for each hour, with file names that contain the rest of the key, so that uploads
 * can be listed. Subfolders keep each folder small, because looking for a version reads its folder.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ARRIVALS, versionOfBlob } from '../../shared/core/blobs.ts';
import { durableFiles } from './state-folder.ts';
import { VERSION_FORM } from './upload-versions.ts';

const KEY = new RegExp(String.raw`^${ARRIVALS}(\d{4}-\d\d-\d\dT\d\d)/([a-z0-9-]+)/([a-z0-9-]+)$`);
const HOUR = /^\d{4}-\d\d-\d\dT\d\d$/;
const NAME = new RegExp(`^([a-z0-9-]+)_([a-z0-9-]+)\\.(${VERSION_FORM})`);

export function uploadPlace(folder: string, key: string, hash: string): string | undefined {
  const [, hour, organization, fileId] = KEY.exec(key) ?? [];
  return hour === undefined ? undefined : join(folder, hour, hash.slice(0, 1), `${organization}_${fileId}`);
}

export const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch(durableFiles.absentAs<string[]>([]));

export const hoursIn = async (folder: string): Promise<string[]> =>
  (await namesIn(folder)).filter((name) => HOUR.test(name));

/** The versions of keys with this prefix, ordered by key. */
export async function uploadsIn(folder: string, prefix: string): Promise<string[]> {
  const versions = new Set<string>();
  for (const hour of await hoursIn(folder)) {
    const start = `${ARRIVALS}${hour}/`;
    if (!start.startsWith(prefix) && !prefix.startsWith(start)) continue;
    for (const name of await spreadNames(join(folder, hour))) {
      const [, organization, fileId, version] = NAME.exec(name) ?? [];
      if (version !== undefined) versions.add(versionOfBlob(`${start}${organization}/${fileId}`, version));
    }
  }
  return [...versions].filter((at) => at.startsWith(prefix)).sort();
}

async function spreadNames(hour: string): Promise<string[]> {
  const names = await Promise.all((await namesIn(hour)).map((spread) => namesIn(join(hour, spread))));
  return names.flat();
}
