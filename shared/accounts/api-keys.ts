/** API keys of an organization: create, list, revoke, authenticate, and record when a key was last used. */
import { hash, timingSafeEqual } from 'node:crypto';
import { base62Of } from '../core/base62.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import { crc32 } from '../core/crc32.ts';
import { secretText } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { changeRow, listedRows } from '../core/table-access.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';
import type { Clock, Draft, Ids, Key, Table } from '../ports.ts';
import { type Caller, displayName } from './organizations.ts';

/** The text of an API key: `errand_<id>_<secret><checksum>`. The checksum detects typos without a read. */
const ID_BYTES = 8;
const SECRET_BYTES = 24;
const CHECK_LENGTH = 6;
/** The lengths of `ID_BYTES` and `SECRET_BYTES` in base 62. */
const ID = /^[0-9A-Za-z]{11}$/;
const ID_LENGTH = 11;
const HEAD = 'errand_';
const TEXT = /^errand_[0-9A-Za-z]{11}_[0-9A-Za-z]{33}[0-9A-Za-z]{6}$/;

const checksum = (text: string): string => base62Of(crc32(text), CHECK_LENGTH);

export function makeKeyText(ids: Ids): { id: string; text: string } {
  const id = secretText(ids, ID_BYTES);
  const head = `${HEAD}${id}_${secretText(ids, SECRET_BYTES)}`;
  return { id, text: head + checksum(head) };
}

/** Returns `undefined` for a text that cannot be an API key. */
export function keyIdIn(text: string): string | undefined {
  if (!TEXT.test(text) || checksum(text.slice(0, -CHECK_LENGTH)) !== text.slice(-CHECK_LENGTH)) return undefined;
  return text.slice(HEAD.length, HEAD.length + ID_LENGTH);
}

const isKeyId = (text: string): boolean => ID.test(text);

export const hashOfKey = (text: string): string => hash('sha256', text, 'base64url');

/** An API key as it is stored: with the hash of its text, never the text itself. */
export type ApiKey = {
  id: string;
  organization: string;
  name: string;
  hash: string;
  createdAt: number;
  expiresAt?: number;
  revokedAt?: number;
};

/** Stored in a row of its own, so that recording a use never conflicts with a revocation. */
type LastUse = { at: number };

export type ListedKey = Omit<ApiKey, 'hash'> & { lastUsedAt?: number };

export const apiKeyKey = (id: string): Key => ({ pk: `K#${id}`, sk: 'KEY' });
export const lastUseKey = (id: string): Key => ({ pk: `K#${id}`, sk: 'USED' });
const keysList = (organization: string): string => `O#${organization}#KEYS`;

const apiKeyDraft = (value: ApiKey): Draft<ApiKey> => ({
  ...apiKeyKey(value.id),
  value,
  listed: {
    list: keysList(value.organization),
    at: value.createdAt,
    id: value.id,
    state: value.revokedAt === undefined ? 'active' : 'revoked',
    type: 'key',
    priority: 0,
  },
});

export async function apiKeyById(table: Table, id: string): Promise<ApiKey | undefined> {
  return isKeyId(id) ? (await table.get<ApiKey>(apiKeyKey(id)))?.value : undefined;
}

export async function listKeys(table: Table, organization: string): Promise<ListedKey[]> {
  const keys = await listedRows<ApiKey>(table, keysList(organization), { keyOf: apiKeyKey });
  return Promise.all(
    keys.map(async ({ hash: _hash, ...shown }) => {
      const use = await table.get<LastUse>(lastUseKey(shown.id));
      return use ? { ...shown, lastUsedAt: use.value.at } : shown;
    }),
  );
}

/** Creates an API key. Its text is only in the response. */
const MAX_DAYS = 3_650;

type CreateKeyPorts = { table: Table; clock: Clock; ids: Ids };
/** `made`: an id and a text that were generated before. */
type NewKey = { organization: string; name: string; expiresInDays?: number; made?: { id: string; text: string } };

export async function createKey(
  { table, clock, ids }: CreateKeyPorts,
  { organization, name, expiresInDays, made = makeKeyText(ids) }: NewKey,
): Promise<{ key: Omit<ApiKey, 'hash'>; apiKey: string }> {
  const { id, text } = made;
  const createdAt = clock.now();
  const key = {
    id,
    organization,
    name: displayName(name),
    createdAt,
    ...(expiresInDays === undefined ? {} : { expiresAt: createdAt + checkDays(expiresInDays) * DAY_MS }),
  };
  if (!(await table.insert(apiKeyDraft({ ...key, hash: hashOfKey(text) }))))
    throw new Error('An id was generated twice.');
  return { key, apiKey: text };
}

function checkDays(days: number): number {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days;
  throw new Problem('invalid', `A key expires after 1 to ${MAX_DAYS} days.`);
}

/** Revokes an API key for good. Processes that have it cached reject it within the TTL of that cache. */
export async function revokeKey({ table, clock }: { table: Table; clock: Clock }, id: string): Promise<void> {
  const revokedAt = clock.now();
  const revoked = await changeRow<ApiKey>(table, apiKeyKey(id), {
    draft: apiKeyDraft,
    change(key) {
      if (key.revokedAt === undefined) return { ...key, revokedAt };
      const at = new Date(key.revokedAt).toISOString();
      throw new Problem('invalid', `The key ${id} was revoked already, at ${at}.`);
    },
  });
  if (!revoked) throw new Problem('notFound', 'No API key has this id.');
}

/**
 * Records when a key was last used, at most once an hour for each key and instance. The request waits for the write, because
 * Lambda freezes a function once it has answered. A failed write does not fail the request.
 */
const RECORD_EVERY_MS = HOUR_MS;
const MAX_REMEMBERED = 10_000;

type KeyUsePorts = { table: Table; clock: Clock; log?: Log | undefined };

function keyUseRecorder({ table, clock, log }: KeyUsePorts): (id: string) => Promise<void> {
  const recorded = lruCache<string, true>({ clock, ttlMs: RECORD_EVERY_MS, max: MAX_REMEMBERED });
  const isNoted = Promise.resolve();

  return (id) => {
    if (recorded.get(id)) return isNoted;
    recorded.set(id, true);
    return recordUse(table, id, clock.now()).catch((error) =>
      log?.warn('the last use of a key was not recorded', { id, error }),
    );
  };
}

/** A lost race needs no retry: the other writer recorded the same. */
async function recordUse(table: Table, id: string, at: number): Promise<void> {
  const row = await table.get<LastUse>(lastUseKey(id));
  if (!row) await table.insert<LastUse>({ ...lastUseKey(id), value: { at } });
  else if (row.value.at < at) await table.replace<LastUse>(row, { value: { at } });
}

/** Authenticates callers by API key. A revoked or expired key is rejected within the cache's TTL. */
const MAX_KEPT_MS = 30_000;
const MAX_ENTRIES = 10_000;

/** `keptMs` may shorten the cache's TTL of 30 seconds, never lengthen it. */
type KeyAuthenticatorPorts = { table: Table; clock: Clock; log?: Log; keptMs?: number };

export function keyAuthenticator(ports: KeyAuthenticatorPorts): (text: string) => Promise<Caller | undefined> {
  const { table, clock, log, keptMs = MAX_KEPT_MS } = ports;
  const keyById = loadingCache({
    clock,
    ttlMs: Math.min(keptMs, MAX_KEPT_MS),
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

const isTextOf = ({ hash }: ApiKey, text: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(hashOfKey(text)));

export const isAlive = ({ revokedAt, expiresAt }: ApiKey, now: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || expiresAt > now);

/** A key has the role of a member: it submits and reads tasks, and cancels those that were submitted with it. */
export const callerOfKey = ({ id, organization }: ApiKey): Caller => ({
  organization,
  role: 'member',
  by: `key:${id}`,
});
