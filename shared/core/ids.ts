/** Identifiers and randomness, handed in so that a test can set them. */
import { randomBytes } from 'node:crypto';
import type { Clock, Ids } from '../ports.ts';

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
