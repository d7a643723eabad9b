/** The rows of an OpenDocument sheet, whose rows and cells may claim to be repeated a million times. */
import type { ReadingBudget } from '../markdown/budget.ts';
import { allOf, attribute, type XmlElement } from '../markup/parse-xml.ts';
import type { SheetRows } from '../sheets/tables-of.ts';
import { cellsOf, elementText } from './read-flow.ts';

const repetitions = (element: XmlElement, what: string): number =>
  Math.max(Number(attribute(element, what) ?? 1) || 1, 1);

export function sheetRows(sheet: XmlElement, budget: ReadingBudget): SheetRows {
  const rows: SheetRows = new Map();
  let number = 1;
  for (const row of allOf(sheet, 'table-row')) {
    const repeated = repetitions(row, 'number-rows-repeated');
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
function textsOf(row: XmlElement, budget: ReadingBudget): string[] {
  const cells: string[] = [];
  let column = 0;
  for (const cell of cellsOf(row)) {
    const repeated = repetitions(cell, 'number-columns-repeated');
    const text = elementText(cell);
    if (text !== '') {
      budget.countCells(repeated);
      for (let n = 0; n < repeated; n++) cells[column + n] = text;
    }
    column += repeated;
  }
  return cells;
}
