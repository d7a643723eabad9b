/** Password hashes by scrypt, and a short-lived cache of successful verifications. */

import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { lruCache } from '../../shared/core/cache.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { Clock, Passwords } from '../../shared/ports.ts';

/** The parameter N is 2 to the power of `logCost`. */
type ScryptCost = { logCost: number; blockSize: number; parallelism: number };
type ScryptHash = { cost: ScryptCost; salt: Buffer; hash: Buffer };

/** The stored form: `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`, which includes the cost. */
const TEXT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const formatHash = ({ cost, salt, hash }: ScryptHash): string =>
  `$scrypt$ln=${cost.logCost},r=${cost.blockSize},p=${cost.parallelism}$${base64(salt)}$${base64(hash)}`;

function parseHash(text: string): ScryptHash {
  const [, logCost, blockSize, lanes, salt, hash] = TEXT.exec(text) ?? [];
  if (salt === undefined || hash === undefined) throw new Error('This is not the hash of a password.');
  return {
    cost: { logCost: Number(logCost), blockSize: Number(blockSize), parallelism: Number(lanes) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

/** One scrypt computation, as data that can be sent to a thread. */
export type ScryptRequest = { password: string; salt: Uint8Array; bytes: number; cost: ScryptCost };
export type DeriveKey = (request: ScryptRequest) => Promise<Uint8Array>;

const scryptAsync = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

export function scryptOptions({ logCost, blockSize, parallelism: lanes }: ScryptCost): ScryptOptions {
  const N = 2 ** logCost;
  // Node rejects computations over 32 MiB by default.
  return { N, r: blockSize, p: lanes, maxmem: 128 * blockSize * (N + lanes) * 2 };
}

/**
 * Uses Node's own thread pool, which file access and DNS lookups share: for a process that checks one password at a
 * time.
 */
export const deriveInPool: DeriveKey = ({ password, salt, bytes, cost }) =>
  scryptAsync(password, salt, bytes, scryptOptions(cost));

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

const CACHE_MS = MINUTE_MS;
const MAX_CACHED = 1_000;

/**
 * Caches for a minute which password matched which hash, so that many concurrent sign-ins of one user cost one
 * computation. The cache holds a MAC under a random key of this process, never the password. A new password has a new
 * hash, so no entry needs to be invalidated.
 */
export function withVerificationCache(passwords: Passwords, clock: Clock): Passwords {
  const key = randomBytes(32);
  const verified = lruCache<string, Buffer>({ clock, ttlMs: CACHE_MS, max: MAX_CACHED });
  const macOf = (password: string, hash: string): Buffer =>
    createHmac('sha256', key).update(hash).update('\0').update(password.normalize('NFKC')).digest();

  function isCached(mac: Buffer, hash: string): boolean {
    const cachedMac = verified.get(hash);
    return cachedMac !== undefined && timingSafeEqual(cachedMac, mac);
  }

  return {
    hash: (password) => passwords.hash(password),

    async verify(password, hash) {
      const mac = hash === undefined ? undefined : macOf(password, hash);
      if (mac && hash !== undefined && isCached(mac, hash)) return true;
      const isRight = await passwords.verify(password, hash);
      if (isRight && mac && hash !== undefined) verified.set(hash, mac);
      return isRight;
    },
  };
}
