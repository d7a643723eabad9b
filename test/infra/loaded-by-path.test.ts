/** Files that are loaded by path, where no import fails when a file moves. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { fontFilesFromCheckout, readerFilesFromCheckout } from '../../engines/assets/checkout-files.ts';
import { DATA, PROGRAMS } from '../../scripts/loaded-by-path.ts';

const LISTED = [...PROGRAMS, ...DATA];
const PRODUCT = globSync('{adapters,agents,bin,engines,functions,infra,shared}/**/*.{ts,js}');
const IMPORT = /(?:from|import)\s*\(?\s*'[^']+'/g;

/** Literals with a path from the root, and those of `new URL(…, import.meta.url)`. Paths of documents are excluded, as they are for people. */
function namedIn(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(IMPORT, '');
  const relative = [...text.matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)];
  const literals = [...text.matchAll(/'([\w@.-]+(?:\/[\w@.-]+)+)'/g)];
  return [
    ...relative.map(([, path = '']) => normalize(join(dirname(file), path))),
    ...literals
      .map(([, path = '']) => path)
      .filter((path) => !path.endsWith('.md') && existsSync(path) && statSync(path).isFile()),
  ];
}

it.each(LISTED)('finds $path in the checkout, where $by names it', ({ path, by }) => {
  expect(existsSync(path)).toBe(true);
  expect(readFileSync(by, 'utf8')).toContain(basename(path));
});

it('lists every file that the product names by its path', () => {
  const listed = new Set(LISTED.map(({ path }) => path));
  const found = PRODUCT.flatMap((file) => namedIn(file).map((path) => ({ file, path })));
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(({ path }) => !listed.has(path))).toEqual([]);
});

it('lists the files that one machine passes to its threads, reports and charts', () => {
  const { workerFile, rulesFile, assets } = readerFilesFromCheckout();
  const files = [workerFile, rulesFile, ...Object.values(assets), ...Object.values(fontFilesFromCheckout())];
  const listed = LISTED.map(({ path }) => normalize(join(process.cwd(), path)));
  expect(files.filter((file) => !listed.includes(file))).toEqual([]);
});
