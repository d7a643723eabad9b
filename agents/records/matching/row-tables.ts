/** The tables that entries of a record are read from: those of the text, and columns that only white space divides. */

import type { MarkdownCell } from '../../values/tables.ts';
import { SEGMENT } from './labelled-spans.ts';
import type { Line, ParsedDocument } from './parsed-document.ts';

export type RowTable = { head: readonly MarkdownCell[]; rows: Line[] };

/** Tables that go on over pages repeat their head. */
export function tablesOf(parsed: ParsedDocument): RowTable[] {
  const tables = new Map<string, RowTable>();
  for (const line of parsed.lines) {
    if (!line.cells || !line.head) continue;
    const key = line.head.map(({ text }) => text).join('|');
    const table = tables.get(key) ?? { head: line.head, rows: [] };
    table.rows.push(line);
    tables.set(key, table);
  }
  return [...tables.values(), ...spacedTables(parsed)];
}

/** A text between wide gaps, with its position in the part, and its columns of characters on the line. */
type Segment = MarkdownCell & { left: number; right: number };

const MAX_LENGTH = 400;
const MIN_COLUMNS = 3;
const MIN_CELLS = 2;
/** More rows than an array of a record has. */
const MAX_ROWS = 2_001;
const TAB = 8;

function segmentsOf(line: Line, { parts }: ParsedDocument): Segment[] {
  if (line.cells || line.isHeading || line.text.length > MAX_LENGTH) return [];
  const text = parts[line.part]?.text ?? '';
  const before = line.start - (text.lastIndexOf('\n', line.start - 1) + 1);
  // A tab ends at the next of its stops.
  const columns: number[] = [];
  let column = before;
  for (const character of line.text) {
    for (let unit = 0; unit < character.length; unit++) columns.push(column);
    column += character === '\t' ? TAB - (column % TAB) : 1;
  }
  return Array.from(line.text.matchAll(SEGMENT), ({ index, 0: written }) => ({
    text: written,
    start: line.start + index,
    end: line.start + index + written.length,
    left: columns[index] ?? 0,
    right: (columns[index + written.length - 1] ?? 0) + 1,
  }));
}

/** A line of words, each above a column of the lines below it. */
function spacedTables(parsed: ParsedDocument): RowTable[] {
  const segmentedLines = parsed.lines.map((line) => ({ line, segments: segmentsOf(line, parsed) }));
  const tables: RowTable[] = [];
  for (let at = 0; at < segmentedLines.length; at++) {
    const { line, segments: head = [] } = segmentedLines[at] ?? {};
    if (!line || !isHead(head)) continue;
    const rows = rowsBelow(line, head, segmentedLines.slice(at + 1, at + 1 + MAX_ROWS), parsed);
    if (rows.length > 0) tables.push({ head, rows });
    at += rows.length;
  }
  return tables;
}

const isHead = (segments: readonly Segment[]): boolean =>
  segments.length >= MIN_COLUMNS && segments.every(({ text }) => /\p{L}/u.test(text) && !/\d\d/.test(text));

type SegmentedLine = { line: Line; segments: Segment[] };

function rowsBelow(
  top: Line,
  head: readonly Segment[],
  below: readonly SegmentedLine[],
  parsed: ParsedDocument,
): Line[] {
  const rows: Line[] = [];
  for (const { line, segments } of below) {
    const cells = follows(rows.at(-1) ?? top, line, parsed) ? cellsBelow(head, segments) : undefined;
    if (!cells) break;
    rows.push({ ...line, cells, head });
  }
  return rows;
}

/** A label with its value, as below a table. */
const PAIR = /\p{L}:(?:\s|$)/u;

/** An empty line ends a table; below the head, one or a line of dashes may stand. */
function follows(above: Line, { part, start }: Line, { parts }: ParsedDocument): boolean {
  const between = parts[part]?.text.slice(above.start + above.text.length, start) ?? '';
  return above.part === part && (between.match(/\n/g)?.length ?? 0) <= (above.cells ? 1 : 2);
}

/** The cells of a row in the order of the head; undefined if a text stands below no column, or below one that is taken. */
function cellsBelow(head: readonly Segment[], segments: readonly Segment[]): MarkdownCell[] | undefined {
  if (segments.some(({ text }) => PAIR.test(text))) return undefined;
  if (segments.length < MIN_CELLS || segments.length > head.length || !segments.some(({ text }) => /\d/.test(text)))
    return undefined;
  const columns = segments.map((segment) => nearest(head, segment));
  if (columns.some((column, at) => column < 0 || (at > 0 && column <= (columns[at - 1] ?? 0)))) return undefined;
  return head.map(({ start }, column) => {
    const cell = segments[columns.indexOf(column)];
    return cell ?? { text: '', start, end: start };
  });
}

/** The column with the largest overlap, or else the only one that begins or ends within a few characters. */
function nearest(head: readonly Segment[], { left, right }: Segment): number {
  const overlaps = head.map((column) => Math.min(column.right, right) - Math.max(column.left, left));
  const largest = Math.max(...overlaps);
  return largest > -MAX_GAP ? overlaps.indexOf(largest) : -1;
}

/** Figures below a short head may stand a little to the side of it. */
const MAX_GAP = 3;
