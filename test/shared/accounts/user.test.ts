import { expect, it } from 'vitest';
import { userIdOf } from '../../../shared/accounts/user-name.ts';
import {
  createUser,
  listUsers,
  setDisabled,
  setPassword,
  setRole,
  userByName,
  userWithPassword,
} from '../../../shared/accounts/users.ts';
import { invalid, useAccounts } from './setup.ts';

const state = useAccounts();
const [ownOrganization, otherOrganization] = [
  '01900000-0000-7000-8000-000000000001',
  '01900000-0000-7000-8000-000000000002',
];
const password = 'correct horse battery';
const create = (name: string, o: { organization?: string; password?: string } = {}) =>
  createUser(state(), { organization: ownOrganization, name, role: 'member', password, ...o });

it('is created with a role, and shown without the password hash', async () => {
  const person = await create('alice@example.org');
  expect(person).toEqual({
    id: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
    name: 'alice@example.org',
    organization: ownOrganization,
    role: 'member',
    disabled: false,
    createdAt: state().clock.now(),
  });
  expect(await listUsers(state().table, ownOrganization)).toEqual([person]);
  expect(await listUsers(state().table, otherOrganization)).toEqual([]);
  expect((await userByName(state().table, 'alice@example.org'))?.passwordHash).toBe(`hash of ${password}`);
});

it.each([
  ['alice', 'ALICE'],
  ['alice', 'ａｌｉｃｅ'],
  ['zoë.x', 'zoe\u0308.x'],
  ['straße', 'STRASSE'],
  ['ΟΔΟΣ', 'οδος'],
  ['ﬁle', 'file'],
])('has the same name with %j and %j, unique in the whole product', async (name, otherSpelling) => {
  await create(name);
  await expect(create(otherSpelling, { organization: otherOrganization })).rejects.toEqual(
    invalid(/is taken: choose another/),
  );
  expect((await userByName(state().table, otherSpelling))?.organization).toBe(ownOrganization);
});

it('lets exactly one of many concurrent callers take a name', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => create('alice')));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it.each(['abc', 'a'.repeat(128), "o'neil+x@example.co.uk", '山田太郎', 'ålesund', '3com'])(
  'accepts the name %j',
  async (name) => {
    expect((await create(name)).name).toBe(name);
  },
);

it.each([
  '',
  'ab',
  'a'.repeat(129),
  'a b c',
  'a\nbc',
  '-abc',
  '@abc',
  'a:bc',
  'a"bc',
  'a\u200bbc',
  '\ud800abc',
  'a\u0000bc',
])('refuses the name %j', async (name) => {
  await expect(create(name)).rejects.toEqual(invalid(/^A user name has /));
});

it.each(['x'.repeat(11), 'x'.repeat(201), `${'x'.repeat(12)}\n`, ''])('refuses the password %j', async (wrong) => {
  await expect(create('alice', { password: wrong })).rejects.toEqual(invalid(/^A password has /));
  expect(await userByName(state().table, 'alice')).toBeUndefined();
  const { id } = await create('alice');
  await expect(setPassword(state(), id, wrong)).rejects.toEqual(invalid(/^A password has /));
  expect(await userWithPassword(state(), { name: 'alice', password })).toBeDefined();
});

it('counts the characters of a password, not its bytes', async () => {
  await create('alice', { password: '🔑'.repeat(12) });
  await expect(create('bob', { password: '🔑'.repeat(11) })).rejects.toEqual(invalid(/^A password has /));
});

it('is authenticated by name and password, in any spelling of the name', async () => {
  const person = await create('Alice');
  expect(await userWithPassword(state(), { name: 'aLICE', password })).toEqual(person);
});

it('is refused with a wrong password, when disabled or when unknown, after the same amount of work', async () => {
  const { id } = await create('alice');
  await create('bob');
  await setDisabled(state().table, id, true);
  const { passwords } = state();
  for (const [name, claimed] of [
    ['bob', `${password}.`],
    ['alice', password],
    ['nobody', password],
    ['x'.repeat(100_000), password],
    ['', ''],
    ['\ud800', password],
  ] as const) {
    passwords.verified.length = 0;
    expect(await userWithPassword(state(), { name, password: claimed })).toBeUndefined();
    expect(passwords.verified).toHaveLength(1);
  }
  expect(passwords.verified).toEqual([undefined]);
});

it('can get another role and another password, and can be enabled again', async () => {
  const { id } = await create('alice');
  await Promise.all([
    setRole(state().table, id, 'admin'),
    setDisabled(state().table, id, true),
    setPassword(state(), id, 'another password'),
  ]);
  expect(await listUsers(state().table, ownOrganization)).toMatchObject([{ role: 'admin', disabled: true }]);
  await setDisabled(state().table, id, false);
  expect(await userWithPassword(state(), { name: 'alice', password })).toBeUndefined();
  expect(await userWithPassword(state(), { name: 'alice', password: 'another password' })).toMatchObject({ id });
});

it('cannot be changed if it does not exist', async () => {
  await expect(setRole(state().table, userIdOf('nobody'), 'admin')).rejects.toMatchObject({ code: 'notFound' });
});
