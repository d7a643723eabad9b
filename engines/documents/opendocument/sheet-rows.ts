/** The rows of an OpenDocument sheet, whose rows and cells may claim to be repeated a million times. */
import type { Budget } from '../markdown/budget.ts';
import { allOf, attribute, type Element } from '../markup/parse-xml.ts';
import type { Rows } from '../sheets/tables-of.ts';
import { cellsOf, plainText } from './read-flow.ts';

const times = (element: Element, what: string): number => Math.max(Number(attribute(element, what) ?? 1) || 1, 1);

export function sheetRows(sheet: Element, budget: Budget): Rows {
  const rows: Rows = new Map();
  let number = 1;
  for (const row of allOf(sheet, 'table-row')) {
    const repeated = times(row, 'number-rows-repeated');
    const cells = textsOf(row, budget);
    // Empty rows are only counted, however many there are said to be.
    for (let n = 0; cells.length > 0 && n < repeated; n++) {
      budget.countCells(cells.length);
      rows.set(number + n, cells);
    }
    number += repeated;
  }
  return rows;
}

/** With holes where cells are empty. */
function textsOf(row: Element, budget: Budget): string[] {
  const cells: string[] = [];
  let column = 0;
  for (const cell of cellsOf(row)) {
    const repeated = times(cell, 'number-columns-repeated');
    const text = plainText(cell);
    if (text !== '') {
      budget.countCells(repeated);
      for (let n = 0; n < repeated; n++) cells[column + n] = text;
    }
    column += repeated;
  }
  return cells;
}
