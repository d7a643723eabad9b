/** The keys of issuers: fetched when they are needed, kept for a while, fetched again for a key that is not known. */
import type { Clock, FetchKeys } from '../ports.ts';
import { type Jwks, jwksIn } from './id-token.ts';

/** A key that its issuer withdrew is refused after so long at the latest. */
const KEPT_MS = 10 * 60_000;
/** While the issuer does not answer, its keys of before hold on for so long. */
const STALE_MS = 60 * 60_000;
/** Anybody can name an unknown key: it is looked for so often at most. */
const LOOK_AGAIN_MS = 10_000;
const MOST_ISSUERS = 1_000;

type Kept = { lookedAt: number; looking: Promise<void>; keys: Jwks; fetchedAt: number };
/** `isThere` tells whether the keys wanted are among these. */
export type KeysAt = (address: string, isThere: (keys: Jwks) => boolean) => Promise<Jwks>;

export function issuerKeys({ clock, fetchKeys }: { clock: Clock; fetchKeys: FetchKeys }): KeysAt {
  const known = new Map<string, Kept>();

  function keptAt(address: string): Kept {
    const kept = known.get(address);
    if (kept) return kept;
    if (known.size >= MOST_ISSUERS) known.clear();
    const never = Number.NEGATIVE_INFINITY;
    const fresh = { lookedAt: never, looking: Promise.resolve(), keys: [], fetchedAt: never };
    known.set(address, fresh);
    return fresh;
  }

  async function look(address: string, kept: Kept): Promise<void> {
    const at = clock.now();
    const keys = jwksIn(await fetchKeys(address));
    if (keys) Object.assign(kept, { keys, fetchedAt: at });
    else if (clock.now() - kept.fetchedAt >= STALE_MS) kept.keys = [];
  }

  return async (address, isThere) => {
    const kept = keptAt(address);
    await kept.looking;
    const now = clock.now();
    const isEnough = now - kept.fetchedAt < KEPT_MS && isThere(kept.keys);
    if (!isEnough && now - kept.lookedAt >= LOOK_AGAIN_MS) {
      kept.lookedAt = now;
      kept.looking = look(address, kept);
    }
    // Callers that come together share one look.
    await kept.looking;
    return kept.keys;
  };
}
