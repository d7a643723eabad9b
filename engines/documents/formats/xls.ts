/** XLS: the cells of every sheet as they are displayed and stored. */
import { type CellObject, read, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { type ReaderInput, type ReaderResult, type ReadingBudget, unreadable } from '../document.ts';
import { type NumberFormatter, numberFormatter } from '../sheets/number-formats.ts';
import {
  booleanCell,
  type CellRows,
  cellName,
  parseRange,
  type RawSheet,
  type SheetCell,
  textCell,
} from '../sheets/sheet.ts';
import { describeSheets } from '../sheets/sheet-parts.ts';

export function readXls({ bytes, budget }: ReaderInput): ReaderResult {
  const { SheetNames, Sheets, Workbook } = workbookIn(bytes);
  const format = numberFormatter(Workbook?.WBProps?.date1904 ?? false);
  const sheets = SheetNames.map((name, at) => {
    const sheet = Sheets[name] ?? {};
    return { name, hidden: (Workbook?.Sheets?.[at]?.Hidden ?? 0) !== 0, ...rawSheet(sheet, format, budget) };
  });
  return describeSheets(sheets, budget);
}

/** The package reports a password only in the text of its error. */
const PASSWORD_ERROR = /password|encrypt|XOR/i;

function workbookIn(bytes: Buffer): WorkBook {
  try {
    // Without `cellStyles`, hidden rows and columns are left out.
    return read(bytes, {
      type: 'buffer',
      dense: true,
      cellNF: true,
      cellHTML: false,
      cellText: true,
      cellStyles: true,
    });
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    const isLocked = cause instanceof Error && PASSWORD_ERROR.test(cause.message);
    throw unreadable(isLocked ? 'encrypted' : 'corrupt', cause);
  }
}

function rawSheet(sheet: WorkSheet, format: NumberFormatter, budget: ReadingBudget): RawSheet {
  const rows: CellRows = new Map();
  const comments: { cell: string; text: string }[] = [];
  const data = (sheet['!data'] ?? []) as (CellObject | undefined)[][];
  // `forEach` visits only existing cells; a sheet may claim a million rows.
  data.forEach((objects, row) => {
    const cells: SheetCell[] = [];
    objects?.forEach((object, column) => {
      const text = object?.c?.map(({ t = '' }) => t.trim()).join('\n') ?? '';
      if (text !== '') comments.push({ cell: cellName(row + 1, column), text });
      const cell = object && cellOf(object, format);
      if (!cell) return;
      budget.countCells(1);
      cells[column] = cell;
    });
    if (cells.length > 0) rows.set(row + 1, cells);
  });
  const filter = parseRange(sheet['!autofilter']?.ref ?? '');
  return {
    rows,
    comments,
    merges: (sheet['!merges'] ?? []).map(({ s, e }) => ({ top: s.r + 1, left: s.c, bottom: e.r + 1, right: e.c })),
    declared: filter ? [filter] : [],
    hiddenRows: hiddenIn(sheet['!rows'], 1),
    hiddenColumns: hiddenIn(sheet['!cols'], 0),
  };
}

/** The lists may be sparse. */
function hiddenIn(list: { hidden?: boolean }[] = [], first: number): Set<number> {
  const hidden = new Set<number>();
  list.forEach((entry, at) => {
    if (entry?.hidden) hidden.add(at + first);
  });
  return hidden;
}

function cellOf({ t, v, w, z }: CellObject, format: NumberFormatter): SheetCell | undefined {
  if (t === 'n' && typeof v === 'number') return format(v, z ?? 'General');
  if (t === 'b') return booleanCell(v === true);
  const text = w ?? (v === undefined ? '' : String(v));
  return text.trim() === '' ? undefined : textCell(text);
}
