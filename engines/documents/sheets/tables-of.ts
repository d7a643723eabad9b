/** The rows of a sheet as Markdown tables of a sensible length, each with the sheet's first row as its head. */
import type { Part } from '../document.ts';
import type { Budget } from '../markdown/budget.ts';
import { table } from '../markdown/table.ts';

/** By row number, counted from one; cells by column, counted from nought, holes allowed. */
export type Rows = Map<number, string[]>;

const ROWS_EACH = 60;
const LENGTH_EACH = 6_000;

/** Without a name the parts are called after their rows. */
export function tablesOf(rows: Rows, budget: Budget, sheet?: string): Part[] {
  const numbers = [...rows.keys()].sort((a, b) => a - b);
  const columns = columnsOf(rows);
  const line = (number: number) => columns.map((column) => rows.get(number)?.[column] ?? '');
  const [headNumber, ...rest] = numbers;
  if (headNumber === undefined) return [];
  const head = line(headNumber);
  const lengthOf = (cells: string[]) => cells.reduce((sum, cell) => sum + cell.length + 3, 0);

  const parts: Part[] = [];
  let held: string[][] = [];
  let from = headNumber;
  let to = headNumber;
  let length = 0;
  const close = () => {
    const place = `rows ${from}-${to}`;
    const text = budget.take(table([head, ...held]));
    parts.push({ label: sheet === undefined ? place : `sheet ${sheet}, ${place}`, text });
    held = [];
    length = 0;
  };
  for (const number of rest) {
    const cells = line(number);
    const size = lengthOf(cells);
    if (held.length > 0 && (held.length === ROWS_EACH || length + size > LENGTH_EACH)) {
      close();
      from = number;
    }
    held.push(cells);
    length += size;
    to = number;
  }
  close();
  const [only] = parts;
  if (parts.length === 1 && only && sheet !== undefined) only.label = `sheet ${sheet}`;
  return parts;
}

/** Only the columns that hold something: a sheet may claim 16,384. */
function columnsOf(rows: Rows): number[] {
  const used = new Set<number>();
  for (const cells of rows.values()) {
    cells.forEach((cell, column) => {
      if (cell !== '') used.add(column);
    });
  }
  return [...used].sort((a, b) => a - b);
}
