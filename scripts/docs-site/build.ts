/** Builds the documentation into a static site: the same pages as in docs/, with a navigation and a search. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { escapeHtml } from '../../shared/core/console-page.ts';
import { type RenderedPage, renderPage } from './markdown.ts';
import type { SearchedSection } from './search.ts';

const ROOT = join(import.meta.dirname, '../..');
const ASSETS = join(ROOT, 'assets/docs-site');
const INDEX = 'docs/README.md';
/** Pages outside docs/ that its pages link to. */
const PROJECT = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'client/README.md'];
const PICTURE = /\.(png|svg)$/;

/** By its path in the site. */
export type SiteFiles = Map<string, string | Uint8Array>;
type Page = RenderedPage & { file: string; path: string };
type NavigationGroup = { title: string; entries: { title: string; path: string }[] };

export function buildDocsSite(): SiteFiles {
  const files = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  const sources = [...files.filter((file) => file.endsWith('.md')), ...PROJECT].sort();
  const pictures = files.filter((file) => PICTURE.test(file));
  const paths = new Map([...sources, ...pictures].map((file) => [file, pathOf(file)]));
  const pages = sources.map((file): Page => {
    const path = pathOf(file);
    const urlOf = (target: string) => relativeUrl(path, paths.get(target) ?? paths.get(`${target}/README.md`));
    return { ...renderPage(readFileSync(join(ROOT, file), 'utf8'), file, urlOf), file, path };
  });
  const navigation = navigationIn(readFileSync(join(ROOT, INDEX), 'utf8'));
  const site: SiteFiles = new Map(pages.map((page) => [page.path, wholePage(page, navigation)]));
  for (const file of pictures) site.set(pathOf(file), readFileSync(join(ROOT, file)));
  site.set('site.css', readFileSync(join(ASSETS, 'site.css'), 'utf8'));
  site.set('site.js', bundledScript(join(ASSETS, 'site.js')));
  site.set('search.json', JSON.stringify(searchedSections(pages)));
  return site;
}

export function putDocsSite(site: SiteFiles, folder: string): void {
  for (const [path, content] of site) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** `docs/guides/files.md` becomes `guides/files.html`, a README the index of its folder. */
function pathOf(file: string): string {
  const inSite = file.startsWith('docs/') ? file.slice('docs/'.length) : `project/${file}`;
  return inSite
    .replace(/(^|\/)README\.md$/, '$1index.html')
    .replace(/\.md$/, '.html')
    .toLowerCase();
}

function relativeUrl(from: string, to: string | undefined): string | undefined {
  if (to === undefined) return undefined;
  return '../'.repeat(from.split('/').length - 1) + to || '.';
}

/** The groups and links of the index are the navigation of every page. */
function navigationIn(index: string): NavigationGroup[] {
  return index.split(/^## /m).flatMap((part) => {
    const [title = ''] = part.split('\n');
    const entries = [...part.matchAll(/^- \[([^\]]+)\]\(([\w/.-]+\.md)\)/gm)].map(([, text = '', path = '']) => ({
      title: text,
      path: pathOf(`docs/${path}`),
    }));
    return entries.length > 0 ? [{ title: title.trim(), entries }] : [];
  });
}

/** The script of every page, with the search and its library. */
function bundledScript(path: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [path],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2022'],
    legalComments: 'none',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

const searchedSections = (pages: Page[]): SearchedSection[] =>
  pages.flatMap(({ title, path, file, sections }) =>
    sections.map(({ heading, id, keywords, blocks }) => ({
      page: title,
      heading,
      url: `${path}#${id}`,
      keywords,
      blocks,
      weight: weightOf(file),
    })),
  );

/** Readers want to do something: what tells them how counts more than what is measured, decided or changed. */
const WEIGHTS: Record<string, number> = {
  'docs/README.md': 0.4,
  'docs/glossary.md': 0.7,
  'docs/evidence/': 0.3,
  'docs/adr/': 0.1,
  'docs/': 1,
  'client/README.md': 0.7,
  'SECURITY.md': 0.5,
  'ARCHITECTURE.md': 0.3,
  'CONTRIBUTING.md': 0.2,
  'CHANGELOG.md': 0.05,
};

/** The weight of the first folder or file that the path begins with. */
const weightOf = (file: string): number =>
  Object.entries(WEIGHTS).find(([beginning]) => file.startsWith(beginning))?.[1] ?? 1;

function wholePage({ title, html, headings, path }: Page, navigation: NavigationGroup[]): string {
  const root = '../'.repeat(path.split('/').length - 1);
  const link = (entry: { title: string; path: string }) =>
    `<li><a href="${root}${entry.path}"${entry.path === path ? ' aria-current="page"' : ''}>${escapeHtml(entry.title)}</a></li>`;
  const groups = navigation.map(
    (group) => `<h2>${escapeHtml(group.title)}</h2><ul>${group.entries.map(link).join('')}</ul>`,
  );
  const contents = headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Errand</title>
<link rel="stylesheet" href="${root}site.css">
<script src="${root}site.js" defer></script>
<body data-root="${root}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="${root}index.html">Errand documentation</a>
<search><label>Search <input type="search" id="search" autocomplete="off" placeholder="Search, such as idempotency" aria-controls="found"></label>
<div id="found" hidden><p role="status"></p><ol></ol>
<p class="start">Start with the <a href="${root}tutorial.html">tutorial</a>, with <a href="${root}concepts/which-api.html">which API do I want?</a> or with the <a href="${root}index.html">list of all pages</a>.</p></div></search>
</header>
<nav aria-label="Pages"><details open><summary>Pages</summary><ul><li><a href="${root}tutorial.html"${path === 'tutorial.html' ? ' aria-current="page"' : ''}>Tutorial</a></li></ul>${groups.join('')}</details></nav>
<main id="content">${html}</main>
<aside aria-label="On this page">${contents.length > 1 ? `<h2>On this page</h2><ul>${contents.join('')}</ul>` : ''}</aside>
</body>
</html>
`;
}
