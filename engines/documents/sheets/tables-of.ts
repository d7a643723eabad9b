/** The rows of a sheet as Markdown tables of a sensible length, each with the sheet's first row as its head. */
import type { DocumentPart } from '../document.ts';
import type { ReadingBudget } from '../markdown/budget.ts';
import { markdownTable } from '../markdown/table.ts';

/** By row number, counted from one; cells by column, counted from nought, holes allowed. */
export type SheetRows = Map<number, string[]>;

const ROWS_PER_TABLE = 60;
const LENGTH_PER_TABLE = 6_000;

/** Without a name the parts are called after their rows. */
export function sheetTables(rows: SheetRows, budget: ReadingBudget, sheet?: string): DocumentPart[] {
  const numbers = [...rows.keys()].sort((a, b) => a - b);
  const columns = columnsOf(rows);
  const line = (number: number) => columns.map((column) => rows.get(number)?.[column] ?? '');
  const [headNumber, ...rest] = numbers;
  if (headNumber === undefined) return [];
  const head = line(headNumber);
  const lengthOf = (cells: string[]) => cells.reduce((sum, cell) => sum + cell.length + 3, 0);

  const parts: DocumentPart[] = [];
  let open: string[][] = [];
  let from = headNumber;
  let to = headNumber;
  let length = 0;
  const close = () => {
    const range = `rows ${from}-${to}`;
    const text = budget.countText(markdownTable([head, ...open]));
    parts.push({ label: sheet === undefined ? range : `sheet ${sheet}, ${range}`, text });
    open = [];
    length = 0;
  };
  for (const number of rest) {
    const cells = line(number);
    const size = lengthOf(cells);
    if (open.length > 0 && (open.length === ROWS_PER_TABLE || length + size > LENGTH_PER_TABLE)) {
      close();
      from = number;
    }
    open.push(cells);
    length += size;
    to = number;
  }
  close();
  const [only] = parts;
  if (parts.length === 1 && only && sheet !== undefined) only.label = `sheet ${sheet}`;
  return parts;
}

/** Only the columns that hold something: a sheet may claim 16,384. */
function columnsOf(rows: SheetRows): number[] {
  const used = new Set<number>();
  for (const cells of rows.values()) {
    cells.forEach((cell, column) => {
      if (cell !== '') used.add(column);
    });
  }
  return [...used].sort((a, b) => a - b);
}
