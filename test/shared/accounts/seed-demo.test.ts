import { expect, it } from 'vitest';
import { listKeys } from '../../../shared/accounts/api-keys.ts';
import { planDemo, seedDemo } from '../../../shared/accounts/demo-organizations.ts';
import { keyAuthenticator } from '../../../shared/accounts/key-authenticator.ts';
import { OFFLINE_MODELS } from '../../../shared/accounts/models.ts';
import { listOrganizations } from '../../../shared/accounts/organizations.ts';
import {
  type ProvisionedOrganization,
  provisionOrganization,
} from '../../../shared/accounts/provision-organization.ts';
import { listUsers, userWithPassword } from '../../../shared/accounts/users.ts';
import { currentSecrets } from '../../../shared/accounts/webhook-secrets.ts';
import type { Draft } from '../../../shared/ports.ts';
import { useAccounts } from './setup.ts';

const state = useAccounts();

async function seeded(ports = state()) {
  const planned = await planDemo(ports, OFFLINE_MODELS);
  await seedDemo(ports, planned);
  return planned;
}

it('creates two organizations whose credentials all work, each for its own organization', async () => {
  const organizations = await seeded();
  expect(organizations.map(({ name }) => name)).toEqual(['Demo One', 'Demo Two']);
  await allWork(organizations);
});

it('gives the organizations new names if those of an earlier demo still exist', async () => {
  await seeded();
  await seeded();
  const third = await seeded();
  expect(third.map(({ name }) => name)).toEqual(['Demo One 3', 'Demo Two 3']);
  const names = (await listOrganizations(state().table)).map(({ name }) => name);
  expect(new Set(names).size).toBe(6);
});

async function allWork(organizations: ProvisionedOrganization[]): Promise<void> {
  const authenticate = keyAuthenticator(state());
  for (const { id, apiKey, username, password, webhookSecret, models } of organizations) {
    expect(models).toEqual(['offline/extractive']);
    expect(await authenticate(apiKey)).toMatchObject({ organization: id, role: 'member' });
    const user = await userWithPassword(state(), { name: username, password });
    expect(user).toMatchObject({ organization: id, role: 'admin' });
    expect(await currentSecrets(state(), id)).toMatchObject([{ secret: webhookSecret }]);
  }
}

const WRITES = 8;

it.each(Array.from({ length: WRITES }, (_, at) => at + 1))(
  'creates nothing twice if it is interrupted at write %i and repeated',
  async (last) => {
    const planned = await planDemo(state(), OFFLINE_MODELS);
    const { table } = state();
    let written = 0;
    const insert = async <T>(draft: Draft<T>) => {
      const row = await table.insert(draft);
      if (++written === last) throw new Error('cut off');
      return row;
    };
    await expect(seedDemo({ ...state(), table: { ...table, insert } }, planned)).rejects.toThrow('cut off');
    await seedDemo(state(), planned);
    await allWork(planned);
    expect(await listOrganizations(table)).toHaveLength(2);
    for (const { id } of planned) {
      expect([await listKeys(table, id), await listUsers(table, id)].map(({ length }) => length)).toEqual([1, 1]);
    }
  },
);

it('returns the fields of local.json and no others', async () => {
  for (const organization of await seeded()) {
    expect(Object.keys(organization)).toEqual([
      'id',
      'name',
      'apiKey',
      'username',
      'password',
      'webhookSecret',
      'models',
    ]);
  }
});

it('stores no secret in clear text', async () => {
  const organizations = await seeded({ ...state(), passwords: { ...state().passwords, hash: async () => 'hashed' } });
  const { readFileSync, readdirSync } = await import('node:fs');
  const { folder } = state();
  const fileTexts = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'latin1'));
  for (const { apiKey, password, webhookSecret } of organizations) {
    for (const secret of [apiKey.slice(19), password, webhookSecret.slice(6)]) {
      expect(fileTexts.join('')).not.toContain(secret);
    }
  }
});

it('finds free user names for organizations with equal names, or with names without letters', async () => {
  const models = ['offline/extractive'];
  const names = ['Acme', 'acme', 'ACME!', '!!!', '🎉', 'Ünï & Co.', 'x y'.repeat(33), 'हिन्दी'];
  const usernames = [];
  for (const name of names) usernames.push((await provisionOrganization(state(), { name, models })).username);
  expect(new Set(usernames).size).toBe(names.length);
  expect(usernames[0]).toBe('admin@acme');
  expect(usernames[5]).toBe('admin@ünï-co');
  expect(await listOrganizations(state().table)).toHaveLength(names.length);
});
