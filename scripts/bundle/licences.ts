/** The licence texts of the packages whose code is in the bundles, as one file beside them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const LICENCES = 'third-party-licenses.txt';

/** `inputs`: the files of the bundles, relative to the root of the repository. */
export function putLicences(inputs: Iterable<string>, root: string, into: string): void {
  const packages = new Set([...inputs].flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...packages].sort().map((folder) => licenceOf(join(root, folder)));
  writeFileSync(join(into, LICENCES), [...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`));
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version}: ${license}`, ...texts].join('\n\n').concat('\n');
}
