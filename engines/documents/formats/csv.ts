/** CSV, with any common separator, as Markdown tables that repeat their header. */
import type { DocumentPart, ReadingBudget } from '../document.ts';
import { sheetTables } from '../markdown.ts';
import { decodeText } from '../text.ts';

const SEPARATORS = [',', ';', '\t', '|'];
const SAMPLED_LINES = 20;

export function readCsv(bytes: Uint8Array, budget: ReadingBudget): DocumentPart[] {
  const text = decodeText(bytes);
  const separator = separatorOf(text);
  const rows = new Map<number, string[]>();
  let number = 0;
  for (const cells of recordsOf(text, separator)) {
    number++;
    budget.countCells(cells.length);
    if (cells.some((cell) => cell.trim() !== '')) rows.set(number, cells);
  }
  return sheetTables(rows, budget);
}

/** Returns the separator that divides most of the first lines into the same number of cells, more than one. */
export function separatorOf(text: string): string {
  const head = text.split(/\r\n|\r|\n/, SAMPLED_LINES).filter((line) => line.trim() !== '');
  const scores = SEPARATORS.map((separator) => {
    const widths = head.map((line) => line.replaceAll(/"[^"]*"/g, '').split(separator).length);
    const [first = 1] = widths;
    const agreeing = widths.filter((width) => width === first).length;
    return first > 1 ? agreeing * 100 + first : widths.some((width) => width > 1) ? 1 : 0;
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
