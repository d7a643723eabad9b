/** Stored connections to models: who may use which, and what is kept of their keys. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createOrganization } from '../../../shared/accounts/create-organization.ts';
import type { EnvironmentConnections } from '../../../shared/accounts/model-connections.ts';
import { setModels } from '../../../shared/accounts/organizations.ts';
import {
  modelConnections,
  openConnection,
  removeModelConnection,
  storeConnection,
  storedConnection,
} from '../../../shared/accounts/stored-connections.ts';
import { invalid, useAccounts } from './setup.ts';

const state = useAccounts();
const NOTHING: EnvironmentConnections = new Map();
const KEY = 'sk-canary-5f1b';

const create = async (name: string) =>
  (await createOrganization(state(), { name, models: ['offline/extractive'] })).organization.id;
const store = (owner: string | undefined, name: string, url = 'https://models.acme.org/v1', key = KEY) =>
  storeConnection(state(), owner, { name, model: 'large', connection: { provider: 'openai-compatible', url, key } });
const connectionOf = (environment = NOTHING) => modelConnections({ ...state(), environment });

it('opens the connection of an organization for that organization alone', async () => {
  const [acme, otherId] = [await create('Acme'), await create('Other')];
  await store(acme, 'ours');
  const find = connectionOf();
  const connection = { provider: 'openai-compatible', url: 'https://models.acme.org/v1', key: KEY };
  expect(await find('ours', acme)).toEqual({ ...connection, owner: acme, since: state().clock.now() });
  expect(await find('ours', otherId)).toBeUndefined();
});

it('prefers the organization to the operator, and the operator to the environment', async () => {
  const acme = await create('Acme');
  const find = (name: string) =>
    connectionOf(
      new Map([[name, async () => ({ provider: 'openai-compatible' as const, url: 'http://from-environment/v1' })]]),
    )(name, acme);
  expect(await find('ours')).toMatchObject({ url: 'http://from-environment/v1' });
  await store(undefined, 'ours', 'https://operator.org/v1');
  expect(await find('ours')).toMatchObject({ url: 'https://operator.org/v1' });
  await store(acme, 'ours', 'https://acme.org/v1');
  expect(await find('ours')).toMatchObject({ url: 'https://acme.org/v1' });
});

it('says when a connection was stored, so that a new key does not wait for the limits of the one before', async () => {
  await store(undefined, 'ours');
  const before = await connectionOf()('ours', 'anybody');
  state().clock.pass(1_000);
  await store(undefined, 'ours');
  expect((await connectionOf()('ours', 'anybody'))?.since).toBe((before?.since ?? 0) + 1_000);
});

it('finds no connection half a minute after it was removed', async () => {
  await store(undefined, 'ours');
  const find = connectionOf();
  expect(await find('ours', 'x')).toBeDefined();
  expect(await removeModelConnection(state().table, undefined, 'ours')).toBe(true);
  state().clock.pass(30_000);
  expect(await find('ours', 'x')).toBeUndefined();
});

it('opens a key only for the owner and the origin for which it was entered', async () => {
  const [acme, otherId] = [await create('Acme'), await create('Other')];
  const stored = await store(acme, 'ours');
  const { vault } = state();
  const unreadable = { code: 'unreadable' };
  await expect(openConnection(vault, otherId, stored)).rejects.toMatchObject(unreadable);
  await expect(openConnection(vault, undefined, stored)).rejects.toMatchObject(unreadable);
  const moved = { ...stored, url: 'https://attacker.org/v1' };
  await expect(openConnection(vault, acme, moved)).rejects.toMatchObject(unreadable);
  const samePlace = { ...stored, url: 'https://models.acme.org/v2' };
  expect(await openConnection(vault, acme, samePlace)).toMatchObject({ key: KEY });
});

it('stores no key in clear', async () => {
  const acme = await create('Acme');
  await store(acme, 'ours');
  await store(undefined, 'theirs');
  const { folder, table } = state();
  expect(JSON.stringify(await storedConnection(table, acme, 'ours'))).toContain('sealedKey');
  for (const file of ['state.db', 'state.db-wal']) expect(readFileSync(join(folder, file)).includes(KEY)).toBe(false);
});

it.each(['', 'offline', 'Ours', '1st', 'a/b', 'a b', 'a.b', 'x'.repeat(41)])('refuses the name %j', async (name) => {
  await expect(store(undefined, name)).rejects.toEqual(invalid(/^A name has 1 to 40 characters/));
});

it.each(['', 'a b', 'a\nb', 'ä', 'x'.repeat(4_001)])('refuses the key %j', async (key) => {
  await expect(store(undefined, 'ours', undefined, key)).rejects.toEqual(invalid(/^A key has 1 to 4000/));
});

it('accepts models of stored connections, and says of those of another organization what it says of none', async () => {
  const [acme, otherId] = [await create('Acme'), await create('Other')];
  const { table } = state();
  const fault = (name: string) =>
    setModels(table, otherId, [`${name}/large`]).catch(({ message }) => message as string);
  await store(acme, 'ours');
  expect(await setModels(table, acme, ['ours/large', 'offline/extractive'])).toMatchObject({
    models: ['ours/large', 'offline/extractive'],
  });
  const refused = await fault('ours');
  expect(refused).toMatch(/^There is no connection ours to models; there are offline, .*npx errand model add ours/);
  expect(refused).toBe(String(await fault('none')).replaceAll('none', 'ours'));
  await store(undefined, 'shared');
  expect(await setModels(table, otherId, ['shared/large'])).toMatchObject({ models: ['shared/large'] });
});
