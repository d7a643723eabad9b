/** The lines of a page as blocks: tables first, then headings, then lines that belong together as paragraphs. */
import type { MarkdownBlocks } from '../markdown/blocks.ts';
import type { HeadingLevelOf } from './heading-levels.ts';
import type { PdfLine } from './lines-of.ts';
import { tableAt } from './table-at.ts';

/** In parts of the size of the type. */
const PARAGRAPH_LEADING = 1.75;
const INDENT = 4;
const BULLET = /^[•▪◦‣●○■–\uf0b7]\s*(?=\S)/;

export function writePage(blocks: MarkdownBlocks, lines: readonly PdfLine[], levelOf: HeadingLevelOf): void {
  let at = 0;
  while (at < lines.length) {
    const table = tableAt(lines, at);
    if (table) {
      blocks.table(table.rows);
      at = table.next;
    } else at = writeParagraph(blocks, lines, at, levelOf);
  }
}

/** As many lines as make one heading or paragraph; answers where the next begins. */
function writeParagraph(
  blocks: MarkdownBlocks,
  lines: readonly PdfLine[],
  begin: number,
  levelOf: HeadingLevelOf,
): number {
  const first = lines[begin];
  if (!first) return begin + 1;
  const level = levelOf(first);
  let text = first.text;
  let last = first;
  let { left } = first;
  let at = begin + 1;
  for (let line = lines[at]; line; line = lines[++at]) {
    if (levelOf(line) !== level || !belongs(last, line, left) || begins(line) || tableAt(lines, at)) break;
    text = joinLine(text, line.text);
    left = Math.min(left, line.left);
    last = line;
  }
  if (first.mark !== undefined) blocks.item(text, 0, /\w/.test(first.mark) ? first.mark : '-');
  else if (level !== undefined) blocks.heading(text, level);
  else if (BULLET.test(text)) blocks.item(text.replace(BULLET, ''), 0);
  else blocks.paragraph(text);
  return at;
}

const begins = ({ mark, text }: PdfLine): boolean => mark !== undefined || BULLET.test(text);

/** `left` is where the paragraph's lines begin: a raised number may have cut one in two. */
function belongs(last: PdfLine, line: PdfLine, left: number): boolean {
  const down = last.base - line.base;
  const size = Math.max(last.size, line.size);
  if (Math.abs(down) < size / 2) return true;
  return down > 0 && down < PARAGRAPH_LEADING * size && Math.abs(line.left - left) < INDENT * size;
}

/** A word that was cut at the end of a line is whole again, unless it has other hyphens that are its own. */
function joinLine(text: string, next: string): string {
  const [, begin] = /(?:^|\s)(\S*\p{Ll})[-\u00ad\u2010]$/u.exec(text.slice(-60)) ?? [];
  if (begin !== undefined && /^\p{Ll}/u.test(next)) {
    return begin.includes('-') ? text + next : text.slice(0, -1) + next;
  }
  return `${text} ${next}`;
}
