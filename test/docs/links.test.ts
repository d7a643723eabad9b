/** Every relative link and anchor of the documents resolves, and so do the paths of documents that code names. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { anchorsIn, linksIn, type PageLink, pages, textOf } from './pages.ts';

const resolves = ({ path, anchor }: PageLink): boolean =>
  existsSync(path) && (anchor === '' || anchorsIn(textOf(path)).has(anchor));

const linkText = ({ path, anchor }: PageLink): string => (anchor ? `${path}#${anchor}` : path);

it.each(pages())('%s has no broken link', (file) => {
  const broken = linksIn(file, textOf(file)).filter((link) => !resolves(link));
  expect(broken.map(linkText)).toEqual([]);
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
  expect(links.filter((link) => !resolves(link)).map(linkText)).toEqual([]);
});

const FOLDERS = new Set(
  execFileSync('git', ['ls-tree', '-d', '--name-only', 'HEAD'], { encoding: 'utf8' }).trim().split('\n'),
);

/** Paths in code spans that begin with a folder of the repository, and scripts behind `npm run`. */
function missingIn(text: string): string[] {
  const spans = [...text.matchAll(/`([\w.-]+\/[\w./*…-]*)`/g)].map(([, path = '']) => path.replaceAll('…', '*'));
  const paths = spans.filter((path) => FOLDERS.has(path.split('/')[0] ?? ''));
  const commands = [...text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name);
  return [
    ...paths.filter((path) => globSync(path).length === 0),
    ...commands.filter((name) => !Object.hasOwn(packageJson.scripts, name)),
  ];
}

/** Decisions and the change log may name former files. */
it.each(pages().filter((page) => !/^(docs\/adr\/|CHANGELOG)/.test(page)))('%s names only what exists', (file) => {
  expect(missingIn(textOf(file))).toEqual([]);
});

it('finds a path and a command that do not exist', () => {
  const text = 'Read `shared/core/ids.ts`, `shared/core/gone.ts`, run `npm run check` and `npm run gone`.';
  expect(missingIn(text)).toEqual(['shared/core/gone.ts', 'gone']);
});

it('finds a link to a missing file and to a missing heading', () => {
  const links = linksIn('README.md', 'See [a](missing.md), [b](#nowhere), [c](README.md#errand).');
  expect(links.filter((link) => !resolves(link)).map(linkText)).toEqual(['missing.md', 'README.md#nowhere']);
});
