/** XLS: the cells of every sheet as they are displayed. */
import { type CellObject, read, type WorkBook } from '@e965/xlsx';
import type { ReaderInput } from '../document.ts';
import { type DocumentPart, type ReadingBudget, unreadable } from '../document.ts';
import { type SheetRows, sheetTables } from '../markdown.ts';

export function readXls({ bytes, budget }: ReaderInput): DocumentPart[] {
  const { SheetNames, Sheets } = workbookIn(bytes);
  return SheetNames.flatMap((name) => {
    const rows = (Sheets[name]?.['!data'] ?? []) as (CellObject | undefined)[][];
    return sheetTables(displayedRows(rows, budget), budget, name);
  });
}

/** The package reports a password only in the text of its error. */
const PASSWORD_ERROR = /password|encrypt|XOR/i;

function workbookIn(bytes: Buffer): WorkBook {
  try {
    return read(bytes, { type: 'buffer', dense: true, cellNF: false, cellHTML: false, cellText: true });
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    const isLocked = cause instanceof Error && PASSWORD_ERROR.test(cause.message);
    throw unreadable(isLocked ? 'encrypted' : 'corrupt', cause);
  }
}

/** `forEach` visits only existing cells; a sheet may claim a million rows. */
function displayedRows(sheet: (CellObject | undefined)[][], budget: ReadingBudget): SheetRows {
  const rows: SheetRows = new Map();
  sheet.forEach((cells, number) => {
    const texts: string[] = [];
    cells?.forEach((cell, column) => {
      const text = cell ? textOf(cell) : '';
      if (text === '') return;
      budget.countCells(1);
      texts[column] = text;
    });
    if (texts.length > 0) rows.set(number + 1, texts);
  });
  return rows;
}

const textOf = ({ w, v }: CellObject): string => {
  const text = w ?? (v === undefined ? '' : String(v));
  return text.includes('#####') ? String(v) : text;
};
