/** An API key as it is kept: its text is not, only the hash of it. */
import type { Draft, Key, Table } from '../ports.ts';
import { isKeyId } from './key-text.ts';
import { listedRows } from './listed-rows.ts';

export type ApiKey = {
  id: string;
  organization: string;
  name: string;
  hash: string;
  createdAt: number;
  expiresAt?: number;
  revokedAt?: number;
};

/** In a row of its own, so that noting a use never stands in the way of a revocation. */
export type LastUse = { at: number };

export type ListedKey = Omit<ApiKey, 'hash'> & { lastUsedAt?: number };

export const apiKeyKey = (id: string): Key => ({ pk: `K#${id}`, sk: 'KEY' });
export const lastUseKey = (id: string): Key => ({ pk: `K#${id}`, sk: 'USED' });
const keysList = (organization: string): string => `O#${organization}#KEYS`;

export const apiKeyDraft = (value: ApiKey): Draft<ApiKey> => ({
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
