/** Finds the tables of a sheet: header rows behind titles and blank rows, headers of several rows, merged cells. */
import type { ReadingBudget } from '../document.ts';
import type { RawSheet, SheetCell } from './sheet.ts';

/** A row that is not empty. The cells of a merged range are the same object. */
export type FilledRow = { number: number; cells: SheetCell[] };

/** A stretch of a sheet: rows under a header, rows without a header, or a text that stands alone in its row. */
export type SheetStretch =
  | { kind: 'table'; header: FilledRow[]; units?: FilledRow; rows: FilledRow[] }
  | { kind: 'text'; row: FilledRow };

/** The rows that are searched for the first header, and the rows below that tell whether one fits. */
const SEARCHED = 60;
const SAMPLE = 30;
const MAX_HEADER_ROWS = 4;
const MAX_NAME_LENGTH = 120;
const MAX_MERGES = 20_000;
const MAX_MERGE_STEPS = 1_000_000;
/** Looking for the end of a table costs time, so the last one takes all rows that are left. */
const MAX_TABLES = 200;
const MAX_BESIDE = 8;
/** Empty cells cost time, too: a larger sheet is taken for one table. */
const MAX_AREA_BESIDE = 1_000_000;

export function findTables(sheet: RawSheet, budget: ReadingBudget): SheetStretch[] {
  const numbers = [...sheet.rows.keys()].sort((a, b) => a - b);
  const rows = numbers.map((number): FilledRow => ({ number, cells: sheet.rows.get(number) ?? [] }));
  repeatMerged(rows, sheet, budget);
  return splitSideBySide(rows).flatMap((block) => splitStacked(block, sheet));
}

/** Tables that stand beside each other, with an empty column between them: not all of them go down to the last row. */
function splitSideBySide(rows: readonly FilledRow[]): FilledRow[][] {
  const width = rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 0);
  if (width * rows.length > MAX_AREA_BESIDE) return [[...rows]];
  const used = rows.reduce<number[]>((uses, { cells }) => {
    cells.forEach((_, column) => {
      uses[column] = (uses[column] ?? 0) + 1;
    });
    return uses;
  }, []);
  const starts = used.flatMap((_, column) => (used[column - 1] === undefined ? column : []));
  if (starts.length < 2 || starts.length > MAX_BESIDE) return [[...rows]];
  const blocks = starts.map((from, at) => rows.flatMap((row) => cutColumns(row, from, starts[at + 1] ?? used.length)));
  return blocks.every((block) => isWholeTable(block)) && new Set(blocks.map(({ length }) => length)).size > 1
    ? blocks
    : [[...rows]];
}

function cutColumns({ number, cells }: FilledRow, from: number, to: number): FilledRow[] {
  const cutCells: SheetCell[] = [];
  cells.forEach((cell, column) => {
    if (column >= from && column < to) cutCells[column] = cell;
  });
  return cutCells.length === 0 ? [] : [{ number, cells: cutCells }];
}

/** A header over values of its own, from the first row to the last without a blank one. */
const isWholeTable = (block: readonly FilledRow[]): boolean =>
  block.length > 2 && isNewHeader(block, 0) && block.every((_, at) => at === 0 || follows(block, at));

function splitStacked(rows: readonly FilledRow[], sheet: RawSheet): SheetStretch[] {
  const declared = declaredRows(rows, sheet);
  const stretches: SheetStretch[] = [];
  let at = firstHeader(rows);
  const first = rows.findIndex(({ number }) => declared.has(number));
  // A table that is declared further below does not replace the one above it.
  if (first >= 0 && first < at + MAX_HEADER_ROWS) at = first;
  stretches.push(...looseStretches(rows.slice(0, at)));
  for (let tables = 1; at < rows.length; tables++) {
    const { from, ...head } = headerAround(rows, at, stretches);
    const end = tables < MAX_TABLES ? endOfTable(rows, from, declared) : { rows: rows.length, next: rows.length };
    const body = withoutFootnotes(rows.slice(from, end.rows), head.header);
    stretches.push({ kind: 'table', ...head, rows: body });
    stretches.push(...looseStretches(rows.slice(from + body.length, end.next)));
    at = end.next;
  }
  return stretches;
}

/** The first rows of declared tables, without those of tables beside a wider one. */
function declaredRows(rows: readonly FilledRow[], { declared = [] }: RawSheet): Set<number> {
  const numbers = declared.slice(0, MAX_TABLES).filter(({ top, left, right }) => {
    const row = rows[firstAtOrBelow(rows, top)];
    if (row?.number !== top) return false;
    const filled = row.cells.flatMap((_, column) => column);
    return filled.filter((column) => column >= left && column <= right).length * 2 >= filled.length;
  });
  return new Set(numbers.map(({ top }) => top));
}

/** Repeats the cell of a merged range in every row that has other content, and in the columns that the sheet uses. */
function repeatMerged(rows: readonly FilledRow[], { merges = [] }: RawSheet, budget: ReadingBudget): void {
  if (merges.length === 0) return;
  const width = rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 0);
  let steps = 0;
  for (const { top, left, bottom, right } of merges.slice(0, MAX_MERGES)) {
    const start = firstAtOrBelow(rows, top);
    const origin = rows[start]?.number === top ? rows[start]?.cells[left] : undefined;
    if (!origin) continue;
    const last = Math.min(right, width - 1);
    for (const { cells } of rows.slice(start, firstAtOrBelow(rows, bottom + 1))) {
      steps += last - left + 1;
      if (steps > MAX_MERGE_STEPS) return;
      budget.countCells(fillHoles(cells, { left, right: last, origin }));
    }
  }
}

/** Returns how many cells it filled. */
function fillHoles(cells: SheetCell[], { left, right, origin }: { left: number; right: number; origin: SheetCell }) {
  let filled = 0;
  for (let column = left; column <= right; column++) {
    if (cells[column]) continue;
    cells[column] = origin;
    filled++;
  }
  return filled;
}

function firstAtOrBelow(rows: readonly FilledRow[], number: number): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((rows[middle]?.number ?? 0) < number) from = middle + 1;
    else to = middle;
  }
  return from;
}

const isOneCell = ({ cells }: FilledRow): boolean => new Set(cells.filter(Boolean)).size === 1;
const isText = (cell: SheetCell | undefined): boolean =>
  cell !== undefined && cell.type === 'text' && !/^[\d.,\s%€$£()+-]+$/.test(cell.text);
const isYear = ({ value, type }: SheetCell): boolean =>
  type === 'number' && typeof value === 'number' && Number.isInteger(value) && value >= 1900 && value <= 2100;
const follows = (rows: readonly FilledRow[], at: number): boolean =>
  rows[at]?.number === (rows[at - 1]?.number ?? 0) + 1;

/** Years and ranges, such as `2019/20`, `0-4` and `65+`. */
const isRange = ({ type, text }: SheetCell): boolean =>
  type === 'text' && /^(?:(?:19|20)\d\d|\d{1,4}\s?[-–/+]\s?\d{0,4})$/.test(text.trim());

/** Names of columns are short texts, dates, years, ranges or a count such as 1, 2, 3. */
const isHeaderLike = (row: FilledRow): boolean => hasNames(row) && row.cells.some(isText);

function hasNames({ cells }: FilledRow): boolean {
  const names = [...new Set(cells.filter(Boolean))];
  const isCount = names.length >= 3 && isConsecutive(names.slice(-3));
  const isName = (cell: SheetCell) =>
    cell.text.length <= MAX_NAME_LENGTH &&
    (isText(cell) ||
      cell.type === 'date' ||
      isYear(cell) ||
      isRange(cell) ||
      (isCount && Number.isInteger(cell.value)));
  return names.filter(isName).length >= names.length * 0.8;
}

/** Plan and actual of twelve months are few names, but one name alone is none. */
const namesDiffer = ({ cells }: FilledRow): boolean => {
  const texts = [...new Set(cells.filter(Boolean))].map(({ text }) => text);
  return texts.length < 3 ? new Set(texts).size === texts.length : new Set(texts).size * 3 > texts.length;
};

const isConsecutive = (cells: readonly SheetCell[]): boolean =>
  cells.every(({ value }, at) => at === 0 || value === Number(cells[at - 1]?.value) + 1);

/** The columns that at least a quarter of the rows use. */
function columnsOf(rows: readonly FilledRow[]): number[] {
  const uses: number[] = [];
  for (const { cells } of rows)
    cells.forEach((_, column) => {
      uses[column] = (uses[column] ?? 0) + 1;
    });
  const columns: number[] = [];
  uses.forEach((count, column) => {
    if (count * 4 >= rows.length) columns.push(column);
  });
  return columns;
}

/** Returns the row that names the columns of the rows below best. Of rows that are nearly as good, the first wins. */
function firstHeader(rows: readonly FilledRow[]): number {
  const fits = rows.slice(0, SEARCHED).map((_, at) => headerFit(rows, at));
  const best = Math.max(0, ...fits);
  // Without a row that fits, the first one is taken for the header.
  if (best >= 0.5) return fits.findIndex((fit) => fit > 0 && fit >= best - 0.25);
  return 0;
}

/** Returns the share of the columns below that the row names, or 0 for a row that is not a header. */
function headerFit(rows: readonly FilledRow[], at: number): number {
  const row = rows[at];
  const below = rows.slice(at + 1, at + 1 + SAMPLE);
  if (!row || below.length === 0 || !isHeaderLike(row) || !namesDiffer(row)) return 0;
  if (isOverUniformBlock(rows, at)) return 1;
  const columns = columnsOf(below);
  const namedColumns = columns.filter((column) => row.cells[column]);
  if (
    isOneCell(row) &&
    !(columns.length === 2 && namedColumns.length === 1 && isOverNumbers(row, below, namedColumns[0] ?? 0))
  )
    return 0;
  return columns.length === 0 ? 0 : namedColumns.length / columns.length;
}

/** Whether the rows up to the next blank one are the table of this header alone, however wide the rows behind are. */
function isOverUniformBlock(rows: readonly FilledRow[], at: number): boolean {
  const block = rows.slice(at + 1, endOfBlock(rows, at));
  if (block.length < 2 || !isNewHeader(rows, at)) return false;
  return columnsOf(block).every(
    (column) => new Set(block.flatMap(({ cells }) => cells[column]?.type ?? [])).size === 1,
  );
}

/** Whether most of the cells below a text are numbers, dates or the like. */
function isOverNumbers({ cells }: FilledRow, below: readonly FilledRow[], column: number): boolean {
  if (cells[column]?.type !== 'text') return false;
  return hasNumbers(below, column);
}

function hasNumbers(rows: readonly FilledRow[], column: number): boolean {
  const filled = rows.flatMap(({ cells }) => cells[column] ?? []);
  const typed = filled.filter((cell) => cell.type !== 'text' || !isText(cell));
  return filled.length > 0 && typed.length * 2 > filled.length;
}

/** Adds the rows above and below that belong to the header. Rows above are taken back from the loose stretches. */
function headerAround(
  rows: readonly FilledRow[],
  at: number,
  before: SheetStretch[],
): { header: FilledRow[]; units?: FilledRow; from: number } {
  const below = rows.slice(at + 1, at + 1 + SAMPLE);
  const columns = columnsOf(below);
  let top = at;
  while (top > 0 && at - top < MAX_HEADER_ROWS - 1 && isGroupRow(rows, top - 1, columns)) top--;
  const rowsAbove = new Set(rows.slice(top, at));
  while (before.length > 0 && containsOnly(before.at(-1), rowsAbove)) before.pop();
  const last = before.at(-1);
  if (last?.kind === 'table') last.rows = last.rows.filter((row) => !rowsAbove.has(row));
  let from = at + 1;
  while (from - at < MAX_HEADER_ROWS && from < rows.length - 1 && continuesHeader(rows, from)) from++;
  const header = rows.slice(top, from);
  const next = rows[from];
  return next && isUnitRow(rows, from) ? { header, units: next, from: from + 1 } : { header, from };
}

const containsOnly = (stretch: SheetStretch | undefined, rowSet: Set<FilledRow>): boolean =>
  stretch?.kind === 'text' ? rowSet.has(stretch.row) : (stretch?.rows.every((row) => rowSet.has(row)) ?? false);

/**
 * A row right above the header that groups columns: cells merged over some of them, but not over all as a title, or
 * names with gaps between them, the first column having none.
 */
function isGroupRow(rows: readonly FilledRow[], at: number, columns: readonly number[]): boolean {
  const row = rows[at];
  if (!row || !follows(rows, at + 1) || !hasNames(row)) return false;
  const spans = Map.groupBy(
    columns.filter((column) => row.cells[column]),
    (column) => row.cells[column],
  );
  const widths = [...spans.values()].map(({ length }) => length);
  if (widths.some((width) => width >= 2)) return widths.every((width) => width < columns.length * 0.9);
  return spans.size >= 2 && row.cells[columns[0] ?? 0] === undefined;
}

/** Whether a row goes on with the header above it: merged down from it, below a merged name, or below its gaps. */
function continuesHeader(rows: readonly FilledRow[], at: number): boolean {
  const row = rows[at];
  const above = rows[at - 1];
  if (!row || !above || !follows(rows, at) || !hasNames(row)) return false;
  const unmerged = ownColumns(row, above);
  if (unmerged.length === 0) return false;
  if (unmerged.length < row.cells.filter(Boolean).length) return true;
  const underMerged = unmerged.filter((column) => isMergedAt(above, column));
  if (new Set(underMerged.map((column) => row.cells[column]?.text)).size >= 2) {
    const isBelowName = unmerged.some((column) => above.cells[column] !== undefined && !isMergedAt(above, column));
    return !isBelowName || standsOverNumbers(rows, at, underMerged);
  }
  return unmerged.some((column) => above.cells[column] === undefined) && standsOverNumbers(rows, at, unmerged);
}

/** A row of units or the like between the header and the rows: texts that each stand below a name and over numbers. */
function isUnitRow(rows: readonly FilledRow[], at: number): boolean {
  const row = rows[at];
  const above = rows[at - 1];
  if (!row || !above || !follows(rows, at)) return false;
  const unmerged = ownColumns(row, above);
  return unmerged.every((column) => above.cells[column] !== undefined) && standsOverNumbers(rows, at, unmerged);
}

/** The columns whose cells are not merged down from the row above. */
function ownColumns({ cells }: FilledRow, above: FilledRow): number[] {
  const columns: number[] = [];
  cells.forEach((cell, column) => {
    if (cell !== above.cells[column]) columns.push(column);
  });
  return columns;
}

const isMergedAt = ({ cells }: FilledRow, column: number): boolean =>
  cells[column] !== undefined && (cells[column] === cells[column + 1] || cells[column] === cells[column - 1]);

function standsOverNumbers(rows: readonly FilledRow[], at: number, columns: readonly number[]): boolean {
  const { cells = [] } = rows[at] ?? {};
  const below = rows.slice(at + 1, at + 1 + SAMPLE);
  return (
    columns.length >= 2 &&
    columns.every((column) => isText(cells[column]) && hasNumbers(below, column)) &&
    !hasGaps({ cells })
  );
}

/** Words that stand in place of a number. */
const NO_NUMBER = /^(?:n\.?\/?a\.?|tbd|none|nil|unknown|k\.?\s?a\.?|[-–—.…*?]+)$/i;
const hasGaps = ({ cells }: Pick<FilledRow, 'cells'>): boolean => cells.some(({ text }) => NO_NUMBER.test(text.trim()));

/**
 * A table ends where a declared one or one of other columns begins, or at a blank row with other content behind it: a
 * header over values of its own, or texts in the columns of numbers and dates.
 */
function endOfTable(rows: readonly FilledRow[], from: number, declared: Set<number>): { rows: number; next: number } {
  for (let at = from + 1; at < rows.length; at++) {
    if (declared.has(rows[at]?.number ?? 0)) return { rows: at, next: at };
    if (changesColumns(rows, from, at)) return { rows: at, next: at };
    if (follows(rows, at)) continue;
    const header = skipTitles(rows, at);
    if (isNewHeader(rows, header)) return { rows: at, next: header };
    if (isClosing(rows, from, at)) return { rows: at, next: rows.length };
    if (isOtherContent(rows, from, at)) return { rows: at, next: at + firstHeader(rows.slice(at)) };
  }
  return { rows: rows.length, next: rows.length };
}

/** Pairs such as a name behind `Prepared by`: the last rows of a sheet, with nothing where the table has its numbers. */
function isClosing(rows: readonly FilledRow[], from: number, at: number): boolean {
  if (endOfBlock(rows, at) < rows.length) return false;
  const above = rows.slice(from, Math.min(at, from + SAMPLE));
  const columns = columnsOf(above);
  const typed = columns.filter((column) => above.every(({ cells }) => cells[column]?.type !== 'text'));
  const block = rows.slice(at);
  const isPair = ({ cells }: FilledRow) =>
    cells.filter(Boolean).length < columns.length && cells.filter(Boolean).every((cell) => cell.type === 'text');
  return typed.length > 0 && block.every((row) => isPair(row) && typed.every((column) => !row.cells[column]));
}

function skipTitles(rows: readonly FilledRow[], at: number): number {
  let next = at;
  while (next < rows.length - 1 && next - at < MAX_HEADER_ROWS && isTitle(rows[next])) next++;
  return next;
}

const isTitle = (row: FilledRow | undefined): boolean => row !== undefined && isOneCell(row) && row.cells.some(isText);

/** Whether most of the table's columns of numbers and dates have texts in the rows from `at` to the next blank row. */
function isOtherContent(rows: readonly FilledRow[], from: number, at: number): boolean {
  const block = rows.slice(at, endOfBlock(rows, at));
  const above = rows.slice(from, Math.min(at, from + SAMPLE));
  const typed = columnsOf(above).filter((column) => hasNumbers(above, column));
  const filled = typed.filter((column) => block.some(({ cells }) => cells[column]));
  const changed = filled.filter((column) => !hasNumbers(block, column));
  return changed.length >= 2 && changed.length * 2 > filled.length;
}

function endOfBlock(rows: readonly FilledRow[], at: number): number {
  let end = at + 1;
  while (end < rows.length && end <= at + SAMPLE && follows(rows, end) && !changesColumns(rows, at + 1, end)) end++;
  return end;
}

/** The rows right above and below a header, at least two, tell whether its columns are others than those above. */
const COMPARED = 5;
const LEAST_COMPARED = 2;

/**
 * Whether another table begins without a blank row: nothing but texts, one of them in a column of numbers or dates, over
 * rows whose columns hold other kinds of values. A row of words among numbers changes no columns.
 */
function changesColumns(rows: readonly FilledRow[], from: number, at: number): boolean {
  const row = rows[at];
  if (!row || !mayBegin(rows, from, at) || !row.cells.every(isText) || !namesDiffer(row) || hasGaps(row)) return false;
  const near = (begin: number, end: number) =>
    rows.slice(begin, end).filter(({ number }, index) => number - row.number === begin + index - at);
  const above = near(Math.max(from, at - COMPARED), at);
  const below = near(at + 1, at + 1 + COMPARED);
  const [before, after] = [valueKinds(above), valueKinds(below)];
  const namedColumns = row.cells.flatMap((_, column) => column);
  const isNew = (kind: ValueKind | undefined, column: number) =>
    before[column] === undefined ? rows[from - 1]?.cells[column] === undefined : isOther(before[column], kind);
  return (
    namedColumns.length === after.filter(Boolean).length &&
    namedColumns.every((column) => after[column]) &&
    namedColumns.some((column) => isOfValues(before[column])) &&
    namedColumns.some((column) => isOfValues(after[column])) &&
    namedColumns.some((column) => isNew(after[column], column))
  );
}

type ValueKind = 'text' | 'number' | 'date' | 'mixed';
const isOfValues = (kind: ValueKind | undefined): boolean => kind === 'number' || kind === 'date';
const isOther = (a: ValueKind | undefined, b: ValueKind | undefined): boolean =>
  a !== b && a !== 'mixed' && b !== 'mixed';

/** A quick look, as most rows begin no table: numbers or the like in the rows next to this one, which are as wide. */
function mayBegin(rows: readonly FilledRow[], from: number, at: number): boolean {
  const { number = 0, cells } = rows[at] ?? {};
  const isWide = at - from >= LEAST_COMPARED && rows[at + 1]?.cells.length === cells?.length;
  const isTyped = (next: number) =>
    rows[next]?.number === number + next - at && rows[next]?.cells.some(({ type }) => type !== 'text');
  return isWide && [-2, -1, 1, 2].every((step) => isTyped(at + step));
}

/** What each column holds: only texts, dates, or other values such as numbers; mixed also with gaps. Unused columns are undefined. */
function valueKinds(rows: readonly FilledRow[]): (ValueKind | undefined)[] {
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  return Array.from({ length: width }, (_, column) => {
    const cells = rows.flatMap((row) => row.cells[column] ?? []);
    if (cells.length === 0) return undefined;
    const kinds = new Set(cells.map((cell) => (isText(cell) ? 'text' : cell.type === 'date' ? 'date' : 'number')));
    const [kind = 'mixed'] = kinds;
    return cells.length < rows.length || kinds.size > 1 ? 'mixed' : kind;
  });
}

/** Nothing but texts over rows with numbers or dates, and no number of its own. */
function isNewHeader(rows: readonly FilledRow[], at: number): boolean {
  const row = rows[at];
  if (!row || isOneCell(row) || !isHeaderLike(row) || hasGaps(row)) return false;
  const below = rows.slice(at + 1, endOfBlock(rows, at));
  const columns = columnsOf(below);
  const namedColumns = columns.filter((column) => isText(row.cells[column]));
  return (
    below.length > 0 &&
    namedColumns.length >= columns.length * 0.75 &&
    namedColumns.some((column) => isOverNumbers(row, below, column))
  );
}

const FOOTNOTE =
  /^(?:[*†‡¹²³⁾]|\(?\d\) |(?:notes?|sources?|quellen?|anmerkung(?:en)?|hinweise?|fußnoten?|remarks?|nota|fuente|fonte|bron|toelichting)\b ?:)/iu;

/** Footnotes are texts alone in their row: with a mark, behind a blank row, or too long for a cell of a table. */
function withoutFootnotes(rows: readonly FilledRow[], header: readonly FilledRow[]): FilledRow[] {
  const isNarrow = header.every(isOneCell);
  let end = rows.length;
  for (let at = rows.length - 1; at > 0 && !isNarrow && isTitle(rows[at]); at--) {
    const [text = ''] = rows[at]?.cells.flatMap((cell) => cell.text) ?? [];
    if (!follows(rows, at) || text.length > MAX_NAME_LENGTH / 2 || FOOTNOTE.test(text)) end = at;
  }
  return rows.slice(0, end);
}

/** Rows in front of a header, or behind a table: texts, and pairs or lists without a header. */
function looseStretches(rows: readonly FilledRow[]): SheetStretch[] {
  const stretches: SheetStretch[] = [];
  for (const [at, row] of rows.entries()) {
    const last = stretches.at(-1);
    if (isOneCell(row)) stretches.push({ kind: 'text', row });
    else if (last?.kind === 'table' && follows(rows, at)) last.rows.push(row);
    else stretches.push({ kind: 'table', header: [], rows: [row] });
  }
  return stretches;
}

const hasMerged = (cells: readonly SheetCell[]): boolean => cells.some((cell, column) => cell === cells[column + 1]);

/** The name of a column in a header of one or several rows. */
export function columnName(header: readonly FilledRow[], column: number): string {
  const names = header.map(({ cells }, at) => {
    const cell = cells[column];
    // An upper name without a merged cell stands for the columns to its right, up to the next name.
    const isLast = at === header.length - 1;
    if (cell || isLast || header.at(-1)?.cells[column] === undefined || hasMerged(cells)) return cell?.text;
    return cells.slice(0, column).findLast(Boolean)?.text;
  });
  const tidy = names.flatMap((name) => name?.trim().replaceAll(/\s+/g, ' ') || []);
  return tidy.filter((name, at) => name !== tidy[at - 1]).join(' / ');
}

/**
 * The cell of a column in a row of a table. A merged text or date labels each of its rows; a merged number is counted
 * only where it stands, and nothing is repeated to the right.
 */
export function cellAt(rows: readonly FilledRow[], at: number, column: number): SheetCell | undefined {
  const cell = rows[at]?.cells[column];
  if (!cell || cell === rows[at]?.cells[column - 1]) return undefined;
  const isLabel = cell.type === 'text' || cell.type === 'date';
  return isLabel || cell !== rows[at - 1]?.cells[column] ? cell : undefined;
}
