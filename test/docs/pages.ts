/** Reads the Markdown pages of the repository: their headings, anchors and relative links. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The documents below test/ are samples. */
const isPage = (file: string): boolean => !file.startsWith('test/');

const listed = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

export const pages = (...patterns: string[]): string[] =>
  listed(...(patterns.length > 0 ? patterns : ['*.md'])).filter(isPage);

/** The text of a page without its code blocks. */
const proseOf = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '');

export const headingsIn = (text: string): string[] =>
  [...proseOf(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);

/** The anchors that GitHub gives to headings, and those that a page sets itself. */
export function anchorsIn(text: string): Set<string> {
  const own = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  const counts = new Map<string, number>();
  const slugs = headingsIn(text).map((heading) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set([...own, ...slugs]);
}

export type PageLink = { path: string; anchor: string };

/** The relative links and images of a page, with paths from the repository's root. */
export function linksIn(file: string, text: string): PageLink[] {
  const prose = proseOf(text).replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(([, link, image]) => link ?? image ?? '');
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { path: path === '' ? file : join(dirname(file), path), anchor };
    });
}

export const textOf = (file: string): string => readFileSync(file, 'utf8');
