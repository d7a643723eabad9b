import { expect, it } from 'vitest';
import { keyAuthenticator } from '../../shared/accounts/authenticate-key.ts';
import { foundOrganization } from '../../shared/accounts/found-organization.ts';
import { listOrganizations } from '../../shared/accounts/organization.ts';
import { seedDemo } from '../../shared/accounts/seed-demo.ts';
import { userWithPassword } from '../../shared/accounts/user-with-password.ts';
import { currentSecrets } from '../../shared/accounts/webhook-secret.ts';
import { opened } from './opened.ts';

const state = opened();

it('makes two organizations whose credentials all work, each for its own', async () => {
  const seeded = await seedDemo(state());
  expect(seeded.map(({ name }) => name)).toEqual(['Demo One', 'Demo Two']);
  const authenticate = keyAuthenticator(state());
  for (const { id, apiKey, username, password, webhookSecret, models } of seeded) {
    expect(models).toEqual(['offline/extractive']);
    expect(await authenticate(apiKey)).toMatchObject({ organization: id, role: 'member' });
    const user = await userWithPassword(state(), { name: username, password });
    expect(user).toMatchObject({ organization: id, role: 'admin' });
    expect(await currentSecrets(state(), id)).toMatchObject([{ secret: webhookSecret }]);
  }
});

it('answers with the fields of local.json and no others', async () => {
  for (const organization of await seedDemo(state())) {
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

it('keeps none of the clear texts', async () => {
  const seeded = await seedDemo({ ...state(), passwords: { ...state().passwords, hash: async () => 'hashed' } });
  const { readFileSync, readdirSync } = await import('node:fs');
  const { folder } = state();
  const kept = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'latin1'));
  for (const { apiKey, password, webhookSecret } of seeded) {
    for (const secret of [apiKey.slice(19), password, webhookSecret.slice(6)]) {
      expect(kept.join('')).not.toContain(secret);
    }
  }
});

it('finds free user names for organizations called alike, or by no letters at all', async () => {
  const models = ['offline/extractive'];
  const names = ['Acme', 'acme', 'ACME!', '!!!', '🎉', 'Ünï & Co.', 'x y'.repeat(33), 'हिन्दी'];
  const usernames = [];
  for (const name of names) usernames.push((await foundOrganization(state(), { name, models })).username);
  expect(new Set(usernames).size).toBe(names.length);
  expect(usernames[0]).toBe('admin@acme');
  expect(usernames[5]).toBe('admin@ünï-co');
  expect(await listOrganizations(state().table)).toHaveLength(names.length);
});
