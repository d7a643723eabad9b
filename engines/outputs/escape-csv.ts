/** Escapes cells of CSV, so that no program that opens the file calculates because of them. */
import { withoutInvisible } from './invisible-characters.ts';

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?%?$/;
/** Includes the full-width forms: some spreadsheets read them as the ASCII characters. */
const FORMULA_SIGNS = '=+\\-@|＝＋－＠';
/** What programs may drop in front of a formula: quotes, the sign of a percentage, and spaces of every width, also none. */
const GAP = '[\\p{Zs}\\u2028\\u2029\\u2800\\p{Default_Ignorable_Code_Point}"%]*';
/** A cell's start for programs that separate by `;` or tab, regardless of quotes around the cell. */
const CELL_START = new RegExp(`(^|[;\\t\\r\\n])(${GAP})(?=[${FORMULA_SIGNS}])([^;\\t\\r\\n]*)`, 'gu');
const CSV_CELL_START = new RegExp(`(^|[,;\\t\\r\\n])(${GAP})(?=[${FORMULA_SIGNS}])([^,;\\t\\r\\n"]*)`, 'gu');

const withApostrophe = (_: string, before: string, gap: string, cell: string): string =>
  `${before}${gap}${PLAIN_NUMBER.test(cell.trim()) ? '' : "'"}${cell}`;

/** Escapes one CSV cell (RFC 4180). A formula gets an apostrophe in front; a plain number stays as it is. */
export function toCsvCell(text: string): string {
  const visible = withoutInvisible(text);
  const safe = (/^[\t\r\n]/.test(visible) ? `'${visible}` : visible).replaceAll(CELL_START, withApostrophe);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Neutralizes a complete CSV or TSV text, such as one that a model wrote. */
export const toSafeCsv = (text: string): string => withoutInvisible(text).replaceAll(CSV_CELL_START, withApostrophe);
