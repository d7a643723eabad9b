/** A cache of the keys that issuers publish: fetched on first use, for ten minutes, and again for an unknown key. */
import { lruCache } from '../core/cache.ts';
import type { Clock, FetchKeys } from '../ports.ts';
import { type Jwks, parseJwks } from './id-token.ts';

/** A key that its issuer withdrew is refused after so long at the latest. */
const FRESH_MS = 10 * 60_000;
/** While the issuer does not answer, its earlier keys stay valid for so long. */
const STALE_MS = 60 * 60_000;
/** Anybody can name an unknown key, so that fetches for one issuer are at least so far apart. */
const REFETCH_MS = 10_000;
const MAX_ISSUERS = 1_000;

type IssuerEntry = { triedAt: number; fetching: Promise<void>; keys: Jwks; fetchedAt: number };
type KeyOptions = { allowsPrivate: boolean };
/** `hasKey` tells whether the wanted key is among these. */
export type KeysAt = (url: string, hasKey: (keys: Jwks) => boolean, options: KeyOptions) => Promise<Jwks>;

export function issuerKeys({ clock, fetchKeys }: { clock: Clock; fetchKeys: FetchKeys }): KeysAt {
  const entries = lruCache<string, IssuerEntry>({ max: MAX_ISSUERS });

  function entryFor(url: string, { allowsPrivate }: KeyOptions): IssuerEntry {
    const id = `${allowsPrivate} ${url}`;
    const known = entries.get(id);
    if (known) return known;
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
      // Callers that come meanwhile share this fetch. Only its own caller sees a failure, which must not stay behind.
      entry.fetching = fetching.catch(() => undefined);
      await fetching;
    }
    await entry.fetching;
    return entry.keys;
  };
}
