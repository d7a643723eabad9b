/** The documentation as a static site: every link leads somewhere, and text stays text. */
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

it('shows text as text: nothing of a page becomes a script', () => {
  const { html: shown } = renderPage(
    '# A <b>\n\n`<script>`\n\n```sh call\n<script>x</script>\n```\n',
    'page.md',
    () => '',
  );
  expect(shown).not.toContain('<script>');
  expect(shown).toContain('&lt;script&gt;x&lt;/script&gt;');
});

it('shows no comment of a page, and reads from it what else people search for', () => {
  const markdown = '# Users\n\n<!-- search: invite, colleague -->\n\nA `user` logs in.\n\n- one\n- two\n';
  const { html: shown, sections } = renderPage(markdown, 'page.md', () => '');
  expect(shown).not.toContain('invite');
  expect(sections).toEqual([
    { heading: 'Users', id: 'users', keywords: 'invite, colleague', blocks: ['A user logs in.', 'one', 'two'] },
  ]);
});
