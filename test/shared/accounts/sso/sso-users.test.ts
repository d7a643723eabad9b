/** The users that single sign-on creates and admits. */
import { describe, expect, it } from 'vitest';
import { logIn } from '../../../../shared/accounts/login.ts';
import { linkUser } from '../../../../shared/accounts/sso-users.ts';
import { createUser, removeUser, setDisabled, setRole, userByName } from '../../../../shared/accounts/users.ts';
import { elsewhere, organization, password } from '../login/setup.ts';
import { REFUSED, useTrustedIssuer } from './trusted-issuer.ts';

const { its, trust, token, signIn: enter, names } = useTrustedIssuer();

describe('the first login', () => {
  it('creates a viewer of the organization, and later logins use the same user', async () => {
    const first = await enter(await token());
    expect(first).toMatchObject({ organization, role: 'viewer' });
    expect(await enter(await token({ preferred_username: 'renamed', email: 'other@acme.org' }))).toEqual(first);
    expect(await names()).toEqual(['zoe@acme.org']);
  });

  it('creates one user for many concurrent logins', async () => {
    const tokens = await Promise.all(Array.from({ length: 8 }, () => token()));
    const found = await Promise.all(tokens.map(enter));
    expect(new Set(found.map((caller) => JSON.stringify(caller))).size).toBe(1);
    expect(await names()).toHaveLength(1);
  });

  it('rejects unknown users where the organization does not admit them', async () => {
    await trust({ admits: false });
    expect(await enter(await token())).toBe(REFUSED);
    expect(await names()).toEqual([]);
  });

  it('never uses an existing user with the same name, in this organization or another', async () => {
    await its.at.user('zoe@acme.org', 'admin', elsewhere);
    expect(await enter(await token())).toMatchObject({ organization, role: 'viewer' });
    await its.at.user('max@acme.org', 'admin');
    const max = await enter(await token({ sub: 'subject-2', preferred_username: 'MAX@acme.org' }));
    expect(max).toMatchObject({ organization, role: 'viewer' });
    expect((await names()).sort()).toEqual([
      expect.stringMatching(/^MAX@acme\.org-\w{9}$/),
      'max@acme.org',
      expect.stringMatching(/^zoe@acme\.org-\w{9}$/),
    ]);
  });

  it.each([
    [{ preferred_username: undefined, email: 'zoe@mail.org' }, 'zoe@mail.org'],
    [{ preferred_username: 'a b', email: 7 }, 'subject-1'],
    [{ preferred_username: '<script>', email: undefined, sub: '!' }, /^sso-\w{9}$/],
  ])('derives the name of the user from the valid characters of %j', async (changes, name) => {
    await its.at.user('sso', 'viewer');
    its.at.clock.pass(1);
    expect(await enter(await token(changes))).toMatchObject({ role: 'viewer' });
    expect((await names()).at(-1)).toEqual(typeof name === 'string' ? name : expect.stringMatching(name));
  });

  it('continues with a user whose link was interrupted', async () => {
    const first = await enter(await token());
    const { rows } = await its.at.table.rows(`O#${organization}#SSO`, 'LINK#', { limit: 10 });
    for (const row of rows) await its.at.table.remove(row);
    expect(await enter(await token())).toEqual(first);
    expect(await names()).toHaveLength(1);
  });
});

describe('a user of single sign-on', () => {
  it('has no password, has the role the operator gave, and is refused while disabled', async () => {
    await enter(await token());
    const user = await userByName(its.at.table, 'zoe@acme.org');
    await expect(logIn(its.at, { name: 'zoe@acme.org', password: '', from: 'x' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    await setRole(its.at.table, user?.id ?? '', 'admin');
    expect(await enter(await token())).toMatchObject({ role: 'admin' });
    await setDisabled(its.at.table, user?.id ?? '', true);
    expect(await enter(await token())).toBe(REFUSED);
  });

  it('stays locked out once removed, even if another user gets the name, until the operator links another one', async () => {
    await enter(await token());
    const user = await userByName(its.at.table, 'zoe@acme.org');
    await removeUser(its.at.table, user?.id ?? '');
    expect(await enter(await token())).toBe(REFUSED);
    its.at.clock.pass(1);
    const other = await createUser(its.at, { organization, name: 'zoe@acme.org', role: 'admin', password });
    expect(await enter(await token())).toBe(REFUSED);
    await linkUser(its.at.table, other, { issuer: its.issuing.issuer, sub: 'subject-1' });
    expect(await enter(await token())).toMatchObject({ role: 'admin', by: `user:${other.id}` });
  });

  it('may be one that the operator linked, if unknown users are not admitted', async () => {
    await trust({ admits: false });
    const anna = await its.at.user('anna', 'member');
    await linkUser(its.at.table, anna, { issuer: its.issuing.issuer, sub: 'subject-1' });
    expect(await enter(await token())).toEqual({ organization, role: 'member', by: `user:${anna.id}` });
    expect(await enter(await token({ sub: 'subject-2' }))).toBe(REFUSED);
  });
});
