/** The limits of DynamoDB and SQS, checked by every adapter so that one machine behaves like AWS. */
import type { Draft, Key, Listed, Outgoing, Spend } from '../ports.ts';
import { Problem } from './problem.ts';

/** The limits of DynamoDB, checked for every table, so that a local run accepts no more than AWS. */
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

export function checkKey({ pk, sk }: Key): void {
  checkText(pk, ROW_LIMITS.pkBytes, 'pk');
  checkText(sk, ROW_LIMITS.skBytes, 'sk');
}

export function checkKeys(keys: Key[]): void {
  if (keys.length > ROW_LIMITS.keysAtOnce) throw new RangeError(`At most ${ROW_LIMITS.keysAtOnce} keys at once.`);
  keys.forEach(checkKey);
}

/** Returns the JSON text of the value if the whole row fits. */
export function checkedJson(row: Draft<unknown>): string {
  checkKey(row);
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

function checkListed({ list, at, id, priority, endedAt }: Listed): void {
  checkText(list, ROW_LIMITS.pkBytes, 'list');
  checkText(`#${id}`, ROW_LIMITS.skBytes - ORDER_BYTES_BEFORE_ID + 1, 'the id in a list');
  checkInstant(at, 'at');
  if (endedAt !== undefined) checkInstant(endedAt, 'endedAt');
  checkWhole(priority, 'priority');
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

function checkWhole(value: number, what: string): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${what} must be a whole number, not ${value}.`);
}

export const isKeyText = (text: string, maxBytes: number): boolean =>
  text !== '' && isWithin(text, maxBytes) && text.isWellFormed();

export function checkText(text: string, maxBytes: number, what: string): void {
  if (!isKeyText(text, maxBytes)) throw new RangeError(`${what} must be well-formed text of 1 to ${maxBytes} bytes.`);
}

const isWithin = (text: string, maxBytes: number): boolean =>
  text.length * MAX_BYTES_OF_A_UNIT <= maxBytes || Buffer.byteLength(text) <= maxBytes;

/** Counts bytes only if the number of characters does not decide, because counting costs more than the rest of a read. */
function fits(texts: string[], maxBytes: number): boolean {
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  if (units * MAX_BYTES_OF_A_UNIT <= maxBytes) return true;
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= maxBytes;
}

/** The limits of SQS, checked for every queue, so that a local run accepts no more than AWS. */
export const QUEUE_LIMITS = { messageBytes: 262_144, batch: 10, delaySeconds: 900, waitSeconds: 20 } as const;
const RELEASE_SECONDS = 43_200;
const GROUP = /^[!-~]{1,128}$/;
/** The characters that XML 1.0 allows; lone surrogates are invalid. */
const BODY = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]+$/u;

export function checkSend(messages: Outgoing[]): void {
  wholeWithin('messages in a batch', messages.length, 1, QUEUE_LIMITS.batch);
  let bytes = 0;
  for (const { body, group, delaySeconds = 0 } of messages) {
    wholeWithin('delaySeconds', delaySeconds, 0, QUEUE_LIMITS.delaySeconds);
    if (group !== undefined && !GROUP.test(group))
      throw new RangeError('A group is 1 to 128 printable ASCII characters.');
    bytes += Buffer.byteLength(body, 'utf8');
    if (bytes > QUEUE_LIMITS.messageBytes)
      throw new RangeError(`A batch has ${QUEUE_LIMITS.messageBytes} bytes at most.`);
    if (!BODY.test(body)) throw new RangeError('A body is empty, or has characters that no queue carries.');
  }
}

export function checkReceive(max: number, waitSeconds: number): void {
  wholeWithin('most', max, 1, QUEUE_LIMITS.batch);
  wholeWithin('waitSeconds', waitSeconds, 0, QUEUE_LIMITS.waitSeconds);
}

export const checkRelease = (seconds: number): void => wholeWithin('seconds', seconds, 0, RELEASE_SECONDS);

function wholeWithin(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RangeError(`${name} must be a whole number from ${min} to ${max}, not ${value}.`);
}

// The cursor of a page, the same in every adapter: opaque to callers, a position in byte order to us.

export const cursorOf = (position: string): string => Buffer.from(position, 'utf8').toString('base64url');

/** Throws unless `cursorOf` made the cursor for a position that is valid in this list. */
export function parseCursor(cursor: string, isPosition: (position: string) => boolean): string {
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursorOf(position) !== cursor || !isPosition(position)) {
    throw new Problem('badCursor', 'Invalid cursor. Omit `cursor` to start from the first page.');
  }
  return position;
}

// The shard of a due row, the same in every adapter.

export const DUE_SHARDS = 16;

/** FNV-1a with its high half folded in, because its low bits alone are poorly distributed. */
export function shardOf({ pk, sk }: Key): number {
  const text = `${pk}\n${sk}`;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return ((hash ^ (hash >>> 16)) >>> 0) % DUE_SHARDS;
}
