/** The tables of a document. */

import type { Rule } from './rule.ts';

/** A cell of a Markdown table, with its position in the text. */
export type MarkdownCell = { text: string; start: number; end: number };

export type MarkdownRow = { cells: MarkdownCell[]; start: number; end: number };

const RULE = /^\|(?: ?:?-{3,}:? ?\|)+$/;

type MarkdownTable = { head: MarkdownRow; rows: MarkdownRow[]; start: number; end: number };

export function tablesIn(text: string): MarkdownTable[] {
  const tables: MarkdownTable[] = [];
  let tableRows: MarkdownRow[] = [];
  let before: MarkdownRow | undefined;
  let open = false;
  const close = () => {
    if (open && before) tables.push(...sectionsOf(before, tableRows));
    open = false;
    tableRows = [];
    before = undefined;
  };
  for (const line of placedLines(text)) {
    if (!line.text.startsWith('|')) close();
    else if (!open && before && RULE.test(line.text)) open = true;
    else if (open) tableRows.push(rowOf(line));
    else before = rowOf(line);
  }
  close();
  return tables;
}

export function placedLines(text: string): { text: string; start: number }[] {
  const lines: { text: string; start: number }[] = [];
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    lines.push({ text: text.slice(start, stop), start });
    start = stop + 1;
  }
  return lines;
}

/** A table's value lists at most this many rows. */
export const MAX_ROWS = 200;

/** The value is the header row; the rows are in `more`. */
export const tables: Rule = (text) =>
  tablesIn(text).map(({ head, rows, start, end }) => ({
    start,
    end,
    value: textsOf(head).join(' | '),
    more: { header: textsOf(head), rows: rows.slice(0, MAX_ROWS).map(textsOf), row_count: rows.length },
  }));

/** A second row of names with figures below it begins a table of its own, as the items of an invoice below a box of its dates. */
function sectionsOf(head: MarkdownRow, rows: readonly MarkdownRow[]): MarkdownTable[] {
  const sections: MarkdownTable[] = [{ head, rows: [], start: head.start, end: head.end }];
  for (const [nth, row] of rows.entries()) {
    const last = sections.at(-1);
    if (!last || isSecondHead(row, last.rows, rows[nth + 1]))
      sections.push({ head: row, rows: [], start: row.start, end: row.end });
    else {
      last.rows.push(row);
      last.end = row.end;
    }
  }
  return sections;
}

const FIGURE = /^[^\p{L}]*\d[^\p{L}]*$/u;
const MIN_NAMES = 3;
const MIN_FIGURES = 2;

function isSecondHead({ cells }: MarkdownRow, above: readonly MarkdownRow[], below: MarkdownRow | undefined): boolean {
  const names = cells.map(({ text }) => text.trim()).filter((text) => text !== '');
  if (!below || names.length < MIN_NAMES || new Set(names).size < names.length) return false;
  if (!names.every((name) => /\p{L}/u.test(name) && !/\d/.test(name))) return false;
  const isFigure = (row: MarkdownRow, column: number) => FIGURE.test(row.cells[column]?.text ?? '');
  const figures = cells.flatMap(({ text }, column) => (text.trim() !== '' && isFigure(below, column) ? column : []));
  // With figures above it, too, it is a row without them.
  return figures.length >= MIN_FIGURES && !figures.some((column) => above.some((row) => isFigure(row, column)));
}

/** A pipe after a backslash belongs to the cell's text. */
function rowOf({ text, start }: { text: string; start: number }): MarkdownRow {
  const cells: MarkdownCell[] = [];
  let from = 1;
  for (let at = 1; at < text.length; at++) {
    if (text[at] !== '|' || text[at - 1] === '\\') continue;
    cells.push(cellOf(text, from, at, start));
    from = at + 1;
  }
  return { cells, start, end: start + text.length };
}

function cellOf(line: string, from: number, to: number, start: number): MarkdownCell {
  const raw = line.slice(from, to);
  const text = raw.trim();
  const begins = start + from + (raw.length - raw.trimStart().length);
  return { text: text.replaceAll('\\|', '|'), start: begins, end: begins + text.length };
}

const textsOf = ({ cells }: MarkdownRow): string[] => cells.map(({ text }) => text);
