import { expect, it } from 'vitest';
import { makeKeyText } from '../../../shared/accounts/api-key-text.ts';
import { type ApiKey, apiKeyKey, createKey, listKeys, revokeKey } from '../../../shared/accounts/api-keys.ts';
import { keyAuthenticator } from '../../../shared/accounts/key-authenticator.ts';
import { type Log, logger } from '../../../shared/core/log.ts';
import type { Table } from '../../../shared/ports.ts';
import { countReads, DAY, HOUR, invalid, useAccounts } from './setup.ts';

const state = useAccounts();
const organization = '01900000-0000-7000-8000-000000000001';
const create = (options: { name?: string; expiresInDays?: number } = {}) =>
  createKey(state(), { organization, name: 'CI', ...options });
const authenticator = (o: { table?: Table; keptMs?: number; log?: Log } = {}) =>
  keyAuthenticator({ table: state().table, clock: state().clock, ...o });
const lastUse = async () => (await listKeys(state().table, organization))[0]?.lastUsedAt;
it('identifies the caller as a member of the organization of the key', async () => {
  const { key, apiKey } = await create();
  expect(await authenticator()(apiKey)).toEqual({ organization, role: 'member', by: `key:${key.id}` });
});

it('refuses a typo without a read', async () => {
  const { apiKey } = await create();
  const table = countReads(state().table);
  const authenticate = authenticator({ table });
  for (const text of [
    '',
    'x',
    apiKey.slice(0, -1),
    `${apiKey}a`,
    apiKey.toLowerCase(),
    apiKey.replace('errand', 'sk'),
  ]) {
    expect(await authenticate(text)).toBeUndefined();
  }
  expect(table.reads).toEqual([]);
});

it('refuses a wrong secret even if its checksum is valid', async () => {
  const { key } = await create();
  const { ids, table } = state();
  const forged = makeKeyText({ ...ids, secret: (bytes) => (bytes === 8 ? idBytesOf(key.id) : ids.secret(bytes)) });
  expect(forged.id).toBe(key.id);
  expect(await authenticator()(forged.text)).toBeUndefined();
  expect(await table.get<ApiKey>(apiKeyKey(key.id))).toBeDefined();
});

function idBytesOf(id: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const number = Array.from(id).reduce((sum, sign) => sum * 62n + BigInt(digits.indexOf(sign)), 0n);
  return Buffer.from(number.toString(16).padStart(16, '0'), 'hex').toString('base64url');
}

it('stores the hash and not the secret', async () => {
  const { key, apiKey } = await create();
  const row = JSON.stringify(await state().table.get(apiKeyKey(key.id)));
  expect(row).not.toContain(apiKey.slice(19));
  expect(row).not.toContain(apiKey.slice(19, 30));
  expect(JSON.stringify(await listKeys(state().table, organization))).not.toMatch(/hash/);
});

it('reads once for many requests, even concurrent ones', async () => {
  const { apiKey } = await create();
  const table = countReads(state().table);
  const authenticate = authenticator({ table });
  const callers = await Promise.all(Array.from({ length: 50 }, () => authenticate(apiKey)));
  expect(callers.every((caller) => caller?.organization === organization)).toBe(true);
  expect(table.reads.filter((sk) => sk === 'KEY')).toHaveLength(1);
});

it('refuses a revoked key within 30 seconds, and immediately where it is not cached', async () => {
  const { key, apiKey } = await create();
  const authenticate = authenticator();
  await authenticate(apiKey);
  state().clock.pass(29_000);
  await authenticate(apiKey);
  await revokeKey(state(), key.id);
  expect(await authenticator()(apiKey)).toBeUndefined();
  state().clock.pass(1_000);
  expect(await authenticate(apiKey)).toBeUndefined();
});

it('caches a key for at most 30 seconds, or for a shorter configured time', async () => {
  for (const [keptMs, after] of [
    [1_000, 1_000],
    [3_600_000, 30_000],
  ] as const) {
    const { key, apiKey } = await create();
    const authenticate = authenticator({ keptMs });
    expect(await authenticate(apiKey)).toBeDefined();
    await revokeKey(state(), key.id);
    state().clock.pass(after);
    expect(await authenticate(apiKey)).toBeUndefined();
  }
});

it('does not cache a key for longer when the clock is set back', async () => {
  const { key, apiKey } = await create();
  const authenticate = authenticator();
  await authenticate(apiKey);
  await revokeKey(state(), key.id);
  state().clock.pass(-DAY);
  expect(await authenticate(apiKey)).toBeUndefined();
});

it('refuses a cached key from the millisecond in which it expires', async () => {
  const { apiKey } = await create({ expiresInDays: 1 });
  const authenticate = authenticator();
  state().clock.pass(DAY - 1);
  expect(await authenticate(apiKey)).toBeDefined();
  state().clock.pass(1);
  expect(await authenticate(apiKey)).toBeUndefined();
});

it('reads an unknown key once, and finds it within 30 seconds after its creation', async () => {
  const { text } = makeKeyText(state().ids);
  const table = countReads(state().table);
  const authenticate = authenticator({ table });
  for (let n = 0; n < 5; n++) expect(await authenticate(text)).toBeUndefined();
  expect(table.reads).toHaveLength(1);
  state().clock.pass(30_000);
  await authenticate(text);
  expect(table.reads).toHaveLength(2);
});

it('reads again after a failed read', async () => {
  const { apiKey } = await create();
  let fails = true;
  const { table } = state();
  const flaky: Table = { ...table, get: (key) => (fails ? Promise.reject(new Error('down')) : table.get(key)) };
  const authenticate = authenticator({ table: flaky });
  await expect(authenticate(apiKey)).rejects.toThrow('down');
  fails = false;
  expect(await authenticate(apiKey)).toBeDefined();
});

it('records the last use at most once an hour', async () => {
  const { apiKey } = await create();
  const table = countReads(state().table);
  const authenticate = authenticator({ table });
  const usedAt = state().clock.now();
  for (const pass of [0, HOUR / 2, HOUR / 2 - 1]) {
    state().clock.pass(pass);
    await authenticate(apiKey);
    expect(await lastUse()).toBe(usedAt);
  }
  state().clock.pass(1);
  await authenticate(apiKey);
  expect(await lastUse()).toBe(usedAt + HOUR);
  expect(table.reads.filter((sk) => sk === 'USED')).toHaveLength(2);
});

it('does not record the use of a refused key', async () => {
  const { key, apiKey } = await create();
  await revokeKey(state(), key.id);
  await authenticator()(apiKey);
  expect(await lastUse()).toBeUndefined();
});

it('authenticates even if the use cannot be recorded', async () => {
  const { apiKey } = await create();
  const lines: string[] = [];
  const log = logger({ clock: state().clock, write: (line) => lines.push(line), minLevel: 'info' });
  const broken: Table = { ...state().table, insert: () => Promise.reject(new Error('disk full')) };
  expect(await authenticator({ table: broken, log })(apiKey)).toBeDefined();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('disk full');
  expect(lines[0]).not.toContain(apiKey.slice(19));
});

it('revokes a key once, even if a use is recorded meanwhile', async () => {
  const { key, apiKey } = await create();
  await Promise.all([authenticator()(apiKey), revokeKey(state(), key.id), authenticator()(apiKey)]);
  await expect(revokeKey(state(), key.id)).rejects.toEqual(invalid(/revoked already, at 2026-06-01T12:00:00.000Z/));
  await expect(revokeKey(state(), 'AAAAAAAAAAA')).rejects.toMatchObject({ code: 'notFound' });
});

it.each([0, -1, 0.5, 3_651, Number.NaN])('refuses a lifetime of %d days', async (expiresInDays) => {
  await expect(create({ expiresInDays })).rejects.toEqual(invalid(/^A key expires after /));
});

it('lists only the keys of one organization', async () => {
  await create({ name: 'a' });
  await createKey(state(), { organization: '01900000-0000-7000-8000-000000000002', name: 'foreign' });
  state().clock.pass(1); // keys of one millisecond are ordered by their ids, which are random
  await create({ name: 'b' });
  const keys = await listKeys(state().table, organization);
  // They were made in the same millisecond, so their order is random.
  expect(keys.map(({ name }) => name).sort()).toEqual(['a', 'b']);
});
