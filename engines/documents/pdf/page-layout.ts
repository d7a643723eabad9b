/** Layout of a PDF page: its lines as tables, headings, list items and paragraphs. */

import type { MarkdownBlocks } from '../markdown.ts';
import type { HeadingLevelOf, PdfLine } from './lines.ts';

type Cell = { text: string; left: number; right: number };
type Row = { cells: Cell[]; next: number; top: number; bottom: number };
type FoundTable = { rows: string[][]; next: number };

const MAX_LINES_IN_CELL = 8;
/** These distances are fractions of the font size. */
const CELL_LEADING = 1.7;
const ALIGNED = 0.6;
const UPWARDS = 0.4;
/** Cells may be aligned to the bottom of their row, so the next cell may begin above the previous one. */
const HIGHER = 3;
/** How far left of its first line a cell may continue. */
const LEFTWARDS = 3;
const MIN_ROWS = 2;
/** A wider gap between rows ends the table. */
const BETWEEN_ROWS = 4;

/**
 * Finds a table in the order of the lines: programs write a row cell by cell, so lines go down within a cell and up
 * again to the right for the next. Columns of prose do so only once, so they never make two rows.
 */
function tableAt(lines: readonly PdfLine[], begin: number): FoundTable | undefined {
  const rows: Row[] = [];
  let at = begin;
  for (;;) {
    const row = rowAt(lines, at);
    const above = rows.at(-1);
    if (!row || (above && !continues(above, row, lines[at]?.size ?? 0))) break;
    rows.push(row);
    at = row.next;
  }
  if (rows.length < MIN_ROWS) return undefined;
  const columns = columnsOf(rows);
  return { next: at, rows: rows.map((row) => toColumns(row, columns)) };
}

/** A row has at least two cells next to each other. */
function rowAt(lines: readonly PdfLine[], begin: number): Row | undefined {
  const first = cellAt(lines, begin, undefined);
  if (!first) return undefined;
  const cells = [first.cell];
  let { next, bottom, top } = first;
  for (;;) {
    const before = cells.at(-1);
    const cell = before && cellAt(lines, next, { right: before.right, top, bottom });
    if (!cell) break;
    cells.push(cell.cell);
    next = cell.next;
    bottom = Math.min(bottom, cell.bottom);
    top = Math.max(top, cell.top);
  }
  return cells.length > 1 ? { cells, next, top, bottom } : undefined;
}

type LeftNeighbour = { right: number; top: number; bottom: number };

function cellAt(lines: readonly PdfLine[], begin: number, beside: LeftNeighbour | undefined) {
  const first = lines[begin];
  if (!first) return undefined;
  if (beside && !standsBeside(first, beside)) return undefined;
  const cell: Cell = { text: first.text, left: first.left, right: first.right };
  let last = first;
  let next = begin + 1;
  while (next - begin < MAX_LINES_IN_CELL) {
    const line = lines[next];
    if (!line || !continuesCell(last, line, cell) || (!beside && startsRow(lines, next))) break;
    cell.text += ` ${line.text}`;
    cell.right = Math.max(cell.right, line.right);
    cell.left = Math.min(cell.left, line.left);
    last = line;
    next++;
  }
  return { cell, next, top: first.base + first.size, bottom: last.base };
}

/** Returns true if the next line is at the same height, to the right: then this line begins a row. */
function startsRow(lines: readonly PdfLine[], at: number): boolean {
  const line = lines[at];
  const after = lines[at + 1];
  return !!line && !!after && after.left > line.right && Math.abs(after.base - line.base) < ALIGNED * line.size;
}

function standsBeside(line: PdfLine, { right, top, bottom }: LeftNeighbour): boolean {
  const tolerance = UPWARDS * line.size;
  return line.left > right && line.base < top + HIGHER * line.size && line.base > bottom - tolerance;
}

function continuesCell(last: PdfLine, line: PdfLine, cell: Cell): boolean {
  const down = last.base - line.base;
  if (down < UPWARDS * line.size || down > CELL_LEADING * line.size) return false;
  return line.left < cell.right && line.right > cell.left && line.left > cell.left - LEFTWARDS * line.size;
}

function continues(above: Row, row: Row, size: number): boolean {
  if (row.top > above.bottom + UPWARDS * size || above.bottom - row.top > BETWEEN_ROWS * size) return false;
  return row.cells.some((cell) => above.cells.some((other) => overlap(cell, other)));
}

const overlap = (a: { left: number; right: number }, b: { left: number; right: number }): boolean =>
  a.left < b.right && b.left < a.right;

/** Cells that overlap horizontally share a column. */
function columnsOf(rows: Row[]): { left: number; right: number }[] {
  const columns: { left: number; right: number }[] = [];
  const widest = rows.toSorted((a, b) => b.cells.length - a.cells.length);
  for (const { cells } of widest) {
    for (const { left, right } of cells) {
      const column = columns.filter((one) => overlap(one, { left, right }));
      const [only] = column;
      if (!only) columns.push({ left, right });
      else if (column.length === 1)
        Object.assign(only, { left: Math.min(only.left, left), right: Math.max(only.right, right) });
    }
  }
  return columns.sort((a, b) => a.left - b.left);
}

function toColumns({ cells }: Row, columns: { left: number; right: number }[]): string[] {
  const row = columns.map(() => '');
  for (const cell of cells) {
    const at = Math.max(
      columns.findIndex((column) => overlap(column, cell)),
      0,
    );
    row[at] = row[at] ? `${row[at]} ${cell.text}` : cell.text;
  }
  return row;
}

/** These distances are fractions of the font size. */
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

/** Writes the lines of one heading or paragraph and returns the index of the next line. */
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

/** `left` is the left edge of the paragraph. A raised note number may have split a line in two. */
function belongs(last: PdfLine, line: PdfLine, left: number): boolean {
  const down = last.base - line.base;
  const size = Math.max(last.size, line.size);
  if (Math.abs(down) < size / 2) return true;
  return down > 0 && down < PARAGRAPH_LEADING * size && Math.abs(line.left - left) < INDENT * size;
}

/** Rejoins a word that was hyphenated at the end of a line, unless it contains other hyphens. */
function joinLine(text: string, next: string): string {
  const [, begin] = /(?:^|\s)(\S*\p{Ll})[-\u00ad\u2010]$/u.exec(text.slice(-60)) ?? [];
  if (begin !== undefined && /^\p{Ll}/u.test(next)) {
    return begin.includes('-') ? text + next : text.slice(0, -1) + next;
  }
  return `${text} ${next}`;
}
