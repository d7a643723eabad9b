/** The documentation as a static site: every link leads somewhere, and the search finds what people look for. */
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { buildDocsSite } from '../../scripts/docs-site/build.ts';
import { renderPage } from '../../scripts/docs-site/markdown.ts';
import { pages } from './pages.ts';

const site = buildDocsSite();
const html = [...site].flatMap(([path, content]) => (path.endsWith('.html') ? [[path, String(content)] as const] : []));

it('has a page for each page of docs/', () => {
  expect(html.length).toBe(pages('docs/*.md').length + 5);
});

it('has no link, picture or script that leads nowhere', () => {
  const broken = html.flatMap(([path, text]) =>
    [...text.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, url = '']) => {
      if (/^(https?:|mailto:)/.test(url)) return [];
      const [file = '', anchor] = url.split('#');
      const target = file === '' ? path : posix.join(posix.dirname(path), file);
      const content = site.get(target);
      const isThere = content !== undefined && (anchor === undefined || String(content).includes(`id="${anchor}"`));
      return isThere ? [] : [`${path}: ${url}`];
    }),
  );
  expect(broken).toEqual([]);
});

it('finds by a word in a heading what people search for', () => {
  const index: [string, string, string, string][] = JSON.parse(String(site.get('search.json')));
  const words = ['idempotency', 'health check', 'verify signature', 'retries', 'default', 'rate limit', 'timeout'];
  for (const word of [...words, 'pagination', 'SSO', 'cancel', 'which API'])
    expect(index.some(([, heading]) => heading.toLowerCase().includes(word.toLowerCase()))).toBe(true);
});

it('shows text as text: nothing of a page becomes a script', () => {
  const { html: shown } = renderPage(
    '# A <b>\n\n`<script>`\n\n```sh call\n<script>x</script>\n```\n',
    'page.md',
    () => '',
  );
  expect(shown).not.toContain('<script>');
  expect(shown).toContain('&lt;script&gt;x&lt;/script&gt;');
});
