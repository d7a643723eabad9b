/** API keys of the reference system: it stores only hashes, and caches keys as long as the product does. */
import { hash, randomBytes } from 'node:crypto';

const KEPT_MS = 500;

const hashOf = (key: string): string => hash('sha256', key, 'base64url');

/** The keys, and the organization of each hash to be stored. */
export function makeKeys(amount: number): { keys: string[]; stored: Record<string, string> } {
  const keys = Array.from({ length: amount }, () => `key_${randomBytes(24).toString('base64url')}`);
  return { keys, stored: Object.fromEntries(keys.map((key, at) => [hashOf(key), `organization-${at}`])) };
}

/** Returns a function that looks up the organization of a key; `undefined`: the key is unknown. */
export function keyOwner(
  read: (hashed: string) => Promise<string | null | undefined>,
): (key: string) => Promise<string | undefined> {
  const kept = new Map<string, { until: number; owner: Promise<string | null | undefined> }>();
  return async (key) => {
    const hashed = hashOf(key);
    let found = kept.get(hashed);
    if (!found || found.until <= Date.now()) {
      found = { until: Date.now() + KEPT_MS, owner: read(hashed) };
      kept.set(hashed, found);
    }
    return (await found.owner) ?? undefined;
  };
}
