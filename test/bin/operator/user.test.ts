import { expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { passwords } from '../../../engines/passwords/passwords.ts';
import { userWithPassword } from '../../../shared/accounts/users.ts';
import { withAcme } from './errand.ts';

const { acme, json, refuses, run, state } = withAcme();

async function logsIn(name: string, password: string): Promise<boolean> {
  const { table, close } = openLocal({ ERRAND_STATE: state() });
  const found = await userWithPassword({ table, passwords: passwords() }, { name, password });
  close();
  return found !== undefined;
}

it('creates a user with a password that is shown once, or with one from standard input that is not shown', async () => {
  const made = await json(['user', 'create', 'bob', '--org', 'Acme', '--role', 'viewer']);
  expect(made).toMatchObject({ name: 'bob', organization: acme().id, role: 'viewer', state: 'active' });
  expect(await logsIn('Bob', made.password)).toBe(true);
  const given = await json(
    ['user', 'create', 'eve', '--org', acme().id, '--role', 'admin', '--password-stdin'],
    'a password of mine\n',
  );
  expect(given.password).toBeUndefined();
  expect(await logsIn('eve', 'a password of mine')).toBe(true);
  expect((await json(['user', 'list', 'Acme'])).map(({ name }: { name: string }) => name)).toEqual([
    'admin@acme',
    'bob',
    'eve',
  ]);
});

it('changes the password, the role and the state of a user', async () => {
  const { username, password } = acme();
  const changed = await json(['user', 'password', username]);
  expect(await logsIn(username, password)).toBe(false);
  expect(await logsIn(username, changed.password)).toBe(true);
  expect(await json(['user', 'role', username, 'viewer'])).toMatchObject({ role: 'viewer' });
  expect(await json(['user', 'disable', username])).toMatchObject({ state: 'disabled' });
  expect(await logsIn(username, changed.password)).toBe(false);
  expect(await json(['user', 'list', 'Acme'])).toMatchObject([{ role: 'viewer', state: 'disabled' }]);
  await json(['user', 'enable', username]);
  expect(await logsIn(username, changed.password)).toBe(true);
  expect((await json(['audit', 'Acme'])).map(({ act }: { act: string }) => act)).toEqual([
    'user enable',
    'user disable',
    'user role',
    'user password',
    'org create',
  ]);
});

it('removes a user permanently, and frees the name', async () => {
  await json(['user', 'create', 'bob', '--org', 'Acme', '--role', 'viewer']);
  expect(await json(['user', 'remove', 'bob'])).toMatchObject({ name: 'bob', state: 'removed' });
  expect(await json(['user', 'list', 'Acme'])).toHaveLength(1);
  await refuses(['user', 'remove', 'bob'], /There is no user "bob"/);
  expect(await json(['user', 'create', 'bob', '--org', 'Acme', '--role', 'admin'])).toMatchObject({ role: 'admin' });
});

it('links a user to a subject of the issuer that the organization trusts', async () => {
  const { username } = acme();
  await refuses(['user', 'link', username, 'subject-1'], /has no SSO: set it up with "sso set"/);
  const place = ['--issuer', 'https://login.acme.org', '--audience', 'errand', '--keys', 'https://login.acme.org/jwks'];
  await json(['sso', 'set', 'Acme', ...place]);
  const linked = await json(['user', 'link', username, 'subject-1']);
  expect(linked).toMatchObject({ name: username, issuer: 'https://login.acme.org', subject: 'subject-1' });
});

it.each([
  [['user', 'create', 'ADMIN@acme', '--org', 'Acme', '--role', 'admin'], /The user name ADMIN@acme is taken/],
  [['user', 'create', 'al', '--org', 'Acme', '--role', 'admin'], /A user name has /],
  [['user', 'create', 'alice', '--org', 'Nobody', '--role', 'admin'], /There is no organization "Nobody"/],
  [['user', 'create', 'alice', '--org', 'Acme', '--role', 'root'], /"root" is not a role: give one of viewer, member/],
  [['user', 'role', 'admin@acme', 'owner'], /"owner" is not a role/],
  [['user', 'role', 'nobody', 'admin'], /There is no user "nobody": "npx errand user list ORG"/],
  [['user', 'disable', 'x'.repeat(100_000)], /There is no user "x{128}"/],
  [['user', 'password', 'admin@acme', '--password-stdin'], /A password has /],
])('refuses %j in one line', async (args, remedy) => {
  await refuses(args, remedy, 'too short\n');
  expect(await json(['user', 'list', 'Acme'])).toMatchObject([{ name: 'admin@acme', role: 'admin', state: 'active' }]);
});

it('never puts a refused password into an error or an audit row', async () => {
  const done = await run(
    ['user', 'create', 'alice', '--org', 'Acme', '--role', 'admin', '--password-stdin'],
    'hunter2\n',
  );
  expect(done.status).toBe(1);
  expect(done.stderr + (await run(['audit', '--json'])).stdout).not.toContain('hunter2');
});
