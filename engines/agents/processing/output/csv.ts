/** CSV by RFC 4180 that no spreadsheet takes for formulas. */
import type { Results } from '../results.ts';
import { type Row, VALUE_HEAD, valueRows } from './rows.ts';

/** Tells Excel that it is UTF-8. */
const MARK = '\uFEFF';
const FORMULA = /^[=+\-@\t\r\n|＝＋－＠]/;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?%?$/;

export const csvOf = (results: Results): string => `${MARK}${[VALUE_HEAD, ...valueRows(results)].map(lineOf).join('')}`;

const lineOf = (row: Row): string => `${row.map(cellOf).join(',')}\r\n`;

/** What a spreadsheet would compute gets an apostrophe in front; a number is no formula. */
function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
