/** The limit for source addresses that keep sending bad credentials. */
import { hash } from 'node:crypto';
import { lruCache } from '../../shared/core/cache.ts';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import type { Clock, Key, Table } from '../../shared/ports.ts';
import type { AddressOf } from './caller-address.ts';
import { bearerIn, type CredentialLimit, type HttpRequestMessage } from './route.ts';

const WINDOW_MS = 300_000;
/** Failures are counted in memory and written in groups: a single mistake costs no write, and a flood a tenth of one per call. */
const COUNTED_TOGETHER = 10;
const MAX_REMEMBERED = 10_000;

type CredentialLimitOptions = {
  table: Table;
  clock: Clock;
  addressOf: AddressOf;
  max: number;
  /** Whether this is an access token that we signed and that has not expired. */
  isOwnToken(text: string): Promise<boolean>;
};

/**
 * Limits calls without a valid credential by their source address, before the credential is looked up. Calls with a
 * valid credential are never counted. Failures of others at the same address block neither a credential that was
 * accepted in the last five minutes nor an access token of ours, whose signature is checked without a lookup.
 */
export function credentialLimit({ table, clock, addressOf, max, isOwnToken }: CredentialLimitOptions): CredentialLimit {
  /** This state belongs to one window. */
  let window = 0;
  let failures = failureCounts();
  const blocked = new Set<string>();
  const accepted = lruCache<string, true>({ clock, ttlMs: WINDOW_MS, max: MAX_REMEMBERED });

  function turnWindow(now: number): void {
    const current = Math.floor(now / WINDOW_MS);
    if (current === window) return;
    window = current;
    failures = failureCounts();
    blocked.clear();
  }

  async function countFailure(address: string): Promise<void> {
    const count = (failures.get(address) ?? 0) + 1;
    failures.set(address, count);
    const batchSize = Math.min(COUNTED_TOGETHER, max);
    if (count % batchSize !== 0) return;
    const { spent, now } = await table.spend(keyOf(address, window), {
      by: { failures: batchSize },
      atMost: { failures: max },
      expiresAt: (window + 2) * WINDOW_MS,
    });
    if (!spent || (now.failures ?? 0) > max - batchSize) blocked.add(address);
  }

  return async (incoming, check) => {
    const now = clock.now();
    turnWindow(now);
    const credential = credentialOf(incoming);
    // Reading the address may read a secret, so it is skipped while no address is blocked.
    const isBlocked = blocked.size > 0 && blocked.has(await addressOf(incoming));
    if (isBlocked && !accepted.get(credential)) {
      const bearer = bearerIn(incoming);
      if (!bearer || !(await isOwnToken(bearer))) throw tooMany(WINDOW_MS - (now % WINDOW_MS));
    }
    try {
      const checked = await check();
      accepted.set(credential, true, now);
      return checked;
    } catch (error) {
      if (isProblem(error, 'unauthorized')) await countFailure(await addressOf(incoming));
      throw error;
    }
  };
}

const failureCounts = () => lruCache<string, number>({ max: MAX_REMEMBERED });
const keyOf = (address: string, window: number): Key => ({ pk: `BAD-CREDENTIALS#${address}`, sk: `WINDOW#${window}` });

/** Accepted credentials are remembered as hashes only. */
const credentialOf = ({ headers }: HttpRequestMessage): string =>
  hash('sha256', `${headers.authorization ?? ''}\0${headers['x-api-key'] ?? ''}`, 'base64');

function tooMany(ms: number): Problem {
  const retryAfterSeconds = Math.ceil(ms / 1_000);
  const message = `Too many calls from this address had no valid credential; try again in ${retryAfterSeconds} s.`;
  return new Problem('rateLimited', message, {
    details: { retry_after_seconds: retryAfterSeconds },
    retryAfterSeconds,
  });
}
