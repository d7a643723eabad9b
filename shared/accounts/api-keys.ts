/** API keys of an organization: create, list and revoke. */

import { Problem } from '../core/problem.ts';
import { changeRow, listedRows } from '../core/table-access.ts';
import { DAY_MS } from '../core/time.ts';
import type { Clock, Draft, Ids, Key, Table } from '../ports.ts';
import { hashOfKey, isKeyId, makeKeyText } from './api-key-text.ts';
import { type LastUse, lastUseKey } from './api-key-use.ts';
import { displayName } from './display-name.ts';

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

export type ListedKey = Omit<ApiKey, 'hash'> & { lastUsedAt?: number };

export const apiKeyKey = (id: string): Key => ({ pk: `K#${id}`, sk: 'KEY' });

export async function apiKeyById(table: Table, id: string): Promise<ApiKey | undefined> {
  return isKeyId(id) ? (await table.get<ApiKey>(apiKeyKey(id)))?.value : undefined;
}

export async function listKeys(table: Table, organization: string): Promise<ListedKey[]> {
  const keys = await listedRows<ApiKey>(table, keysList(organization), { keyOf: apiKeyKey });
  return Promise.all(
    keys.map(async ({ hash: _hash, ...key }) => {
      const use = await table.get<LastUse>(lastUseKey(key.id));
      return use ? { ...key, lastUsedAt: use.value.at } : key;
    }),
  );
}

const MAX_DAYS = 3_650;

type CreateKeyPorts = { table: Table; clock: Clock; ids: Ids };
/** `generated`: an id and a text that were generated before. */
type NewKey = { organization: string; name: string; expiresInDays?: number; generated?: { id: string; text: string } };

/** Creates an API key. Its text is only in the response. */
export async function createKey(
  { table, clock, ids }: CreateKeyPorts,
  { organization, name, expiresInDays, generated = makeKeyText(ids) }: NewKey,
): Promise<{ key: Omit<ApiKey, 'hash'>; apiKey: string }> {
  const { id, text } = generated;
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

function checkDays(days: number): number {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days;
  throw new Problem('invalid', `A key expires after 1 to ${MAX_DAYS} days.`);
}
