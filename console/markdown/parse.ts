/** Markdown as a tree of plain nodes: the part that answers and reports use. HTML in it stays text. */
import { type Inline, inlinesOf, type References } from './inlines.ts';

export type Block =
  | { kind: 'heading'; level: number; content: Inline[] }
  | { kind: 'paragraph'; content: Inline[] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; isOrdered: boolean; start: number; items: Block[][] }
  | { kind: 'code'; text: string }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' };

/** Deeper nesting is nobody's wish: it stays text. */
const MOST_DEPTH = 8;
const FENCE = /^ {0,3}(```+|~~~+)/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])[ \t]+(?=\S)/;
const DEFINITION = /^ {0,3}\[([^\]]+)\]:[ \t]*<?([^\s>]+)>?(?:[ \t]+["'(].*["')])?[ \t]*$/;
const TABLE_LINE = /^[ \t|:-]+$/;

export function parse(text: string): Block[] {
  const references: References = new Map();
  const lines = text.split(/\r\n?|\n/).filter((line) => {
    const found = DEFINITION.exec(line);
    if (found?.[1] && found[2]) references.set(found[1].toLowerCase(), found[2]);
    return !found;
  });
  return blocksOf(lines, references, 0);
}

function blocksOf(lines: string[], references: References, depth: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    if ((lines[at] ?? '').trim() === '') {
      at++;
      continue;
    }
    const [block, used] = blockAt(lines.slice(at), references, depth);
    blocks.push(block);
    at += used;
  }
  return blocks;
}

type Read = [block: Block, usedLines: number];

function blockAt(lines: string[], references: References, depth: number): Read {
  const [line = '', second = ''] = lines;
  const fence = FENCE.exec(line)?.[1];
  if (fence) return codeIn(lines, fence);
  const [, marks, title = ''] = HEADING.exec(line) ?? [];
  if (marks)
    return [
      { kind: 'heading', level: marks.length, content: inlinesOf(title.trim().replace(/(^|\s)#+$/, ''), references) },
      1,
    ];
  if (RULE.test(line)) return [{ kind: 'rule' }, 1];
  if (depth < MOST_DEPTH && QUOTE.test(line)) return quoteIn(lines, references, depth);
  if (depth < MOST_DEPTH && ITEM.test(line)) return listIn(lines, references, depth);
  if (line.includes('|') && TABLE_LINE.test(second) && second.includes('-')) return tableIn(lines, references);
  return paragraphIn(lines, references);
}

function codeIn(lines: string[], fence: string): Read {
  const end = lines.findIndex((line, index) => index > 0 && line.trim().startsWith(fence));
  const last = end < 0 ? lines.length : end;
  return [{ kind: 'code', text: lines.slice(1, last).join('\n') }, end < 0 ? last : last + 1];
}

function quoteIn(lines: string[], references: References, depth: number): Read {
  const end = lines.findIndex((line) => !QUOTE.test(line));
  const inside = lines.slice(0, end < 0 ? lines.length : end);
  return [
    {
      kind: 'quote',
      blocks: blocksOf(
        inside.map((line) => line.replace(QUOTE, '')),
        references,
        depth + 1,
      ),
    },
    inside.length,
  ];
}

const isOrdered = (mark: string): boolean => /\d/.test(mark);

function listIn(lines: string[], references: References, depth: number): Read {
  const mark = ITEM.exec(lines[0] ?? '')?.[2] ?? '-';
  const [items, used] = itemsIn(lines, isOrdered(mark));
  const inside = items.map((item) => blocksOf(item, references, depth + 1));
  const start = isOrdered(mark) ? Number.parseInt(mark, 10) : 1;
  return [{ kind: 'list', isOrdered: isOrdered(mark), start, items: inside }, used];
}

function itemsIn(lines: string[], ordered: boolean): [items: string[][], usedLines: number] {
  const items: string[][] = [];
  let indent = 0;
  for (const [at, line] of lines.entries()) {
    const next = at === 0 ? ITEM.exec(line) : nextItem(line, indent);
    if (next) {
      if (isOrdered(next[2] ?? '') !== ordered) return [items, at];
      indent = next[0].length;
      items.push([line.slice(indent)]);
    } else if (endsList(line, lines[at - 1] ?? '')) return [items, at];
    else items.at(-1)?.push(line.slice(Math.min(indent, line.length - line.trimStart().length)));
  }
  return [items, lines.length];
}

/** What is drawn in as far as an item's words begin a list within it. */
function nextItem(line: string, indent: number): RegExpExecArray | null {
  const found = RULE.test(line) ? null : ITEM.exec(line);
  return found && (found[1]?.length ?? 0) < Math.max(2, indent) ? found : null;
}

/** What follows a gap and is not drawn in is no part of it. */
const endsList = (line: string, before: string): boolean =>
  line.trim() !== '' && !line.startsWith('  ') && (before.trim() === '' || startsBlock(line));

const startsBlock = (line: string): boolean =>
  FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);

/** Cells are parted by pipes that nobody escaped. */
const cellsOf = (line: string, references: References): Inline[][] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => inlinesOf(cell.trim().replaceAll('\\|', '|'), references));

function tableIn(lines: string[], references: References): Read {
  const end = lines.findIndex((line, index) => index > 1 && (!line.includes('|') || line.trim() === ''));
  const last = end < 0 ? lines.length : end;
  const head = cellsOf(lines[0] ?? '', references);
  const rows = lines.slice(2, last).map((line) => cellsOf(line, references).slice(0, head.length));
  return [{ kind: 'table', head, rows }, last];
}

function paragraphIn(lines: string[], references: References): Read {
  const end = lines.findIndex((line, index) => index > 0 && (line.trim() === '' || startsBlock(line)));
  const inside = lines.slice(0, end < 0 ? lines.length : end);
  return [
    { kind: 'paragraph', content: inlinesOf(inside.map((line) => line.trimStart()).join('\n'), references) },
    inside.length,
  ];
}
