/** Passwords by scrypt. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Passwords } from '../../shared/ports.ts';
import { type DeriveKey, deriveInPool } from './scrypt.ts';
import { formatHash, parseHash, type ScryptCost } from './scrypt-text.ts';

const SALT_BYTES = 16;
const HASH_BYTES = 32;

type PasswordOptions = { logCost?: number; derive?: DeriveKey };

export function passwords({ logCost = 17, derive = deriveInPool }: PasswordOptions = {}): Passwords {
  const cost: ScryptCost = { logCost, blockSize: 8, parallelism: 1 };
  const dummyHash = formatHash({ cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) });
  const hashOf = (password: string, salt: Uint8Array, by: ScryptCost) =>
    derive({ password: password.normalize('NFKC'), salt, bytes: HASH_BYTES, cost: by });

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return formatHash({ cost, salt, hash: Buffer.from(await hashOf(password, salt, cost)) });
    },

    async verify(password, hash) {
      const expected = parseHash(hash ?? dummyHash);
      const actual = await hashOf(password, expected.salt, expected.cost);
      return timingSafeEqual(actual, expected.hash) && hash !== undefined;
    },
  };
}
