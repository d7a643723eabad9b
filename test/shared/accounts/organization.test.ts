import { expect, it } from 'vitest';
import { findOrganization } from '../../../bin/operator/org.ts';
import { clearLimit, limitOf, overrideLimit } from '../../../shared/accounts/caps.ts';
import { createOrganization } from '../../../shared/accounts/create-organization.ts';
import {
  listOrganizations,
  organizationById,
  organizationReader,
  setModels,
} from '../../../shared/accounts/organizations.ts';
import { currentSecrets } from '../../../shared/accounts/webhook-secrets.ts';
import { countReads, invalid, useAccounts } from './setup.ts';

const state = useAccounts();
const models = ['offline/extractive'];
const create = async (name: string) => (await createOrganization(state(), { name, models })).organization;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it('is created with an id, the time, its models, no overrides and a webhook secret', async () => {
  const { organization, webhookSecret } = await createOrganization(state(), { name: ' Acme ', models });
  expect(organization).toEqual({
    id: expect.stringMatching(UUID_V7),
    name: 'Acme',
    createdAt: state().clock.now(),
    models,
    limits: {},
  });
  expect(await organizationById(state().table, organization.id)).toEqual(organization);
  expect(await currentSecrets(state(), organization.id)).toMatchObject([{ secret: webhookSecret }]);
});

it.each(['A', 'x'.repeat(100), '🎉'.repeat(100), 'Zoë & Söhne "GmbH"', '株式会社', 'a  b', "'; DROP TABLE rows; --"])(
  'accepts the name %j',
  async (name) => {
    expect((await create(name)).name).toBe(name);
  },
);

it.each(['', '   ', 'x'.repeat(101), 'a\nb', 'a\u0000b', 'a\u001b[31mb', 'a\u2028b', '\u202eabc', '\u200b', '\ud800'])(
  'refuses the name %j and creates nothing',
  async (name) => {
    await expect(create(name)).rejects.toEqual(invalid(/^A name has /));
    expect(state().table.check().rows).toBe(0);
  },
);

it.each([
  [[]],
  [['gpt']],
  [['/x']],
  [['a/']],
  [['a/b c']],
  [['openai/b', 'openai/b']],
  [['a/b']],
  [[`a/${'b'.repeat(200)}`]],
])('refuses the models %j', async (wrong) => {
  await expect(createOrganization(state(), { name: 'Acme', models: wrong })).rejects.toEqual(invalid(/model/));
  const { id } = await create('Acme');
  await expect(setModels(state().table, id, wrong)).rejects.toEqual(invalid(/model/));
  expect((await organizationById(state().table, id))?.models).toEqual(models);
});

it('lists any number of organizations in the order of their creation', async () => {
  const names = Array.from({ length: 205 }, (_, n) => `Org ${n}`);
  for (const name of names) {
    await create(name);
    state().clock.pass(1);
  }
  expect((await listOrganizations(state().table)).map(({ name }) => name)).toEqual(names);
});

it('is found by its id and by its exact name', async () => {
  const acme = await create('Acme');
  await create('Acme Two');
  for (const text of [acme.id, 'Acme', ' Acme ']) expect(await findOrganization(state().table, text)).toEqual(acme);
  for (const text of ['acme', 'Acm', '', acme.id.slice(1), `${acme.id}#`, 'x'.repeat(5_000)]) {
    await expect(findOrganization(state().table, text)).rejects.toMatchObject({ code: 'notFound' });
  }
});

it('is not guessed if two have the same name: the error lists their ids', async () => {
  const [firstAcme, secondAcme] = [await create('Acme'), await create('Acme')];
  await expect(findOrganization(state().table, 'Acme')).rejects.toEqual(
    invalid(new RegExp(`^2 organizations are called "Acme": use one of the ids ${firstAcme.id}, ${secondAcme.id}$`)),
  );
});

it('overrides parts of a limit for this organization only, and restores the default of the product', async () => {
  const [limited, unlimited] = [await create('One'), await create('Two')];
  const limit = { name: 'files', minute: 600 };
  await overrideLimit(state().table, limited.id, { limit: 'files', minute: 5 });
  const overridden = await overrideLimit(state().table, limited.id, { limit: 'files', hour: 50 });
  expect(overridden && limitOf(overridden, limit)).toEqual({ name: 'files', minute: 5, hour: 50 });
  expect(overridden && limitOf(overridden, { name: 'reads', minute: 9 })).toEqual({ name: 'reads', minute: 9 });
  expect(await organizationById(state().table, unlimited.id)).toEqual(unlimited);
  const cleared = await clearLimit(state().table, limited.id, 'files');
  expect(cleared && limitOf(cleared, limit)).toEqual(limit);
});

it.each([0, -1, 1.5, Number.NaN, 1_000_001])('refuses a limit of %d', async (minute) => {
  const { id } = await create('Acme');
  await expect(overrideLimit(state().table, id, { limit: 'files', minute })).rejects.toEqual(invalid(/whole number/));
});

it('loses no concurrent change', async () => {
  const { id } = await create('Acme');
  const names = ['a', 'b', 'c', 'd', 'e'];
  await Promise.all(names.map((limit) => overrideLimit(state().table, id, { limit, minute: 1 })));
  expect(Object.keys((await organizationById(state().table, id))?.limits ?? {}).toSorted()).toEqual(names);
});

it('returns undefined if a missing one is changed', async () => {
  expect(await setModels(state().table, state().ids.uuid(), models)).toBeUndefined();
  expect(state().table.check().rows).toBe(0);
});

it('is cached for requests, and never for longer than documented', async () => {
  const { id } = await create('Acme');
  const table = countReads(state().table);
  const read = organizationReader({ table, clock: state().clock });
  for (let n = 0; n < 10; n++) expect((await read(id))?.models).toEqual(models);
  expect(table.reads).toHaveLength(1);
  await setModels(state().table, id, ['openai/b']);
  state().clock.pass(30_000);
  expect((await read(id))?.models).toEqual(['openai/b']);
});
