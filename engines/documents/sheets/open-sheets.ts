/** The sheets of an ODS file: typed cells, merged ranges, hidden rows and columns, comments. */
import { definedFields } from '../../../shared/core/optional-fields.ts';
import type { ReadingBudget } from '../document.ts';
import { allOf, attribute, childOf, elementsOf, type XmlElement } from '../xml.ts';
import { type CellRange, type CellRows, cellName, type RawSheet, type SheetCell, textCell } from './sheet.ts';

/** `textOf` reads the text of a cell, without its comment. */
type Reading = { textOf(cell: XmlElement): string; budget: ReadingBudget };

const MAX_COLUMNS = 16_384;

export const openSheets = (spreadsheet: XmlElement, styles: XmlElement | undefined, reading: Reading): RawSheet[] => {
  const hiddenStyles = new Set(
    allOf(styles, 'style')
      .filter((style) => attribute(childOf(style, 'table-properties'), 'display') === 'false')
      .map((style) => attribute(style, 'name')),
  );
  return allOf(spreadsheet, 'table').map((sheet) => ({
    name: attribute(sheet, 'name') ?? '',
    hidden: hiddenStyles.has(attribute(sheet, 'style-name') ?? ''),
    ...rawSheet(sheet, reading),
  }));
};

const repetitions = (element: XmlElement, what: string): number =>
  Math.max(Number(attribute(element, what) ?? 1) || 1, 1);

const isHidden = (element: XmlElement): boolean => /^(?:collapse|filter)$/.test(attribute(element, 'visibility') ?? '');

/** Rows and cells of a sheet may claim to be repeated a million times. */
function rawSheet(sheet: XmlElement, reading: Reading): RawSheet {
  const rows: CellRows = new Map();
  const merges: CellRange[] = [];
  const comments: { cell: string; text: string }[] = [];
  const hiddenRows = new Set<number>();
  let number = 1;
  for (const row of allOf(sheet, 'table-row')) {
    const repeated = repetitions(row, 'number-rows-repeated');
    const found = readRow(row, reading);
    // Empty rows are only counted, whatever their repetition.
    for (let n = 0; found.cells.length > 0 && n < repeated; n++) {
      reading.budget.countCells(found.cells.length);
      rows.set(number + n, n === 0 ? found.cells : found.cells.map((cell) => ({ ...cell })));
      if (isHidden(row)) hiddenRows.add(number + n);
    }
    for (const { left, right, rows: height } of found.spans)
      merges.push({ top: number, left, right, bottom: number + height - 1 });
    for (const { column, text } of found.comments) comments.push({ cell: cellName(number, column), text });
    number += repeated;
  }
  return { rows, merges, hiddenRows, hiddenColumns: hiddenColumnsOf(sheet), comments };
}

function hiddenColumnsOf(sheet: XmlElement): Set<number> {
  const hidden = new Set<number>();
  let column = 0;
  for (const one of allOf(sheet, 'table-column')) {
    const end = Math.min(column + repetitions(one, 'number-columns-repeated'), MAX_COLUMNS);
    for (let at = column; isHidden(one) && at < end; at++) hidden.add(at);
    column = end;
  }
  return hidden;
}

type ReadRow = {
  /** Sparse: empty cells are holes. */
  cells: SheetCell[];
  spans: { left: number; right: number; rows: number }[];
  comments: { column: number; text: string }[];
};

function readRow(row: XmlElement, { textOf, budget }: Reading): ReadRow {
  const found: ReadRow = { cells: [], spans: [], comments: [] };
  let column = 0;
  for (const element of elementsOf(row)) {
    if (element.name !== 'table-cell' && element.name !== 'covered-table-cell') continue;
    const repeated = repetitions(element, 'number-columns-repeated');
    const cell = cellOf(element, textOf(element));
    if (cell) {
      budget.countCells(repeated);
      for (let n = 0; n < repeated; n++) found.cells[column + n] = n === 0 ? cell : { ...cell };
      found.spans.push(...spanOf(element, column));
    }
    const text = commentOf(element, textOf);
    if (text !== '') found.comments.push({ column, text });
    column += repeated;
  }
  return found;
}

function spanOf(element: XmlElement, left: number): ReadRow['spans'] {
  const width = repetitions(element, 'number-columns-spanned');
  const rows = repetitions(element, 'number-rows-spanned');
  return width > 1 || rows > 1 ? [{ left, right: left + width - 1, rows }] : [];
}

function commentOf(element: XmlElement, textOf: Reading['textOf']): string {
  const comment = childOf(element, 'annotation');
  const text = comment ? textOf(comment) : '';
  const author = childOf(comment, 'creator')?.children.join('').trim() ?? '';
  return text === '' || author === '' ? text : `${author}: ${text}`;
}

/** Dates, percentages and currencies are stored with their type, whatever the format shows. */
function cellOf(element: XmlElement, text: string): SheetCell | undefined {
  if (text === '') return undefined;
  const value = Number(attribute(element, 'value') ?? Number.NaN);
  const type = attribute(element, 'value-type');
  switch (type) {
    case 'float':
      return Number.isFinite(value) ? { text, value, type: 'number' } : textCell(text);
    case 'percentage':
      return Number.isFinite(value) ? { text, value, type: 'percent' } : textCell(text);
    case 'currency': {
      const currency = attribute(element, 'currency');
      return Number.isFinite(value)
        ? { text, value, type: 'currency', ...definedFields({ currency }) }
        : textCell(text);
    }
    case 'date':
      return { text, value: attribute(element, 'date-value') ?? text, type: 'date' };
    case 'time':
      return { text, value: timeOf(attribute(element, 'time-value') ?? '') ?? text, type: 'date' };
    case 'boolean':
      return { text, value: attribute(element, 'boolean-value') === 'true', type: 'boolean' };
    default:
      return textCell(text);
  }
}

/** Writes a time of day such as `PT08H30M00S` as `08:30:00`. */
function timeOf(duration: string): string | undefined {
  const [, hours = '', minutes = '', seconds = ''] = /^PT(\d\d)H(\d\d)M(\d\d)(?:[.,]\d+)?S$/.exec(duration) ?? [];
  return hours === '' ? undefined : `${hours}:${minutes}:${seconds}`;
}
