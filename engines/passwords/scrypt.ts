/** One scrypt computation, as data that a thread can be given. */
import { type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { ScryptCost } from './scrypt-text.ts';

export type ScryptRequest = { password: string; salt: Uint8Array; bytes: number; cost: ScryptCost };
export type DeriveKey = (request: ScryptRequest) => Promise<Uint8Array>;

const scryptAsync = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

export function scryptOptions({ logCost, blockSize, parallelism: lanes }: ScryptCost): ScryptOptions {
  const N = 2 ** logCost;
  // Node's default refuses what needs more than 32 MiB.
  return { N, r: blockSize, p: lanes, maxmem: 128 * blockSize * (N + lanes) * 2 };
}

/** In Node's own thread pool, which files and DNS lookups share: for a process that checks one password at a time. */
export const deriveInPool: DeriveKey = ({ password, salt, bytes, cost }) =>
  scryptAsync(password, salt, bytes, scryptOptions(cost));
