/** Escapes text for GitHub flavoured Markdown, so that it is shown literally. */
import { withoutInvisible } from './invisible-characters.ts';

const MARKDOWN_SIGNS = /[\\`*_[\]|~$^]/g;
/** Characters that would start a heading, a list, a quote or a rule at the start of a line. */
const LINE_START = /^(\s*)([#+=:-]|\d{1,9}(?=[.)](?:\s|$)))/;
/** A zero-width character that keeps a renderer from recognizing a URL. */
const JOINER = '\u2060';

/** Escapes a part of a line; `toMarkdownLine` has to be applied to the whole line. */
export const toMarkdownInline = (text: string): string =>
  withoutInvisible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(MARKDOWN_SIGNS, '\\$&');

/** Escapes a line made of escaped parts, which together could still form markup. */
export const toMarkdownLine = (line: string): string =>
  line
    .replaceAll(/:(?=\/)/g, `:${JOINER}`)
    .replaceAll(/www(?=\.)/gi, `$&${JOINER}`)
    .replaceAll(/@/g, `${JOINER}@`)
    .replaceAll(/(mailto|xmpp):/gi, `$1${JOINER}:`)
    .replace(LINE_START, (_, space: string, sign: string) =>
      /\d/.test(sign) ? `${space}${sign}\\` : `${space}\\${sign}`,
    );

export const toMarkdownText = (text: string): string => toMarkdownLine(toMarkdownInline(text));

/** Writes the target of a link. The caller has checked the URL; no character of it can end the link. */
export const toMarkdownTarget = (url: string): string =>
  `<${url.replaceAll(/[<>\\\s|]/g, (sign) => encodeURIComponent(sign))}>`;

/** Writes a table whose cells are already neutralized Markdown of one line each. */
export function toMarkdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  endAligned: number[] = [],
) {
  if (head.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell || ' ').join(' | ')} |`;
  const rule = head.map((_, column) => (endAligned.includes(column) ? '---:' : '---'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
