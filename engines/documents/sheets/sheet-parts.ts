/** Writes sheets as Markdown parts for models and citations, and as typed tables. */
import { definedFields } from '../../../shared/core/optional-fields.ts';
import type { Document, DocumentPart, ReadingBudget } from '../document.ts';
import { hiddenPart, joinBlocks, markdownTable } from '../markdown.ts';
import { cellAt, columnName, type FilledRow, findTables, type SheetStretch } from './find-tables.ts';
import {
  cellName,
  EMPTY_CELL,
  type RawSheet,
  type Sheet,
  type SheetCell,
  type SheetNote,
  type SheetTable,
} from './sheet.ts';

export function describeSheets(
  rawSheets: readonly RawSheet[],
  budget: ReadingBudget,
): Required<Pick<Document, 'parts' | 'sheets'>> {
  const parts: DocumentPart[] = [];
  const sheets: Sheet[] = [];
  for (const [at, raw] of rawSheets.entries()) {
    const layout = layoutOf(raw, budget);
    // The texts are counted first: they bound the rectangles that the tables fill.
    parts.push(...sheetParts(raw, layout, budget).map((part) => ({ ...part, page: at + 1 })));
    sheets.push(typedSheet(raw, layout));
  }
  return { parts, sheets };
}

/** A table with its columns, and the name and unit of each. A table without a header has no names. */
type TableLayout = Omit<Extract<SheetStretch, { kind: 'table' }>, 'units'> & {
  columns: number[];
  names: string[];
  units?: string[];
};
type TextLayout = Extract<SheetStretch, { kind: 'text' }>;
type Layout = (TableLayout | TextLayout)[];

const layoutOf = (raw: RawSheet, budget: ReadingBudget): Layout =>
  findTables(raw, budget).map((stretch) => {
    if (stretch.kind === 'text') return stretch;
    const { header, units: unitRow, rows } = stretch;
    const columns = columnsOf([...header, ...(unitRow ? [unitRow] : []), ...rows]);
    const names = header.length === 0 ? [] : columns.map((column) => columnName(header, column));
    const units = unitRow && columns.map((column) => unitOf(header, unitRow, column));
    return { kind: 'table', header, rows, columns, names, ...definedFields({ units }) };
  });

/** A name that is merged down into the row of units is not a unit. */
function unitOf(header: readonly FilledRow[], { cells }: FilledRow, column: number): string {
  const cell = cells[column];
  return cell === undefined || cell === header.at(-1)?.cells[column] ? '' : cell.text.trim();
}

/** Returns only the columns that contain text; a sheet may claim 16,384. */
function columnsOf(rows: readonly FilledRow[]): number[] {
  const used = new Set<number>();
  for (const { cells } of rows)
    cells.forEach((cell, column) => {
      // A cell that is merged to the right fills one column.
      if (cell !== cells[column - 1]) used.add(column);
    });
  return [...used].sort((a, b) => a - b);
}

/** A piece of a sheet that is not divided: a text, the header of a table, or one of its rows. */
type Line = { number: number; text: string } | { number: number; table: HeaderedTable; cells?: string[] };
type HeaderedTable = { heading: string[] };

const MAX_ROWS = 60;
const MAX_LENGTH = 6_000;

function sheetParts(raw: RawSheet, layout: Layout, budget: ReadingBudget): DocumentPart[] {
  const name = raw.name === undefined ? '' : `sheet ${raw.name}`;
  const visibleParts = cutLines(linesOf(raw, layout, false), name, budget);
  const hidden = cutLines(linesOf(raw, layout, true), name, budget);
  const comments = (raw.comments ?? []).map(({ cell, text }) => `[Comment at ${cell}: ${text}]`).join('\n');
  if (comments !== '') visibleParts.push({ label: `${name}, comments`, text: budget.countText(comments) });
  const drawings = (raw.drawings ?? []).map(({ cell, text }) => `[At ${cell}]\n\n${text}`).join('\n\n');
  if (drawings !== '') visibleParts.push({ label: `${name}, drawings`, text: drawings });
  const unseen = (raw.hiddenCells ?? []).map(({ cell, text }) => `[At ${cell}: ${text}]`).join('\n');
  if (unseen !== '') hidden.push({ label: `${name}, cells`, text: budget.countText(unseen) });
  return raw.hidden ? [...visibleParts, ...hidden].map(hiddenPart) : [...visibleParts, ...hidden.map(hiddenPart)];
}

/** Yields what the program shows of a sheet, or what it hides: rows, and columns of the other rows. */
function* linesOf(raw: RawSheet, layout: Layout, hidden: boolean): Generator<Line> {
  for (const stretch of layout) {
    if (stretch.kind === 'table') yield* tableLines(raw, stretch, hidden);
    else {
      const { number, cells } = stretch.row;
      const column = cells.findIndex(Boolean);
      const isHidden = raw.hiddenRows?.has(number) || raw.hiddenColumns?.has(column) || false;
      if (isHidden === hidden) yield { number, text: cells[column]?.text ?? '' };
    }
  }
}

function* tableLines(raw: RawSheet, layout: TableLayout, hidden: boolean): Generator<Line> {
  const { header, rows, names, units } = layout;
  const { hiddenRows = new Set(), hiddenColumns = new Set() } = raw;
  const keptIndexes = keptColumns(raw, layout, hidden);
  if (keptIndexes.length === 0) return;
  const heading = names.length === 0 ? [] : keptIndexes.map((at) => withUnit(names[at] ?? '', units?.[at] ?? ''));
  const columns = keptIndexes.map((at) => layout.columns[at] ?? 0);
  const table = { heading };
  let pending: Line[] = header[0] ? [{ number: header[0].number, table }] : [];
  // What is shown has its header, even without a row.
  if (!hidden) yield* pending.splice(0);
  for (const [at, { number }] of rows.entries()) {
    const isHiddenRow = hiddenRows.has(number);
    if (isHiddenRow && !hidden) continue;
    const cells = columns.map((column) =>
      isHiddenRow || hiddenColumns.has(column) === hidden ? (cellAt(rows, at, column)?.text ?? '') : '',
    );
    if (!cells.some(Boolean)) continue;
    yield* pending;
    pending = [];
    yield { number, table, cells };
  }
}

/** Returns positions in the list of columns. A hidden row is written with all of its columns. */
function keptColumns(
  { hiddenRows = new Set(), hiddenColumns = new Set() }: RawSheet,
  { rows, columns }: TableLayout,
  hidden: boolean,
): number[] {
  const isWhole = hidden && hiddenRows.size > 0 && rows.some(({ number }) => hiddenRows.has(number));
  return columns.flatMap((column, at) => (isWhole || hiddenColumns.has(column) === hidden ? [at] : []));
}

const withUnit = (name: string, unit: string): string => (unit === '' ? name : `${name} (${unit})`.trim());

type OpenPart = { from: number; to: number; blocks: (string | { table: HeaderedTable; rows: string[][] })[] };

/**
 * Divides a sheet into parts of limited length. Each part repeats the header of its table; if there are several, each
 * says which rows of the sheet it shows.
 */
function cutLines(lines: Iterable<Line>, name: string, budget: ReadingBudget): DocumentPart[] {
  const parts: (OpenPart & { text: string })[] = [];
  let open: OpenPart | undefined;
  let rows = 0;
  let length = 0;
  const close = () => {
    if (open) parts.push({ ...open, text: budget.countText(textOf(open)) });
    open = undefined;
    rows = 0;
    length = 0;
  };
  for (const line of lines) {
    const size = 'text' in line ? line.text.length : lengthOf(line.cells ?? line.table.heading);
    if (rows > 0 && (rows === MAX_ROWS || length + size > MAX_LENGTH)) close();
    open ??= { from: line.number, to: line.number, blocks: [] };
    addLine(open, line);
    open.to = line.number;
    length += size;
    if ('text' in line || line.cells) rows++;
  }
  close();
  const last = parts.at(-1)?.to ?? 0;
  return parts.map(({ from, to, text }) => {
    const range = `rows ${inGroups(from)} to ${inGroups(to)}`;
    if (parts.length === 1) return { label: name || range, text };
    return { label: `${name}${name && ', '}${range} of ${inGroups(last)}`, text };
  });
}

const inGroups = (number: number): string => number.toLocaleString('en');
const lengthOf = (cells: readonly string[]): number => cells.reduce((sum, cell) => sum + cell.length + 3, 0);

function addLine({ blocks }: OpenPart, line: Line): void {
  if ('text' in line) {
    blocks.push(line.text.trim());
    return;
  }
  let block = blocks.at(-1);
  if (typeof block !== 'object' || block.table !== line.table) {
    block = { table: line.table, rows: [] };
    blocks.push(block);
  }
  if (line.cells) block.rows.push(line.cells);
}

/** Markdown needs a header: without one, the first row stands there. */
const textOf = ({ blocks }: OpenPart): string =>
  joinBlocks(
    blocks.map((block) => ({
      text:
        typeof block === 'string'
          ? block
          : markdownTable(block.table.heading.length === 0 ? block.rows : [block.table.heading, ...block.rows]),
    })),
  );

function typedSheet({ name = '', hidden = false, ...raw }: RawSheet, layout: Layout): Sheet {
  const placeOf = (place: string) => (name === '' ? place : `${nameInPlace(name)}!${place}`);
  const texts: SheetNote[] = [];
  const tables: SheetTable[] = [];
  for (const stretch of layout) {
    if (stretch.kind === 'text') {
      const column = stretch.row.cells.findIndex(Boolean);
      const { text = '' } = stretch.row.cells[column] ?? {};
      texts.push({ place: placeOf(cellName(stretch.row.number, column)), text });
      continue;
    }
    const { header, rows, columns, names, units } = stretch;
    const allRows = [...header, ...rows];
    const from = cellName(allRows[0]?.number ?? 1, columns[0] ?? 0);
    const to = cellName(allRows.at(-1)?.number ?? 1, columns.at(-1) ?? 0);
    tables.push({
      place: placeOf(`${from}:${to}`),
      headerRows: header.length,
      header: names,
      ...definedFields({ units }),
      rows: rows.map((_, at) => columns.map((column): SheetCell => cellAt(rows, at, column) ?? EMPTY_CELL)),
      rowCount: rows.length,
      hiddenRows: rows.flatMap(({ number }, at) => (raw.hiddenRows?.has(number) ? [at] : [])),
      hiddenColumns: columns.flatMap((column, at) => (raw.hiddenColumns?.has(column) ? [at] : [])),
    });
  }
  const notesOf = (notes: { cell: string; text: string }[] = []) =>
    notes.map(({ cell, text }) => ({ place: placeOf(cell), text }));
  return {
    name,
    hidden,
    tables,
    texts,
    comments: notesOf(raw.comments),
    drawings: notesOf(raw.drawings),
    hiddenTexts: notesOf(raw.hiddenCells),
  };
}

/** Spreadsheet programs quote names that are not plain words. */
const nameInPlace = (name: string): string =>
  /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) ? name : `'${name.replaceAll("'", "''")}'`;
