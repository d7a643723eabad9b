/** Every relative link and anchor of the documents resolves, and so do the paths of documents that code names. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { anchorsIn, linksIn, type PageLink, pages, textOf } from './pages.ts';

const resolves = ({ path, anchor }: PageLink): boolean =>
  existsSync(path) && (anchor === '' || anchorsIn(textOf(path)).has(anchor));

const shown = ({ path, anchor }: PageLink): string => (anchor ? `${path}#${anchor}` : path);

it.each(pages())('%s has no broken link', (file) => {
  const broken = linksIn(file, textOf(file)).filter((link) => !resolves(link));
  expect(broken.map(shown)).toEqual([]);
});

it('has no broken path of a document in code, messages and workflows', () => {
  const patterns = ['*.ts', '*.tsx', '*.yml', '*.sh', '.ci/run'];
  const found = execFileSync('git', ['grep', '-ohE', 'docs/[a-z/-]+\\.md(#[a-z-]+)?', '--', ...patterns], {
    encoding: 'utf8',
  });
  const links = [...new Set(found.trim().split('\n'))].map((target) => {
    const [path = '', anchor = ''] = target.split('#');
    return { path, anchor };
  });
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !resolves(link)).map(shown)).toEqual([]);
});

it('finds a link to a missing file and to a missing heading', () => {
  const links = linksIn('README.md', 'See [a](missing.md), [b](#nowhere), [c](README.md#errand).');
  expect(links.filter((link) => !resolves(link)).map(shown)).toEqual(['missing.md', 'README.md#nowhere']);
});
