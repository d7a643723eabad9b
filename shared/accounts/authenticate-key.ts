/** Tells who calls by the API key sent. A key that was revoked or has expired is refused within the cache's time. */
import { timingSafeEqual } from 'node:crypto';
import { loadingCache } from '../core/cache.ts';
import type { Log } from '../core/log.ts';
import type { Clock, Table } from '../ports.ts';
import { type ApiKey, apiKeyById } from './api-key.ts';
import type { Caller } from './caller.ts';
import { hashOfKey, keyIdIn } from './key-text.ts';
import { keyUseRecorder } from './note-key-use.ts';

const MOST_KEPT_MS = 30_000;
const MOST_KEPT = 10_000;

/** `keptMs` may shorten the cache's 30 seconds, never lengthen them. */
type KeyAuthenticatorPorts = { table: Table; clock: Clock; log?: Log; keptMs?: number };

export function keyAuthenticator(ports: KeyAuthenticatorPorts): (text: string) => Promise<Caller | undefined> {
  const { table, clock, log, keptMs = MOST_KEPT_MS } = ports;
  const keyById = loadingCache({
    clock,
    ttlMs: Math.min(keptMs, MOST_KEPT_MS),
    max: MOST_KEPT,
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

const isTextOf = ({ hash }: ApiKey, text: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(hashOfKey(text)));

export const isAlive = ({ revokedAt, expiresAt }: ApiKey, now: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || expiresAt > now);

/** A key submits, reads, and cancels the tasks that were made with it. */
export const callerOfKey = ({ id, organization }: ApiKey): Caller => ({
  organization,
  role: 'member',
  by: `key:${id}`,
});
