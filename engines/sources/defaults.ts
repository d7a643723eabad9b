/** The sources that a deployed product brings along: public ones, in one file beside the function that gathers. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResearchSource } from '../../shared/sources/source.ts';
import type { Bundled } from './bundled.ts';

export type Defaults = Record<string, ResearchSource>;

const FILE = 'sources.json';

export const defaultsFile = (folder: string): string => join(folder, FILE);

/** Read once, by the first who asks. */
export function publicDefaults(folder: string): Bundled {
  let read: Promise<Defaults> | undefined;
  return async (name) => {
    read ??= readFile(defaultsFile(folder), 'utf8').then((text) => JSON.parse(text) as Defaults);
    const defaults = await read;
    const source = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    return source && { source };
  };
}
