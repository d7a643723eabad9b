/** Passwords by scrypt. Make it once in a process: one hash at a time is what keeps its memory and threads free. */
import { type BinaryLike, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Passwords } from '../../shared/ports.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { type Cost, hashedIn, textOf } from './scrypt-text.ts';

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MOST_WAITING = 4;
const SECONDS_EACH = 1;

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

export function passwords({ logCost = 17 }: { logCost?: number } = {}): Passwords {
  const inTurn = oneAtATime({ mostWaiting: MOST_WAITING, secondsEach: SECONDS_EACH });
  const cost: Cost = { logCost, blockSize: 8, lanes: 1 };
  const nobody = textOf({ cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) });

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return textOf({ cost, salt, hash: await inTurn(() => work(password, salt, cost)) });
    },

    async verify(password, hash) {
      const kept = hashedIn(hash ?? nobody);
      const found = await inTurn(() => work(password, kept.salt, kept.cost));
      return timingSafeEqual(found, kept.hash) && hash !== undefined;
    },
  };
}

function work(password: string, salt: Buffer, { logCost, blockSize, lanes }: Cost): Promise<Buffer> {
  const N = 2 ** logCost;
  // Node refuses by default what needs more than 32 MiB.
  const maxmem = 128 * blockSize * (N + lanes) * 2;
  return derive(password.normalize('NFKC'), salt, HASH_BYTES, { N, r: blockSize, p: lanes, maxmem });
}
