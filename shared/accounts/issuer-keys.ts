/** Issuers' published keys, cached for ten minutes and fetched again for an unknown key. */

import { lruCache } from '../core/cache.ts';
import { HOUR_MS, MINUTE_MS } from '../core/time.ts';
import type { Clock, FetchKeys } from '../ports.ts';
import { type Jwks, parseJwks } from './id-token.ts';

/** A key that its issuer withdrew is rejected after this time at the latest. */
const FRESH_MS = 10 * MINUTE_MS;
/** While the issuer does not answer, cached keys stay valid for this time. */
const STALE_MS = HOUR_MS;
/** The shortest time between two fetches for one issuer, because any caller can name an unknown key. */
const REFETCH_MS = 10_000;
const MAX_ISSUERS = 1_000;

type IssuerEntry = { triedAt: number; fetching: Promise<void>; keys: Jwks; fetchedAt: number };
type KeyOptions = { allowsPrivate: boolean };
/** `hasKey`: whether the keys include the wanted one. */
export type KeysAt = (url: string, hasKey: (keys: Jwks) => boolean, options: KeyOptions) => Promise<Jwks>;

export function issuerKeys({ clock, fetchKeys }: { clock: Clock; fetchKeys: FetchKeys }): KeysAt {
  const entries = lruCache<string, IssuerEntry>({ max: MAX_ISSUERS });

  function entryFor(url: string, { allowsPrivate }: KeyOptions): IssuerEntry {
    const id = `${allowsPrivate} ${url}`;
    const cachedEntry = entries.get(id);
    if (cachedEntry) return cachedEntry;
    const never = Number.NEGATIVE_INFINITY;
    const entry: IssuerEntry = { triedAt: never, fetching: Promise.resolve(), keys: [], fetchedAt: never };
    entries.set(id, entry);
    return entry;
  }

  async function refresh(url: string, entry: IssuerEntry, options: KeyOptions): Promise<void> {
    const at = clock.now();
    const keys = parseJwks(await fetchKeys(url, options));
    if (keys) Object.assign(entry, { keys, fetchedAt: at });
    else if (clock.now() - entry.fetchedAt >= STALE_MS) entry.keys = [];
  }

  return async (url, hasKey, options) => {
    const entry = entryFor(url, options);
    await entry.fetching;
    const now = clock.now();
    const isEnough = now - entry.fetchedAt < FRESH_MS && hasKey(entry.keys);
    if (!isEnough && now - entry.triedAt >= REFETCH_MS) {
      entry.triedAt = now;
      const fetching = refresh(url, entry, options);
      // Concurrent callers share this fetch. Only the caller that started it sees a failure.
      entry.fetching = fetching.catch(() => undefined);
      await fetching;
    }
    await entry.fetching;
    return entry.keys;
  };
}
