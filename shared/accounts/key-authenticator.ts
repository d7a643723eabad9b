/** Authenticates callers by API key. A revoked or expired key is rejected within the cache's TTL. */

import { timingSafeEqual } from 'node:crypto';
import { loadingCache } from '../core/cache.ts';
import type { Log } from '../core/log.ts';
import type { Clock, Table } from '../ports.ts';
import { hashOfKey, keyIdIn } from './api-key-text.ts';
import { keyUseRecorder } from './api-key-use.ts';
import { type ApiKey, apiKeyById } from './api-keys.ts';
import { type Caller, MAX_CACHE_MS } from './caller.ts';

const MAX_ENTRIES = 10_000;

/** `keptMs` may shorten the cache's TTL of 30 seconds, never lengthen it. */
type KeyAuthenticatorPorts = { table: Table; clock: Clock; log?: Log; keptMs?: number };

export function keyAuthenticator(ports: KeyAuthenticatorPorts): (text: string) => Promise<Caller | undefined> {
  const { table, clock, log, keptMs = MAX_CACHE_MS } = ports;
  const keyById = loadingCache({
    clock,
    ttlMs: Math.min(keptMs, MAX_CACHE_MS),
    max: MAX_ENTRIES,
    load: (id) => apiKeyById(table, id),
  });
  const noteUse = keyUseRecorder({ table, clock, log });

  return async (text) => {
    const id = keyIdIn(text);
    const key = id === undefined ? undefined : await keyById.get(id);
    if (!key || !isTextOf(key, text) || !isAlive(key, clock.now())) return undefined;
    await noteUse(key.id);
    return callerOfKey(key);
  };
}

export const isAlive = ({ revokedAt, expiresAt }: ApiKey, now: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || expiresAt > now);

/** A key has the role of a member: it submits and reads tasks, and cancels those that were submitted with it. */
export const callerOfKey = ({ id, organization }: ApiKey): Caller => ({
  organization,
  role: 'member',
  by: `key:${id}`,
});

const isTextOf = ({ hash }: ApiKey, text: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(hashOfKey(text)));
