/** CSV, with any common separator, as one sheet of typed cells. */
import type { ReaderResult, ReadingBudget } from '../document.ts';
import { booleanCell, type CellRows, type SheetCell, textCell } from '../sheets/sheet.ts';
import { describeSheets } from '../sheets/sheet-parts.ts';
import { decodeText } from '../text.ts';

const SEPARATORS = [',', ';', '\t', '|'];
const SAMPLED_LINES = 20;

export function readCsv(bytes: Uint8Array, budget: ReadingBudget): ReaderResult {
  const text = decodeText(bytes);
  const separator = separatorOf(text);
  const rows: CellRows = new Map();
  let number = 0;
  for (const record of recordsOf(text, separator)) {
    number++;
    budget.countCells(record.length);
    const cells: SheetCell[] = [];
    for (const [column, cellText] of record.entries())
      if (cellText.trim() !== '') cells[column] = cellOf(cellText, separator === ';' ? ',' : '.');
    if (cells.length > 0) rows.set(number, cells);
  }
  return describeSheets([{ rows }], budget);
}

/** Texts that can mean only one number. Leading zeros belong to codes, as in postcodes. */
const NUMBER: Record<string, RegExp> = {
  '.': /^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/,
  ',': /^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/,
};
const MAX_DIGITS = 15;

/** Where semicolons part the cells, commas part the decimals. */
function cellOf(written: string, decimalMark: '.' | ','): SheetCell {
  const text = written.trim();
  if (/^(?:true|false)$/i.test(text)) return { ...booleanCell(/^true$/i.test(text)), text };
  if (/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d(?::\d\d)?)?$/.test(text))
    return { text, value: text.replace(' ', 'T'), type: 'date' };
  const [, digits = '', percent = ''] = /^(.*?)\s?(%?)$/.exec(text) ?? [];
  if (!NUMBER[decimalMark]?.test(digits) || digits.length > MAX_DIGITS) return textCell(written);
  const plain = decimalMark === ',' ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', '');
  const value = Number(plain);
  return percent === '' ? { text, value, type: 'number' } : { text, value: value / 100, type: 'percent' };
}

/**
 * Returns the separator that divides most of the first lines into the same number of cells, more than one. Titles in
 * front of the header have only one.
 */
export function separatorOf(text: string): string {
  const head = text.split(/\r\n|\r|\n/, SAMPLED_LINES).filter((line) => line.trim() !== '');
  const scores = SEPARATORS.map((separator) => {
    const widths = head.map((line) => line.replaceAll(/"[^"]*"/g, '').split(separator).length);
    const counts = Map.groupBy(
      widths.filter((width) => width > 1),
      (width) => width,
    );
    return Math.max(0, ...[...counts].map(([width, { length }]) => length * 100 + width));
  });
  return SEPARATORS[scores.indexOf(Math.max(...scores))] ?? ',';
}

/** Follows RFC 4180. A quote that is never closed, or is inside an unquoted cell, is an ordinary character. */
export function* recordsOf(text: string, separator: string): Generator<string[]> {
  const stop = new RegExp(`[\\r\\n${separator === '|' ? '\\|' : separator}]`, 'g');
  const lastQuote = text.lastIndexOf('"');
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quoted = text[at] === '"' && at < lastQuote ? quotedAt(text, at) : undefined;
    stop.lastIndex = quoted?.end ?? at;
    const end = stop.exec(text)?.index ?? text.length;
    cells.push(quoted?.value ?? text.slice(at, end));
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
    if (text[end] === separator && at < text.length) continue;
    if (text[end] === separator) cells.push('');
    yield cells;
    cells = [];
  }
}

/** `end` is the position after the closing quote. */
function quotedAt(text: string, begin: number): { value: string; end: number } | undefined {
  let end = text.indexOf('"', begin + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end < 0 ? undefined : { value: text.slice(begin + 1, end).replaceAll('""', '"'), end: end + 1 };
}
