/** The yardstick's API keys: only their hashes lie in Redis, and a key that was read is kept for as long as ours is. */
import { hash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';

const KEYS = 'keys';
const KEPT_MS = 500;

const hashOf = (key: string): string => hash('sha256', key, 'base64url');

export async function makeKeys(redis: Redis, amount: number): Promise<string[]> {
  const keys = Array.from({ length: amount }, () => `key_${randomBytes(24).toString('base64url')}`);
  await redis.hset(KEYS, Object.fromEntries(keys.map((key, at) => [hashOf(key), `organization-${at}`])));
  return keys;
}

/** Tells the organization a key belongs to; undefined = a key that nobody made. */
export function keyOwner(redis: Redis): (key: string) => Promise<string | undefined> {
  const kept = new Map<string, { until: number; owner: Promise<string | null> }>();
  return async (key) => {
    const hashed = hashOf(key);
    let found = kept.get(hashed);
    if (!found || found.until <= Date.now()) {
      found = { until: Date.now() + KEPT_MS, owner: redis.hget(KEYS, hashed) };
      kept.set(hashed, found);
    }
    return (await found.owner) ?? undefined;
  };
}
