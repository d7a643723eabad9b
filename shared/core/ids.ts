/** Ids: UUIDs, random secrets, and the checksum and base-62 text of keys. */
import { randomBytes } from 'node:crypto';
import type { Clock, Ids } from '../ports.ts';

/** Identifiers and randomness, handed in so that a test can set them. */
const COUNTER_BITS = 12;
const POOL_BYTES = 4_096;
/** The first digit of the second half, which begins with the bits 10. */
const VARIANTS = '89ab';

export function ids(clock: Clock): Ids {
  const maker = randomBytes(9).toString('base64url');
  let marks = 0;
  let last = { at: 0, text: '' };
  let counter = 0;
  let pool = '';
  let taken = 0;

  /** Asking the system for randomness costs the same for 8 bytes and for thousands. No digit is given twice. */
  function drawn(digits: number): string {
    if (taken + digits > pool.length) [pool, taken] = [randomBytes(POOL_BYTES).toString('hex'), 0];
    taken += digits;
    return pool.slice(taken - digits, taken);
  }

  function begin(at: number, from: number): void {
    const digits = at.toString(16).padStart(12, '0');
    last = { at, text: `${digits.slice(0, 8)}-${digits.slice(8)}` };
    counter = from;
  }

  return {
    uuid() {
      // The 12 bits behind the version digit count up within one millisecond, so ids made in a row sort in that order.
      const now = clock.now();
      if (now > last.at) begin(now, Number.parseInt(drawn(2), 16));
      else if (++counter === 1 << COUNTER_BITS) begin(last.at + 1, 0);
      const variant = VARIANTS.charAt(Number.parseInt(drawn(1), 16) & 3);
      return `${last.text}-7${counter.toString(16).padStart(3, '0')}-${variant}${drawn(3)}-${drawn(12)}`;
    },
    mark: () => `${maker}.${(marks++).toString(36)}`,
    secret: (bytes) => randomBytes(bytes).toString('base64url'),
  };
}

/** Tells an id we may have made from anything else a caller can write in its place. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isUuid = (text: string): boolean => UUID.test(text);

/** CRC-32 of a short text. Node's own lies in `node:zlib`, which costs a starting function 8 ms. */
const POLYNOMIAL = 0xedb88320;
const BITS = 8;
const BYTES = 256;

const TABLE = Uint32Array.from({ length: BYTES }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < BITS; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  return crc;
});

export function crc32(text: string): number {
  let crc = ~0;
  const bytes = Buffer.from(text);
  // By index: an iterator takes four times as long.
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> BITS) ^ (TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~crc >>> 0;
}

/** Bytes as letters and digits alone: a double click selects the whole, and no place has to quote it. */
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
