/** The limits of DynamoDB, checked for every table, so that a local run accepts no more than AWS. */

import type { Draft, Key, ListEntry, Spend } from '../ports.ts';
import { Problem } from './problem.ts';

export const ROW_LIMITS = {
  pkBytes: 2_048,
  skBytes: 1_024,
  rowBytes: 409_600,
  keysAtOnce: 100,
  countersAtOnce: 20,
} as const;

/** The most that names, numbers and the version add to a row. */
const ALLOWANCE_BYTES = 300;
const MAX_BYTES_OF_A_UNIT = 3;

/** The length of an instant and `#` before an id in the sort order of a list: `0001780000000000#id`. */
const ORDER_BYTES_BEFORE_ID = 17;

export function checkRowKey({ pk, sk }: Key): void {
  checkText(pk, ROW_LIMITS.pkBytes, 'pk');
  checkText(sk, ROW_LIMITS.skBytes, 'sk');
}

export function checkRowKeys(keys: Key[]): void {
  if (keys.length > ROW_LIMITS.keysAtOnce) throw new RangeError(`At most ${ROW_LIMITS.keysAtOnce} keys at once.`);
  keys.forEach(checkRowKey);
}

/** Returns the JSON text of the value if the whole row fits. */
export function checkedJson(row: Draft<unknown>): string {
  checkRowKey(row);
  if (row.dueAt !== undefined) checkInstant(row.dueAt, 'dueAt');
  if (row.expiresAt !== undefined) checkInstant(row.expiresAt, 'expiresAt');
  if (row.listed) checkListed(row.listed);
  const json: string | undefined = JSON.stringify(row.value);
  if (json === undefined) throw new TypeError('A row needs a value that JSON can hold.');
  const { list = '', id = '', state = '', type = '' } = row.listed ?? {};
  const texts = [json, row.pk, row.sk, list, id, state, type];
  if (!fits(texts, ROW_LIMITS.rowBytes - ALLOWANCE_BYTES)) {
    throw new Problem('tooLarge', 'This is more than one row of the table can hold.');
  }
  return json;
}

export function checkSpend({ by, atMost, expiresAt }: Spend): void {
  const names = new Set([...Object.keys(by), ...Object.keys(atMost)]);
  if (names.size > ROW_LIMITS.countersAtOnce) {
    throw new RangeError(`At most ${ROW_LIMITS.countersAtOnce} counters at once.`);
  }
  for (const amount of Object.values(by)) checkWhole(amount, 'An amount');
  for (const bound of Object.values(atMost)) checkWhole(bound, 'A bound');
  checkInstant(expiresAt, 'expiresAt');
}

export function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError('The limit must be a whole number of at least 1.');
}

export function checkInstant(at: number, what: string): void {
  checkWhole(at, what);
  if (at < 0) throw new RangeError(`${what} must not lie before 1970.`);
}

export const isKeyText = (text: string, maxBytes: number): boolean =>
  text !== '' && isWithin(text, maxBytes) && text.isWellFormed();

export function checkText(text: string, maxBytes: number, what: string): void {
  if (!isKeyText(text, maxBytes)) throw new RangeError(`${what} must be well-formed text of 1 to ${maxBytes} bytes.`);
}

function checkListed({ list, at, id, priority, endedAt }: ListEntry): void {
  checkText(list, ROW_LIMITS.pkBytes, 'list');
  checkText(`#${id}`, ROW_LIMITS.skBytes - ORDER_BYTES_BEFORE_ID + 1, 'the id in a list');
  checkInstant(at, 'at');
  if (endedAt !== undefined) checkInstant(endedAt, 'endedAt');
  checkWhole(priority, 'priority');
}

function checkWhole(value: number, what: string): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${what} must be a whole number, not ${value}.`);
}

const isWithin = (text: string, maxBytes: number): boolean =>
  text.length * MAX_BYTES_OF_A_UNIT <= maxBytes || Buffer.byteLength(text) <= maxBytes;

/** Counts bytes only if the number of characters does not decide, because counting costs more than the rest of a read. */
function fits(texts: string[], maxBytes: number): boolean {
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  if (units * MAX_BYTES_OF_A_UNIT <= maxBytes) return true;
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= maxBytes;
}
