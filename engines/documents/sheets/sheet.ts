/** Sheets of workbooks: typed cells, tables, and the names of cells and ranges such as `Costs!B4:F40`. */

type CellType = 'text' | 'number' | 'date' | 'percent' | 'currency' | 'boolean' | 'empty';

/**
 * A cell as it is shown and as it is stored. A `value` is an ISO date or time for dates, the fraction for percentages,
 * the text for texts, and null for an empty cell or a formula without a result.
 */
export type SheetCell = {
  text: string;
  value: string | number | boolean | null;
  type: CellType;
  /** The ISO 4217 code, if the number format names the currency. */
  currency?: string;
};

export type SheetTable = {
  /** The range of the header and the rows: `Costs!B4:F40`. */
  place: string;
  /** How many rows of the sheet make up the header. 0 for rows without a header, such as pairs of keys and values. */
  headerRows: number;
  /** One name per column. The names of a header of several rows are joined: `Revenue / 2025`. */
  header: string[];
  /** The row of units below the header, if there is one: an empty text for a column without a unit. */
  units?: string[];
  rows: SheetCell[][];
  rowCount: number;
  /** Positions in `rows`, from 0, of the rows that the program hides. */
  hiddenRows: number[];
  /** Positions in `header`, from 0, of the columns that the program hides. */
  hiddenColumns: number[];
};

/** A text of a sheet with the cell that it stands in or is anchored to. */
export type SheetNote = { place: string; text: string };

export type Sheet = {
  name: string;
  hidden: boolean;
  tables: SheetTable[];
  /** Titles, footnotes and other texts that stand alone in their row. */
  texts: SheetNote[];
  comments: SheetNote[];
  /** Text boxes, charts and alternative texts of pictures, as Markdown. */
  drawings: SheetNote[];
  /** Cells in which a person sees nothing: white on white, under 3 pt, or shown by a format without any sign. */
  hiddenTexts: SheetNote[];
};

/** Cells by one-based row number and zero-based column; empty cells are holes. No two cells are the same object. */
export type CellRows = Map<number, SheetCell[]>;

/** A rectangle of cells: one-based rows, zero-based columns, all inclusive. */
export type CellRange = { top: number; left: number; bottom: number; right: number };

/** What a reader finds of one sheet. */
export type RawSheet = {
  /** A CSV file has no name for its only sheet. */
  name?: string;
  hidden?: boolean;
  rows: CellRows;
  merges?: CellRange[];
  /** Ranges that the workbook itself declares to be tables, the first row being the header. */
  declared?: CellRange[];
  hiddenRows?: Set<number>;
  hiddenColumns?: Set<number>;
  comments?: { cell: string; text: string }[];
  /** Cells that a person does not see for their look. They are not among the rows. */
  hiddenCells?: { cell: string; text: string }[];
  /** Text boxes, charts and alternative texts as Markdown, each with the cell that it is anchored to. */
  drawings?: { cell: string; text: string }[];
};

export const EMPTY_CELL: SheetCell = { text: '', value: null, type: 'empty' };

export const textCell = (text: string): SheetCell => ({ text, value: text, type: 'text' });

export const booleanCell = (value: boolean): SheetCell => ({
  text: value ? 'TRUE' : 'FALSE',
  value,
  type: 'boolean',
});

const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;

/** Returns the zero-based column of a reference such as `AB12`. */
export function columnOf(reference: string): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(reference) ?? [];
  if (letters === undefined) return undefined;
  const number = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return number <= MAX_COLUMNS ? number - 1 : undefined;
}

/** Parses a range such as `A1:C9`, or a single cell. */
export function parseRange(text: string): CellRange | undefined {
  const [, from = '', top = '', to = from, bottom = top] =
    /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/.exec(text) ?? [];
  const left = columnOf(from);
  const right = columnOf(to);
  const range = { top: Number(top), bottom: Number(bottom), left: left ?? 0, right: right ?? -1 };
  const isOrdered = range.top >= 1 && range.top <= range.bottom && range.left <= range.right;
  return isOrdered && range.bottom <= MAX_ROWS ? range : undefined;
}

export function cellName(row: number, column: number): string {
  let letters = '';
  for (let remaining = column + 1; remaining > 0; remaining = Math.floor((remaining - 1) / 26))
    letters = String.fromCharCode(65 + ((remaining - 1) % 26)) + letters;
  return `${letters}${row}`;
}

/** The name of the sheet of a place such as `Costs!B4:F40`. Empty for a table of no sheet. */
export const sheetOf = (place: string): string =>
  (/^(.*)!/s.exec(place)?.[1] ?? '').replace(/^'(.*)'$/s, (_, name: string) => name.replaceAll("''", "'"));
