/** Identifiers and randomness, handed in so that a test can set them. */
import { randomBytes } from 'node:crypto';
import type { Clock, Ids } from '../ports.ts';

const COUNTER_BITS = 12;
const POOL_BYTES = 4_096;

export function ids(clock: Clock): Ids {
  const maker = randomBytes(9).toString('base64url');
  let marks = 0;
  let lastAt = 0;
  let counter = 0;
  let pool = Buffer.alloc(0);

  /** Asking the system for randomness costs the same for 8 bytes and for thousands. No byte is given twice. */
  function drawn(bytes: number): Buffer {
    if (pool.length < bytes) pool = randomBytes(POOL_BYTES);
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  }

  return {
    uuid() {
      // The 12 bits behind the version digit count up within one millisecond, so ids made in a row sort in that order.
      const now = clock.now();
      if (now > lastAt) [lastAt, counter] = [now, drawn(1)[0] ?? 0];
      else if (++counter === 1 << COUNTER_BITS) [lastAt, counter] = [lastAt + 1, 0];
      const time = lastAt.toString(16).padStart(12, '0');
      const tail = drawn(8);
      tail[0] = ((tail[0] ?? 0) & 0x3f) | 0x80;
      const rest = tail.toString('hex');
      return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${rest.slice(0, 4)}-${rest.slice(4)}`;
    },
    mark: () => `${maker}.${(marks++).toString(36)}`,
    secret: (bytes) => randomBytes(bytes).toString('base64url'),
  };
}
