/** Writes the public sources of `assets/sources` as one file of JSON, so that no function has to know YAML. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { parse } from 'yaml';
import { type PublicSources, publicSourcesFile } from '../../engines/sources/bundled-sources.ts';
import { sourceSchema } from '../../shared/sources/source-schema.ts';

const folder = join(import.meta.dirname, '..', '..', 'assets', 'sources');
const ENDING = '.yaml';

export const publicSources = (): PublicSources =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((file) => file.endsWith(ENDING))
      .sort()
      .map((file) => {
        const name = basename(file, ENDING);
        return [name, { name, ...v.parse(sourceSchema, parse(readFileSync(join(folder, file), 'utf8'))) }];
      }),
  );

export const bundleSources = (into: string): void =>
  writeFileSync(publicSourcesFile(into), JSON.stringify(publicSources()));
