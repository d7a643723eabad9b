/** The cells of the tables that agents write: their values, how a spreadsheet stores them, and what a reader sees. */

import Big from 'big.js';
import { DAY_MS } from '../../shared/core/time.ts';

/** A `value` is a decimal for numbers (a fraction for percentages), and ISO 8601 for dates. */
export type TypedCell =
  | { type: 'number'; value: string }
  /** `decimals` of the percentage that are shown, usually those of its column; by default those that the value has. */
  | { type: 'percent'; value: string; decimals?: number }
  | { type: 'currency'; value: string; currency: string }
  | { type: 'date'; value: string }
  | { type: 'boolean'; value: boolean }
  /** A checked HTTPS URL, which XLSX makes a link. Other texts of this type stay texts. */
  | { type: 'link'; value: string }
  /** A text that leads to a row of another sheet. */
  | { type: 'reference'; value: string; sheet: string; row: number };

/** A string is a text cell. */
export type OutputCell = string | TypedCell;

type PercentCell = Extract<TypedCell, { type: 'percent' }>;
/** A cell that spreadsheets store as a number with a format. */
type NumericCell = Extract<TypedCell, { type: 'number' | 'percent' | 'currency' | 'date' }>;

/** Spreadsheets keep 15 digits. */
const MAX_DIGITS = 15;
/** A percentage with more decimals is a quotient, of which readers want to see no more. */
export const MAX_PERCENT_DECIMALS = 6;

/** The cell as CSV and Markdown have it: decimals in full, percentages with their sign, dates as ISO 8601. */
export function plainValue(cell: OutputCell): string {
  if (typeof cell === 'string') return cell;
  if (cell.type !== 'percent' || !isDecimal(cell.value)) return String(cell.value);
  const percentage = percentageOf(cell);
  return `${percentage.toFixed(Math.max(percentDecimals(cell), decimalsIn(percentage.toFixed())))}%`;
}

/** The cell as a spreadsheet shows it. */
export function shownValue(cell: OutputCell): string {
  if (typeof cell === 'string') return cell;
  switch (cell.type) {
    case 'boolean':
      return cell.value ? 'TRUE' : 'FALSE';
    case 'link':
    case 'reference':
      return cell.value;
    default:
      return storedNumber(cell) === undefined ? plainValue(cell) : formattedNumber(cell);
  }
}

/** The number and its format, or undefined if the cell can only be a text: a date before 1900, or too many digits. */
export function storedNumber(cell: NumericCell): { number: string; format: string } | undefined {
  const number = cell.type === 'date' ? serialOf(cell.value) : exactNumber(cell);
  return number === undefined ? undefined : { number, format: formatOf(cell) };
}

const isDecimal = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text);
const decimalsIn = (decimal: string): number => decimal.split('.')[1]?.length ?? 0;

const percentageOf = ({ value }: PercentCell): Big => new Big(value).times(100);

const percentDecimals = ({ value, decimals }: PercentCell): number =>
  Math.min(MAX_PERCENT_DECIMALS, decimals ?? Math.max(0, decimalsIn(value) - 2));

/** An amount has at least two decimals. */
const amountDecimals = (value: string): number => Math.min(MAX_DIGITS, Math.max(2, decimalsIn(value)));

function formatOf(cell: NumericCell): string {
  const zeros = (count: number) => (count === 0 ? '0' : `0.${'0'.repeat(count)}`);
  switch (cell.type) {
    case 'date':
      return hasTime(cell.value) ? 'yyyy-mm-dd hh:mm:ss' : 'yyyy-mm-dd';
    case 'percent':
      return `${zeros(percentDecimals(cell))}%`;
    case 'currency':
      return `#,##${zeros(amountDecimals(cell.value))} "${codeOf(cell)}"`;
    case 'number':
      return zeros(Math.min(MAX_DIGITS, decimalsIn(cell.value)));
  }
}

/** The text that the format of `formatOf` gives. */
function formattedNumber(cell: NumericCell): string {
  switch (cell.type) {
    case 'date':
      return hasTime(cell.value)
        ? cell.value.replace('T', ' ').padEnd('2026-03-31 14:30:00'.length, ':00')
        : cell.value;
    case 'percent':
      return `${percentageOf(cell).toFixed(percentDecimals(cell))}%`;
    case 'currency': {
      const [whole = '', decimals = ''] = new Big(cell.value).toFixed(amountDecimals(cell.value)).split('.');
      return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}.${decimals} ${codeOf(cell)}`;
    }
    case 'number':
      return new Big(cell.value).toFixed(Math.min(MAX_DIGITS, decimalsIn(cell.value)));
  }
}

const hasTime = (iso: string): boolean => iso.includes('T');

const codeOf = ({ currency }: Extract<TypedCell, { type: 'currency' }>): string => currency.replaceAll(/[^A-Z]/g, '');

/**
 * A longer number stays text, because its other digits would be lost silently. Those of a percentage are not shown anyway,
 * so it is rounded.
 */
function exactNumber({ type, value }: Exclude<NumericCell, { type: 'date' }>): string | undefined {
  if (!isDecimal(value)) return undefined;
  if (value.replaceAll(/\D|^-?0+\.?0*/g, '').length <= MAX_DIGITS) return value;
  return type === 'percent' ? new Big(value).prec(MAX_DIGITS).toFixed() : undefined;
}

/** Day 0 of spreadsheets, valid for all dates after their nonexistent 29 February 1900. */
const EPOCH = Date.UTC(1899, 11, 30);
const FIRST_SERIAL = 61;

function serialOf(iso: string): string | undefined {
  const time = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?$/.test(iso)
    ? Date.parse(hasTime(iso) ? `${iso}Z` : iso)
    : Number.NaN;
  const serial = (time - EPOCH) / DAY_MS;
  return serial >= FIRST_SERIAL ? String(serial) : undefined;
}
