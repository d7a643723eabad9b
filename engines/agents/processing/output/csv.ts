/** The values as CSV (RFC 4180) that no spreadsheet calculates. */
import { toCsvCell } from '../../../outputs/neutralize.ts';
import type { ProcessingResults } from '../results.ts';
import { VALUE_HEAD, valueRows } from './rows.ts';

/** Tells Excel that the file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

export const csvOf = (results: ProcessingResults): string =>
  BYTE_ORDER_MARK + [VALUE_HEAD, ...valueRows(results)].map((row) => `${row.map(toCsvCell).join(',')}\r\n`).join('');
