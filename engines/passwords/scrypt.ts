/** One scrypt computation, as data that a thread can be given. */
import { type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Cost } from './scrypt-text.ts';

export type ScryptRequest = { password: string; salt: Uint8Array; bytes: number; cost: Cost };
export type Derive = (request: ScryptRequest) => Promise<Uint8Array>;

const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

export function scryptOptions({ logCost, blockSize, lanes }: Cost): ScryptOptions {
  const N = 2 ** logCost;
  // Node's default refuses what needs more than 32 MiB.
  return { N, r: blockSize, p: lanes, maxmem: 128 * blockSize * (N + lanes) * 2 };
}

/** In Node's own thread pool, which files and DNS lookups share: for a process that checks one password at a time. */
export const deriveInPool: Derive = ({ password, salt, bytes, cost }) =>
  derive(password, salt, bytes, scryptOptions(cost));
