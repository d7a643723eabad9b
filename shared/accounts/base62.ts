/** Bytes as letters and digits alone: a double click selects the whole, and no place has to quote it. */
import type { Ids } from '../ports.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** As many characters for the same number of bytes, whatever they hold. */
export function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let left = Math.ceil((bytes.byteLength * 8) / Math.log2(62)); left > 0; left--) {
    text = DIGITS.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** The same of a whole number, at a request's pace. */
export function base62Of(number: number, length: number): string {
  let rest = number;
  let text = '';
  for (let left = length; left > 0; left--) {
    text = DIGITS.charAt(rest % DIGITS.length) + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}

export const secretBytes = (ids: Ids, bytes: number): Buffer => Buffer.from(ids.secret(bytes), 'base64url');

export const secretText = (ids: Ids, bytes: number): string => base62(secretBytes(ids, bytes));
