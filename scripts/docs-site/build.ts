/** Builds the documentation into a static site: the same pages as in docs/, with a navigation and a search. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { escapeHtml } from '../../shared/core/console.ts';
import { type RenderedPage, renderPage } from './markdown.ts';

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
  for (const name of ['site.css', 'site.js']) site.set(name, readFileSync(join(ASSETS, name), 'utf8'));
  site.set('search.json', JSON.stringify(searchIndex(pages)));
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

/** Title, heading, URL and text of every section. */
const searchIndex = (pages: Page[]) =>
  pages.flatMap(({ title, path, sections }) =>
    sections.map(({ heading, id, text }) => [title, heading, `${path}#${id}`, text.trim()] as const),
  );

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
<search><label>Search <input type="search" id="search" autocomplete="off" placeholder="Search, such as idempotency" aria-controls="found"></label><ol id="found" hidden></ol></search>
</header>
<nav aria-label="Pages"><details open><summary>Pages</summary><ul><li><a href="${root}tutorial.html"${path === 'tutorial.html' ? ' aria-current="page"' : ''}>Tutorial</a></li></ul>${groups.join('')}</details></nav>
<main id="content">${html}</main>
<aside aria-label="On this page">${contents.length > 1 ? `<h2>On this page</h2><ul>${contents.join('')}</ul>` : ''}</aside>
</body>
</html>
`;
}
