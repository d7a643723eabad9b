/** The reading order of a PDF page by positions: columns, sidebars and tables, each from top to bottom. */

import {
  type Area,
  isMostlyRtl,
  linesOfRow,
  type PdfLine,
  rowsOf,
  type Segment,
  type TextRow,
  type Turn,
  toPage,
  type Word,
} from './lines.ts';
import { type PageTable, ruledTables, rulesOf, spacedTable } from './tables.ts';

/** A line of text, or a table, in the order in which a person reads. */
export type PageItem = { line: PdfLine; table?: undefined } | { table: PageTable; line?: undefined };

/** Distances are fractions of the font size. */
const MIN_GUTTER = 0.9;
/** Each side of a gutter between columns has at least so many lines. */
const MIN_LINES = 3;
/** Lines of prose have at least so many characters. */
const PROSE = 22;
/** Pieces of one row of a table stand on one line, more exactly than lines of columns that meet by chance. */
const LEVEL = 0.1;
/** Lines of prose follow each other within this distance. */
const MAX_LEADING = 1.9;
const MAX_DEPTH = 6;

/** A ruled table stands in the flow like a row of one piece. */
type FlowRow = TextRow & { top: number; bottom: number; table?: PageTable };

/** Orders the words of a page. Words of another direction, such as a note along the margin, come last. */
export function orderPage(words: readonly Word[], rules: readonly Area[]): PageItem[] {
  const turns = Map.groupBy(words, ({ turn }) => turn);
  const length = (turn: Turn) => (turns.get(turn) ?? []).reduce((sum, { text }) => sum + text.length, 0);
  return [...turns.keys()]
    .sort((a, b) => length(b) - length(a))
    .flatMap((turn) =>
      orderFrame(
        turns.get(turn) ?? [],
        rules.map((rule) => toPage(rule, ((4 - turn) % 4) as Turn)),
      ),
    );
}

/** Without geometry, words are read in the order in which they were drawn, which shows what the geometry is worth. */
export function inDrawnOrder(words: readonly Word[]): PageItem[] {
  const rows: Word[][] = [];
  for (const word of words) {
    const last = rows.at(-1)?.at(-1);
    const isNext =
      last && Math.abs(last.base - word.base) < word.size / 3 && last.turn === word.turn && word.left >= last.left;
    if (isNext) rows.at(-1)?.push(word);
    else rows.push([word]);
  }
  return rows.flatMap((row) => rowsOf(row, [])).flatMap((row) => linesOfRow(row).map((line) => ({ line })));
}

function orderFrame(words: readonly Word[], areas: readonly Area[]): PageItem[] {
  const rules = rulesOf(areas);
  const left = new Set(words);
  const tables = ruledTables(left, rules);
  const dividers = areas.filter((area) => area.top - area.bottom > area.right - area.left);
  const rows = rowsOf([...left], dividers).map(
    (row): FlowRow => ({ ...row, top: row.base + row.size, bottom: row.base }),
  );
  const flow = [...rows, ...tables.map(rowOfTable)].sort((a, b) => b.top - a.top);
  const items = orderRows(flow, rules, 0);
  return isRightToLeft(rows) ? items.map(turnTable) : items;
}

/** The first column of a table that reads from right to left is the rightmost. */
const turnTable = (item: PageItem): PageItem =>
  item.table
    ? {
        table: {
          ...item.table,
          rows: item.table.rows.map((row) => row.toReversed()),
          columns: item.table.columns.toReversed(),
        },
      }
    : item;

function rowOfTable(table: PageTable): FlowRow {
  const { left, right, top, bottom, size } = table;
  return { segments: [{ words: [], left, right, base: bottom, size }], base: bottom, size, top, bottom, table };
}

/** Reads above, left of, right of and below the longest gutter between columns, each part in the same way. */
function orderRows(rows: readonly FlowRow[], rules: ReturnType<typeof rulesOf>, depth: number): PageItem[] {
  const gutter = depth < MAX_DEPTH ? columnGutter(rows) : undefined;
  if (!gutter) return flowOf(rows, rules);
  const { from, to, left, right } = gutter;
  const middle = (left + right) / 2;
  const within = rows.slice(from, to + 1);
  const sides = [
    within.flatMap((row) => sideOf(row, (segment) => segment.right <= middle)),
    within.flatMap((row) => sideOf(row, (segment) => segment.right > middle)),
  ];
  if (isRightToLeft(within)) sides.reverse();
  return [rows.slice(0, from), ...sides, rows.slice(to + 1)].flatMap((part) => orderRows(part, rules, depth + 1));
}

function sideOf(row: FlowRow, isInside: (segment: Segment) => boolean): FlowRow[] {
  const segments = row.segments.filter(isInside);
  return segments.length === 0 ? [] : [{ ...row, segments, size: Math.max(...segments.map(({ size }) => size)) }];
}

const isRightToLeft = (rows: readonly TextRow[]): boolean => {
  const text = rows.flatMap(({ segments }) => segments.flatMap(({ words }) => words.map((word) => word.text))).join('');
  return isMostlyRtl(text);
};

type Gutter = { left: number; right: number; from: number; to: number };

/** Returns the gutter with text columns on both sides that runs past most rows. */
function columnGutter(rows: readonly FlowRow[]): Gutter | undefined {
  let best: Gutter | undefined;
  for (const gutter of guttersOf(rows)) {
    if (best && gutter.to - gutter.from <= best.to - best.from) continue;
    if (dividesColumns(rows, gutter)) best = gutter;
  }
  return best;
}

/** Strips of white space that run down between pieces of text. */
function guttersOf(rows: readonly FlowRow[]): Gutter[] {
  const closed: Gutter[] = [];
  let open: Gutter[] = [];
  rows.forEach((row, at) => {
    open = open.filter((gutter) => {
      const isOpen = narrow(gutter, row);
      if (!isOpen) closed.push({ ...gutter, to: at - 1 });
      return isOpen;
    });
    for (const { left, right } of gapsAt(rows, at)) {
      if (!open.some((gutter) => Math.min(gutter.right, right) > Math.max(gutter.left, left)))
        open.push({ left, right, from: at, to: at });
    }
  });
  return [...closed, ...open.map((gutter) => ({ ...gutter, to: rows.length - 1 }))];
}

/** Makes a gutter as narrow as the row leaves it, and returns false if the row closes it. */
function narrow(gutter: Gutter, { segments, size }: FlowRow): boolean {
  let { left, right } = gutter;
  for (const segment of segments) {
    if (segment.right <= left || segment.left >= right) continue;
    const [before, behind] = [segment.left - left, right - segment.right];
    if (Math.max(before, behind) < MIN_GUTTER * size) return false;
    if (before >= behind) right = segment.left;
    else left = segment.right;
  }
  gutter.left = left;
  gutter.right = right;
  return true;
}

/** The gaps between the pieces of a row. Base lines of columns may differ, so pieces at nearly the same height count. */
function gapsAt(rows: readonly FlowRow[], at: number): { left: number; right: number }[] {
  const row = rows[at];
  if (!row) return [];
  const next = rows[at + 1];
  const above = rows[at - 1];
  const beside = [
    next && next.top > row.bottom + 0.3 * row.size ? next : undefined,
    above && above.bottom < row.top - 0.3 * row.size ? above : undefined,
  ];
  const pieces = [row, ...beside].flatMap((flowRow) => flowRow?.segments ?? []).sort((a, b) => a.left - b.left);
  const gaps: { left: number; right: number }[] = [];
  let end = pieces[0]?.right ?? 0;
  for (const piece of pieces) {
    if (piece.left - end > MIN_GUTTER * row.size) gaps.push({ left: end, right: piece.left });
    end = Math.max(end, piece.right);
  }
  return gaps;
}

/**
 * Columns of text are read one after the other; columns of a table are not. Their lines are long or stand at other
 * heights than those of the other side, and paragraphs do not begin on both sides at once.
 */
function dividesColumns(rows: readonly FlowRow[], { left, right, from, to }: Gutter): boolean {
  const middle = (left + right) / 2;
  const sides: SideLine[][] = [[], []];
  let mates = 0;
  for (const row of rows.slice(from, to + 1)) {
    // Only the pieces next to the gutter count: further ones are columns of their own.
    const nearest = [
      row.segments.findLast((segment) => segment.right <= middle),
      row.segments.find((segment) => segment.right > middle),
    ];
    nearest.forEach((segment, side) => {
      if (segment) sides[side]?.push({ length: row.table ? PROSE : lengthOf(segment), base: row.base, size: row.size });
    });
    const [leftSegment, rightSegment] = nearest;
    if (leftSegment && rightSegment && Math.abs(leftSegment.base - rightSegment.base) < LEVEL * row.size) mates++;
  }
  const [a = [], b = []] = sides;
  const fewer = Math.min(a.length, b.length);
  if (fewer < MIN_LINES) return false;
  if ([a, b].every(isProse)) return !beginTogether(a, b);
  return mates < 0.4 * fewer && [a, b].some(isProse);
}

const lengthOf = ({ words }: Segment): number => words.reduce((sum, { text }) => sum + text.length + 1, 0);

type SideLine = { length: number; base: number; size: number };

/** Long lines that follow each other closely. */
const isProse = (side: readonly SideLine[]): boolean =>
  median(side.map(({ length }) => length)) >= PROSE &&
  median(side.slice(1).map(({ base, size }, at) => ((side[at]?.base ?? 0) - base) / size)) < MAX_LEADING;

/** Whether most blocks of lines begin at the same height on both sides, as the rows of a table do. */
function beginTogether(a: readonly SideLine[], b: readonly SideLine[]): boolean {
  const [startsA, startsB] = [blockStarts(a), blockStarts(b)];
  const together = startsA.filter((base) => startsB.some((start) => Math.abs(start - base) < 2)).length;
  return together >= 3 && together >= 0.7 * Math.max(startsA.length, startsB.length);
}

function blockStarts(lines: readonly SideLine[]): number[] {
  const gaps = lines.slice(1).map(({ base }, at) => (lines[at]?.base ?? 0) - base);
  const leading = median(gaps);
  return lines.filter((_, at) => at === 0 || (gaps[at - 1] ?? 0) > 1.25 * leading).map(({ base }) => base);
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Reads rows from top to bottom as tables and lines. */
function flowOf(rows: readonly FlowRow[], rules: ReturnType<typeof rulesOf>): PageItem[] {
  const items: PageItem[] = [];
  for (let at = 0; at < rows.length; ) {
    const row = rows[at];
    if (!row) break;
    if (row.table) {
      items.push({ table: row.table });
      at++;
      continue;
    }
    const end = rows.findIndex(({ table }, index) => index > at && table !== undefined);
    const table = spacedTable(end < 0 ? rows : rows.slice(0, end), at, rules);
    if (table) {
      items.push({ table: withHeads(table) });
      at = table.next;
    } else {
      items.push(...linesOfRow(row).map((line) => ({ line })));
      at++;
    }
  }
  return items;
}

/** Joins a head that stands beside its column, such as one to the left over figures to the right: no row has both. */
function withHeads(table: PageTable): PageTable {
  const { columns } = table;
  const [heads = [], ...rows] = table.rows;
  const uses = columns.map((_, at) => rows.filter((row) => row[at] !== '').length);
  const isHead = (at: number) => (heads[at] ?? '') !== '' && uses[at] === 0;
  const isBody = (at: number) => heads[at] === '' && (uses[at] ?? 0) > rows.length / 2;
  /** A head between two columns may be that of both. */
  const isOne = (head: number, body: number) => isHead(head) && isBody(body) && !isBody(2 * head - body);
  const joins = columns.map((_, at) => isOne(at - 1, at) || isOne(at, at - 1));
  if (!joins.includes(true)) return table;
  const join = (cells: readonly string[]) =>
    cells.flatMap((cell, at) => (joins[at] ? [] : [joins[at + 1] ? cell + (cells[at + 1] ?? '') : cell]));
  return {
    ...table,
    rows: table.rows.map(join),
    columns: columns.flatMap((column, at) =>
      joins[at] ? [] : [joins[at + 1] ? { ...column, right: columns[at + 1]?.right ?? column.right } : column],
    ),
  };
}
