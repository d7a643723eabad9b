import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { fileSecrets } from '../../../../adapters/local/secrets.ts';
import { tokenAuthenticator } from '../../../../shared/accounts/access-tokens.ts';
import { logIn } from '../../../../shared/accounts/login.ts';
import { setDisabled, setPassword, setRole, userKey } from '../../../../shared/accounts/users.ts';
import { isProblem } from '../../../../shared/core/problem.ts';
import { elsewhere, organization, password, useLogin } from './setup.ts';

const state = useLogin();
const name = 'anna@example.org';
const from = '192.0.2.1';
const refusal = (error: unknown) => isProblem(error, 'unauthorized') && error.message;

let at: ReturnType<typeof state>;
let owner: ReturnType<typeof tokenAuthenticator>;
beforeEach(() => {
  at = state();
  owner = tokenAuthenticator(at);
});
const token = async () => (await logIn(at, { name, password, from })).accessToken;

it('identifies the organization, the user and the role of its owner', async () => {
  const { id } = await at.user();
  expect(await owner(await token())).toEqual({ organization, role: 'member', by: `user:${id}` });
});

it('is valid for an hour, to the second', async () => {
  await at.user();
  const issuedToken = await token();
  at.clock.pass(3_599_999);
  expect(await owner(issuedToken)).toBeDefined();
  at.clock.pass(1);
  await expect(owner(issuedToken)).rejects.toMatchObject({
    code: 'unauthorized',
    message: expect.stringContaining('expired'),
  });
});

it('is refused for a wrong password, an unknown name or a disabled user, with the same message after the same work', async () => {
  const { id } = await at.user();
  const refusals = [];
  for (const claimed of [
    { name, password: 'wrong password' },
    { name: 'bob', password },
  ]) {
    refusals.push(await logIn(at, { ...claimed, from }).catch(refusal));
  }
  await setDisabled(at.table, id, true);
  refusals.push(await logIn(at, { name, password, from }).catch(refusal));
  expect(refusals).toEqual(Array(3).fill('Wrong user name or password.'));
  const { verified } = at.passwords as unknown as { verified: unknown[] };
  expect(verified).toHaveLength(3);
});

it('stays valid after one rotation of the master secret, but not after two', async () => {
  await at.user();
  const issuedToken = await token();
  await at.secrets.rotate();
  expect(await owner(issuedToken)).toBeDefined();
  expect(await owner(await token())).toBeDefined();
  await at.secrets.rotate();
  expect(await owner(issuedToken)).toBeUndefined();
});

it('reflects within 30 seconds that its user was disabled, removed or given another role', async () => {
  const { id } = await at.user();
  const issuedToken = await token();
  const role = async () => (await owner(issuedToken))?.role;
  expect(await role()).toBe('member');
  await setRole(at.table, id, 'admin');
  at.clock.pass(30_000);
  expect(await role()).toBe('admin');
  await setDisabled(at.table, id, true);
  at.clock.pass(29_999);
  expect(await role()).toBe('admin');
  at.clock.pass(1);
  expect(await role()).toBeUndefined();
  await setDisabled(at.table, id, false);
  at.clock.pass(30_000);
  expect(await role()).toBe('admin');
  const row = await at.table.get(userKey(id));
  if (row) await at.table.remove(row);
  at.clock.pass(30_000);
  expect(await role()).toBeUndefined();
});

it('becomes invalid when the password of its user changes', async () => {
  const { id } = await at.user();
  const issuedToken = await token();
  at.clock.pass(60_000);
  await setPassword(at, id, 'another password');
  expect(await owner(issuedToken)).toBeUndefined();
  const { accessToken } = await logIn(at, { name, password: 'another password', from });
  at.clock.pass(30_000);
  expect(await owner(accessToken)).toBeDefined();
});

it('is never valid for another user who gets the same name, in this organization or another', async () => {
  for (const of of [organization, elsewhere]) {
    const { id } = await at.user(name, 'member', of);
    const issuedToken = await token();
    const row = await at.table.get(userKey(id));
    if (row) await at.table.remove(row);
    at.clock.pass(30_000);
    await at.user(name, 'admin', organization);
    expect(await owner(issuedToken)).toBeUndefined();
    const next = await at.table.get(userKey(id));
    if (next) await at.table.remove(next);
    at.clock.pass(30_000);
  }
});

it('that is issued after a rotation is accepted at once by an instance that has not seen the rotation yet', async () => {
  await at.user();
  const file = join(at.folder, 'master.json');
  const slow = fileSecrets({ file, clock: at.clock, lookEveryMs: 300_000 });
  await slow.master();
  await at.secrets.rotate();
  expect(await tokenAuthenticator({ ...at, secrets: slow })(await token())).toBeDefined();
});
