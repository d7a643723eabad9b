/** The yardstick's API keys: only their hashes lie in its store, and a key that was read is kept for as long as ours is. */
import { hash, randomBytes } from 'node:crypto';

const KEPT_MS = 500;

const hashOf = (key: string): string => hash('sha256', key, 'base64url');

/** The keys, and what is to be stored of them: the organization behind each hash. */
export function makeKeys(amount: number): { keys: string[]; stored: Record<string, string> } {
  const keys = Array.from({ length: amount }, () => `key_${randomBytes(24).toString('base64url')}`);
  return { keys, stored: Object.fromEntries(keys.map((key, at) => [hashOf(key), `organization-${at}`])) };
}

/** Tells the organization a key belongs to; undefined = a key that nobody made. */
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
