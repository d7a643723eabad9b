/** The sources that a deployed product brings along: public ones, in one file beside the function that gathers. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResearchSource } from '../../shared/sources/source.ts';
import type { FindBundledSource } from './bundled.ts';

export type PublicSources = Record<string, ResearchSource>;

const FILE = 'sources.json';

export const publicSourcesFile = (folder: string): string => join(folder, FILE);

/** Read once, by the first who asks. */
export function bundledPublicSources(folder: string): FindBundledSource {
  let read: Promise<PublicSources> | undefined;
  return async (name) => {
    read ??= readFile(publicSourcesFile(folder), 'utf8').then((text) => JSON.parse(text) as PublicSources);
    const sources = await read;
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    return source && { source };
  };
}
