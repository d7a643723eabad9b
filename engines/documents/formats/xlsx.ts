/**
 * XLSX: the cells of every sheet as displayed, streamed so that a huge sheet reaches a limit before the heap is full.
 */
import { SSF } from '@e965/xlsx';
import type { ReaderInput } from '../document.ts';
import { type DocumentPart, type ReadingBudget, unreadable } from '../document.ts';
import { type SheetRows, sheetTables } from '../markdown.ts';
import { allOf, attribute, childOf, elementsOf, firstOf, parseXml, walkXml, type XmlElement } from '../xml.ts';
import { mainPart, openZip, relationsOf } from '../zip.ts';

/** Formats a number as the style of its cell displays it. */
type NumberFormatter = (value: number, style: number) => string;

function numberFormatsOf(styles: XmlElement | undefined, date1904: boolean): NumberFormatter {
  const sheet = childOf(styles, 'styleSheet');
  const own = new Map(
    children(childOf(sheet, 'numFmts')).map((format) => [
      Number(attribute(format, 'numFmtId')),
      attribute(format, 'formatCode') ?? 'General',
    ]),
  );
  const formats = children(childOf(sheet, 'cellXfs')).map((style) => Number(attribute(style, 'numFmtId') ?? 0));
  return (value, style) => {
    const id = formats[style] ?? 0;
    return formatNumber(value, own.get(id) ?? id, date1904);
  };
}

/** An unknown number format, or a date before the calendar begins, leaves the bare number. */
function formatNumber(value: number, format: string | number, date1904: boolean): string {
  try {
    const text = SSF.format(format, value, { date1904 });
    return text === '' || text.includes('#####') ? String(value) : text;
  } catch {
    return String(value);
  }
}

const children = (element: XmlElement | undefined): XmlElement[] => (element ? elementsOf(element) : []);

type Workbook = { shared: string[]; formatNumber: NumberFormatter; budget: ReadingBudget };

export function readXlsx({ bytes, budget }: ReaderInput): DocumentPart[] {
  const zip = openZip(bytes, budget);
  const main = mainPart(zip, 'xl/workbook.xml');
  const file = zip.entry(main);
  if (!file) throw unreadable('corrupt');
  const root = parseXml(file);
  const relations = relationsOf(zip, main);
  const fileOf = (type: string) => {
    const relation = relations.find((one) => one.type === type);
    return relation && zip.entry(relation.target);
  };
  const styles = fileOf('styles');
  const date1904 = /^(1|true)$/.test(attribute(firstOf(root, 'workbookPr'), 'date1904') ?? '');
  const workbook: Workbook = {
    shared: sharedStrings(fileOf('sharedStrings'), budget),
    formatNumber: numberFormatsOf(styles && parseXml(styles), date1904),
    budget,
  };
  return allOf(root, 'sheet').flatMap((sheet) => {
    const id = Object.entries(sheet.attributes).find(([name]) => name.endsWith(':id'))?.[1];
    const relation = relations.find((one) => one.id === id && one.type === 'worksheet');
    const cells = relation && zip.entry(relation.target);
    return cells ? sheetTables(rowsOf(cells, workbook), budget, attribute(sheet, 'name') ?? '') : [];
  });
}

function sharedStrings(file: Buffer | undefined, budget: ReadingBudget): string[] {
  const strings: string[] = [];
  let text = '';
  let inside = false;
  let phonetic = false;
  if (file) {
    walkXml(file, {
      open(name) {
        if (name === 'si') text = '';
        if (name === 't') inside = true;
        if (name === 'rPh') phonetic = true;
      },
      text(piece) {
        if (inside && !phonetic) text += piece;
      },
      close(name) {
        if (name === 't') inside = false;
        if (name === 'rPh') phonetic = false;
        if (name !== 'si') return;
        budget.countCells(1);
        strings.push(text);
      },
    });
  }
  return strings;
}

type Cell = { reference: string; type: string; style: number; value: string; formula: string };

function rowsOf(file: Buffer, workbook: Workbook): SheetRows {
  const rows: SheetRows = new Map();
  let row = 0;
  let column = -1;
  let cell: Cell | undefined;
  let into: 'value' | 'formula' | undefined;
  walkXml(file, {
    open(name, attributes) {
      if (name === 'row') {
        row = Number(attributes.r ?? row + 1);
        column = -1;
      } else if (name === 'c') {
        const { r = '', t = 'n', s = '0' } = attributes;
        cell = { reference: r, type: t, style: Number(s), value: '', formula: '' };
      } else if (name === 'v' || name === 't') into = 'value';
      else if (name === 'f') into = 'formula';
    },
    text(piece) {
      if (cell && into) cell[into] += piece;
    },
    close(name) {
      if (name === 'v' || name === 't' || name === 'f') into = undefined;
      if (name !== 'c' || !cell) return;
      column = columnOf(cell.reference) ?? column + 1;
      const text = textOf(cell, workbook);
      cell = undefined;
      if (text === '') return;
      workbook.budget.countCells(1);
      const cells = rows.get(row) ?? [];
      cells[column] = text;
      rows.set(row, cells);
    },
  });
  return rows;
}

function textOf({ type, style, value, formula }: Cell, { shared, formatNumber: shown }: Workbook): string {
  if (value === '') return formula === '' ? '' : `=${formula}`;
  switch (type) {
    case 's':
      return shared[Number(value)] ?? '';
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    case 'n': {
      const number = Number(value);
      return Number.isFinite(number) ? shown(number, style) : value;
    }
    default:
      return value;
  }
}

const MAX_COLUMNS = 16_384;

/** Returns the zero-based column number. */
function columnOf(reference: string): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(reference) ?? [];
  if (letters === undefined) return undefined;
  const number = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return number <= MAX_COLUMNS ? number - 1 : undefined;
}
