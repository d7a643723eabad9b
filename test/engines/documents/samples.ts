/** The samples, each with the text it was made from: `lease-contract.libreoffice.doc` from `sources/lease-contract.md`. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'samples');
const SOURCES = join(FOLDER, 'sources');

export type Sample = { file: string; type: string; source: string; bytes(): Buffer; words(): string };

const sources = new Map(readdirSync(SOURCES).map((name) => [name.replace(/\.[^.]+$/, ''), name]));

export const samples: Sample[] = readdirSync(FOLDER, { withFileTypes: true })
  .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  .sort()
  .map((file) => {
    const [source = ''] = file.split('.');
    return {
      file,
      type: extname(file).slice(1),
      source,
      bytes: () => readFileSync(join(FOLDER, file)),
      words: () => readFileSync(join(SOURCES, sources.get(source) ?? ''), 'utf8'),
    };
  });

/** A scan that is packed as JPEG 2000. */
export const unread = () => readFileSync(join(FOLDER, 'unread', 'meter-reading.jpeg2000.pdf'));

/** Each behind the password `secret`. */
export const locked = readdirSync(join(FOLDER, 'locked')).map((file) => ({
  file,
  bytes: () => readFileSync(join(FOLDER, 'locked', file)),
}));

export function sample(file: string): Sample {
  const found = samples.find((one) => one.file === file);
  if (!found) throw new Error(`There is no sample ${file}.`);
  return found;
}
