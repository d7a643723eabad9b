/** The Markdown headings of a text. */

/** `level` is 1 for the outermost. */
type Heading = { level: number; text: string; start: number };

const HEADING = /^ {0,3}(?<marks>#{1,6})[ \t]+(?<text>\S[^\n]{0,400})/gm;
const LONGEST = 200;

const headingsCache = new WeakMap<object, Heading[]>();

export function headingsIn(part: { readonly text: string }): Heading[] {
  const cached = headingsCache.get(part);
  if (cached) return cached;
  const headings = Array.from(part.text.matchAll(HEADING), ({ groups, index }) => ({
    level: groups?.marks?.length ?? 1,
    text: plainLine(groups?.text ?? ''),
    start: index,
  })).filter(({ text }) => text !== '');
  headingsCache.set(part, headings);
  return headings;
}

/** A line without its marks of Markdown. */
export const plainLine = (line: string): string =>
  line
    .replace(/^[\s#>]+/, '')
    .replaceAll(/[*`]+/g, '')
    .replace(/ #+ *$/, '')
    .trim()
    .slice(0, LONGEST);
