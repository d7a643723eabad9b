/** Passwords by scrypt. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Passwords } from '../../shared/ports.ts';
import { type Derive, deriveInPool } from './scrypt.ts';
import { type Cost, hashedIn, textOf } from './scrypt-text.ts';

const SALT_BYTES = 16;
const HASH_BYTES = 32;

type Options = { logCost?: number; derive?: Derive };

export function passwords({ logCost = 17, derive = deriveInPool }: Options = {}): Passwords {
  const cost: Cost = { logCost, blockSize: 8, lanes: 1 };
  const nobody = textOf({ cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) });
  const hashOf = (password: string, salt: Uint8Array, by: Cost) =>
    derive({ password: password.normalize('NFKC'), salt, bytes: HASH_BYTES, cost: by });

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return textOf({ cost, salt, hash: Buffer.from(await hashOf(password, salt, cost)) });
    },

    async verify(password, hash) {
      const kept = hashedIn(hash ?? nobody);
      const found = await hashOf(password, kept.salt, kept.cost);
      return timingSafeEqual(found, kept.hash) && hash !== undefined;
    },
  };
}
