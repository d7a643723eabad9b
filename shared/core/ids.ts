/** UUIDs and random secrets. */

import { randomBytes } from 'node:crypto';
import type { Clock, Ids } from '../ports.ts';
import { base62 } from './base62.ts';

const COUNTER_BITS = 12;
const POOL_BYTES = 4_096;
/** The digits that the RFC 9562 variant (bits 10) allows. */
const VARIANTS = '89ab';

/** Generates ids, marks and secrets; passed in so that tests can replace it. */
export function ids(clock: Clock): Ids {
  const maker = randomBytes(9).toString('base64url');
  let marks = 0;
  let last = { at: 0, text: '' };
  let counter = 0;
  let pool = '';
  let usedDigits = 0;

  /** A system call for random bytes costs the same for 8 bytes and for thousands. No digit is used twice. */
  function takeDigits(digits: number): string {
    if (usedDigits + digits > pool.length) [pool, usedDigits] = [randomBytes(POOL_BYTES).toString('hex'), 0];
    usedDigits += digits;
    return pool.slice(usedDigits - digits, usedDigits);
  }

  function startCounter(at: number, from: number): void {
    const digits = at.toString(16).padStart(12, '0');
    last = { at, text: `${digits.slice(0, 8)}-${digits.slice(8)}` };
    counter = from;
  }

  return {
    uuid() {
      // The 12 bits after the version digit count up within one millisecond, so that consecutive ids sort in their order.
      const now = clock.now();
      if (now > last.at) startCounter(now, Number.parseInt(takeDigits(2), 16));
      else if (++counter === 1 << COUNTER_BITS) startCounter(last.at + 1, 0);
      const variant = VARIANTS.charAt(Number.parseInt(takeDigits(1), 16) & 3);
      return `${last.text}-7${counter.toString(16).padStart(3, '0')}-${variant}${takeDigits(3)}-${takeDigits(12)}`;
    },
    mark: () => `${maker}.${(marks++).toString(36)}`,
    secret: (bytes) => randomBytes(bytes).toString('base64url'),
  };
}

/** Matches ids that we may have generated. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isUuid = (text: string): boolean => UUID.test(text);

export const secretBytes = (ids: Ids, bytes: number): Buffer => Buffer.from(ids.secret(bytes), 'base64url');

export const secretText = (ids: Ids, bytes: number): string => base62(secretBytes(ids, bytes));
