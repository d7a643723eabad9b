/** Single sign-on against a real issuer on this machine, whose keys rotate, over HTTPS. */
import { createPublicKey, generateKeyPairSync, KeyObject, sign } from 'node:crypto';
import { exportJWK, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keysFetcher } from '../../engines/outbound/fetch-keys.ts';
import { outbound } from '../../engines/outbound/outbound.ts';
import { setDisabled, setRole } from '../../shared/accounts/change-user.ts';
import { createUser } from '../../shared/accounts/create-user.ts';
import { removeUser } from '../../shared/accounts/remove-user.ts';
import { listUsers, userByName } from '../../shared/accounts/user.ts';
import { logger } from '../../shared/core/log.ts';
import { isProblem } from '../../shared/core/problem.ts';
import { tokenAuthenticator } from '../../shared/login/authenticate-token.ts';
import { logIn, logInBySso } from '../../shared/login/log-in.ts';
import type { Table } from '../../shared/ports.ts';
import { removeIssuer, setIssuer } from '../../shared/sso/issuer.ts';
import { issuerKeys } from '../../shared/sso/issuer-keys.ts';
import { link } from '../../shared/sso/person.ts';
import { elsewhere, opened, organization, password } from '../login/opened.ts';
import { type Issuing, type Signed, signingKey, startIssuer } from './issuer.ts';

const state = opened();
const audience = 'errand-at-acme';

let at: ReturnType<typeof state>;
let issuing: Issuing;
let key: Signed;
let keysAt: ReturnType<typeof issuerKeys>;
beforeEach(async () => {
  at = state();
  issuing = await startIssuer();
  key = await signingKey();
  issuing.publish(key);
  const log = logger({ clock: at.clock, least: 'error', write: () => undefined });
  keysAt = issuerKeys({ clock: at.clock, fetchKeys: keysFetcher({ request: outbound(), log, ca: issuing.ca }) });
  await trust({ admits: true });
});
afterEach(() => issuing.close());

const trust = ({ admits = false, of = organization, issuer = issuing.issuer } = {}) =>
  setIssuer(at, of, { issuer, audience, keysAddress: issuing.keysAddress, admits });

const now = () => Math.floor(at.clock.now() / 1_000);
const right = (): JWTPayload => ({
  iss: issuing.issuer,
  aud: audience,
  sub: 'subject-1',
  iat: now(),
  exp: now() + 300,
  preferred_username: 'zoe@acme.org',
});
const token = (changes: Record<string, unknown> = {}, header: object = {}, by = key) =>
  issuing.sign(by, { ...right(), ...changes }, header);

/** Whom the token lets in; or the refusal. */
let from = 0;
async function enter(ssoToken: string): Promise<unknown> {
  try {
    const { accessToken } = await logInBySso({ ...at, keysAt }, { ssoToken, from: `address ${from++}` });
    return await tokenAuthenticator(at)(accessToken);
  } catch (error) {
    if (isProblem(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
}
const REFUSED = 'unauthorized: Invalid or expired sso_token.';
const names = async (of = organization) => (await listUsers(at.table, of)).map(({ name }) => name);

describe('the first time', () => {
  it('makes a viewer of the organization, who is the same one ever after', async () => {
    const first = await enter(await token());
    expect(first).toMatchObject({ organization, role: 'viewer' });
    expect(await enter(await token({ preferred_username: 'renamed', email: 'other@acme.org' }))).toEqual(first);
    expect(await names()).toEqual(['zoe@acme.org']);
  });

  it('makes one user of many logins at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 8 }, () => token()));
    const found = await Promise.all(tokens.map(enter));
    expect(new Set(found.map((caller) => JSON.stringify(caller))).size).toBe(1);
    expect(await names()).toHaveLength(1);
  });

  it('lets nobody in where the organization does not admit them', async () => {
    await trust({ admits: false });
    expect(await enter(await token())).toBe(REFUSED);
    expect(await names()).toEqual([]);
  });

  it('never gives anybody a user who has the name already, here or elsewhere', async () => {
    await at.user('zoe@acme.org', 'admin', elsewhere);
    expect(await enter(await token())).toMatchObject({ organization, role: 'viewer' });
    await at.user('max@acme.org', 'admin');
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
  ])('names the user by what fits of %j', async (changes, name) => {
    await at.user('sso', 'viewer');
    at.clock.pass(1);
    expect(await enter(await token(changes))).toMatchObject({ role: 'viewer' });
    expect((await names()).at(-1)).toEqual(typeof name === 'string' ? name : expect.stringMatching(name));
  });

  it('goes on with a user whose link was cut off', async () => {
    const first = await enter(await token());
    const { rows } = await at.table.rows(`O#${organization}#SSO`, 'LINK#', { limit: 10 });
    for (const row of rows) await at.table.remove(row);
    expect(await enter(await token())).toEqual(first);
    expect(await names()).toHaveLength(1);
  });
});

describe('a user of single sign-on', () => {
  it('has no password, has the role the operator gave, and is refused while disabled', async () => {
    await enter(await token());
    const user = await userByName(at.table, 'zoe@acme.org');
    await expect(logIn(at, { name: 'zoe@acme.org', password: '', from: 'x' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    await setRole(at.table, user?.id ?? '', 'admin');
    expect(await enter(await token())).toMatchObject({ role: 'admin' });
    await setDisabled(at.table, user?.id ?? '', true);
    expect(await enter(await token())).toBe(REFUSED);
  });

  it('stays out once removed, also when somebody else gets the name, until the operator links another one', async () => {
    await enter(await token());
    const user = await userByName(at.table, 'zoe@acme.org');
    await removeUser(at.table, user?.id ?? '');
    expect(await enter(await token())).toBe(REFUSED);
    at.clock.pass(1);
    const other = await createUser(at, { organization, name: 'zoe@acme.org', role: 'admin', password });
    expect(await enter(await token())).toBe(REFUSED);
    await link(at.table, other, { issuer: issuing.issuer, sub: 'subject-1' });
    expect(await enter(await token())).toMatchObject({ role: 'admin', by: `user:${other.id}` });
  });

  it('may be one the operator linked, where nobody is admitted', async () => {
    await trust({ admits: false });
    const anna = await at.user('anna', 'member');
    await link(at.table, anna, { issuer: issuing.issuer, sub: 'subject-1' });
    expect(await enter(await token())).toEqual({ organization, role: 'member', by: `user:${anna.id}` });
    expect(await enter(await token({ sub: 'subject-2' }))).toBe(REFUSED);
  });
});

describe('an issuer and an audience', () => {
  it('belong to one organization, until it trusts another', async () => {
    await expect(trust({ of: elsewhere })).rejects.toMatchObject({ message: /belong to another organization/ });
    await trust({ issuer: 'https://login.acme.org' });
    expect(await enter(await token())).toBe(REFUSED);
    await trust({ of: elsewhere, admits: true });
    expect(await enter(await token())).toMatchObject({ organization: elsewhere });
    await removeIssuer(at.table, elsewhere);
    expect(await enter(await token())).toBe(REFUSED);
    await trust({ admits: true });
    expect(await enter(await token({ sub: 'subject-3' }))).toMatchObject({ organization });
  });

  it('that a change which was cut off left over is believed no longer, and free for others', async () => {
    const { rows } = await at.table.rows<object>(`O#${organization}`, 'SSO', { limit: 1 });
    for (const row of rows) {
      await at.table.replace(row, { value: { ...row.value, issuer: 'https://login.acme.org' } });
    }
    expect(await enter(await token())).toBe(REFUSED);
    await trust({ of: elsewhere, admits: true });
    expect(await enter(await token())).toMatchObject({ organization: elsewhere });
  });

  it('stay with whoever took them over while they were let go', async () => {
    const table: Table = {
      ...at.table,
      async remove(row) {
        const isGone = await at.table.remove(row);
        if (row.sk === 'SSO') await trust({ of: elsewhere, admits: true });
        return isGone;
      },
    };
    await removeIssuer(table, organization);
    expect(await enter(await token())).toMatchObject({ organization: elsewhere });
  });

  it.each([
    { issuer: 'http://login.acme.org' },
    { issuer: 'login.acme.org' },
    { issuer: '' },
    { audience: '' },
    { audience: 'a b' },
    { keysAddress: 'http://login.acme.org/jwks' },
    { keysAddress: 'file:///etc/passwd' },
    { keysAddress: `https://login.acme.org/${'x'.repeat(600)}` },
  ])('are refused as %j', async (changes) => {
    const wanted = { issuer: 'https://login.acme.org', audience, keysAddress: issuing.keysAddress, admits: false };
    await expect(setIssuer(at, elsewhere, { ...wanted, ...changes })).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('the keys', () => {
  it('are fetched once for many logins, and again after ten minutes', async () => {
    for (let n = 0; n < 3; n++) await enter(await token());
    expect(issuing.asked).toEqual(['/jwks']);
    at.clock.pass(600_000);
    await enter(await token());
    expect(issuing.asked).toHaveLength(2);
  });

  it('are fetched again for one that is not known, so that a rotation is followed at once', async () => {
    expect(await enter(await token())).toMatchObject({ role: 'viewer' });
    const [before, next] = [key, await signingKey()];
    issuing.publish(next);
    at.clock.pass(10_000);
    expect(await enter(await token({}, {}, next))).toMatchObject({ role: 'viewer' });
    expect(await enter(await token({}, {}, before))).toBe(REFUSED);
  });

  it('are not asked for more than once in ten seconds, whatever keys are named', async () => {
    await enter(await token());
    at.clock.pass(10_000);
    const others = await Promise.all(Array.from({ length: 10 }, (_, n) => token({}, { kid: `invented ${n}` })));
    expect(await Promise.all(others.map(enter))).toEqual(Array(10).fill(REFUSED));
    expect(issuing.asked).toHaveLength(2);
  });

  it('are not fetched for a stranger: neither for an unknown issuer or audience, nor for a token that is over', async () => {
    for (const changes of [{ iss: 'https://login.other.org' }, { aud: 'other' }, { exp: now() - 1 }]) {
      expect(await enter(await token(changes))).toBe(REFUSED);
    }
    expect(issuing.asked).toEqual([]);
  });

  it.each([
    ['an error', { status: 503 }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['no keys', { status: 200, body: '{"keys":{}}' }],
    ['too much', { status: 200, body: `{"keys":[],"x":"${'x'.repeat(300_000)}"}` }],
    ['a redirect', { status: 302 }],
  ])('of before hold on for an hour while the issuer answers with %s', async (_, broken) => {
    await enter(await token());
    Object.assign(issuing.published, broken);
    at.clock.pass(3_599_000);
    expect(await enter(await token())).toMatchObject({ role: 'viewer' });
    at.clock.pass(11_000);
    expect(await enter(await token())).toBe(REFUSED);
    Object.assign(issuing.published, { status: 200, body: undefined });
    at.clock.pass(10_000);
    expect(await enter(await token())).toMatchObject({ role: 'viewer' });
  });

  it('are not taken from a server that another authority vouches for', async () => {
    const log = logger({ clock: at.clock, least: 'error', write: () => undefined });
    keysAt = issuerKeys({ clock: at.clock, fetchKeys: keysFetcher({ request: outbound(), log }) });
    expect(await enter(await token())).toBe(REFUSED);
    expect(issuing.asked).toEqual([]);
  });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('may be of %s', async (alg) => {
    const other = await signingKey(alg);
    issuing.publish(key, other);
    expect(await enter(await token({}, {}, other))).toMatchObject({ role: 'viewer' });
  });

  it('may lie among others that nobody knows', async () => {
    issuing.published.keys = [7, null, { kty: 'new' }, { ...key.jwk, kid: 'other', n: '!' }, key.jwk];
    expect(await enter(await token())).toMatchObject({ role: 'viewer' });
    expect(await enter(await token({}, { kid: 'other' }))).toBe(REFUSED);
  });
});

describe('a token', () => {
  it('for several audiences says who asked for it', async () => {
    const aud = [audience, 'other'];
    expect(await enter(await token({ aud, azp: audience }))).toMatchObject({ organization });
    expect(await enter(await token({ aud: [audience] }))).toMatchObject({ organization });
    for (const changes of [
      { aud },
      { aud, azp: 'other' },
      { azp: 'other' },
      { aud: [] },
      { aud: ['x'], azp: audience },
    ]) {
      expect(await enter(await token(changes))).toBe(REFUSED);
    }
  });

  /** As the other implementation refuses to sign it. */
  const byHand = (header: object, by: KeyObject) => {
    const parts = [{ alg: 'RS256', kid: key.kid, typ: 'JWT', ...header }, right()];
    const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${sign('sha256', Buffer.from(signed), by).toString('base64url')}`;
  };

  it('signed by hand holds as well', async () => {
    expect(await enter(byHand({}, KeyObject.from(key.privateKey)))).toMatchObject({ organization });
  });

  const secret = Buffer.from('a shared secret, or a public key taken for one');
  const BAD: Record<string, () => string | Promise<string>> = {
    'no algorithm': () => new UnsecuredJWT(right()).encode(),
    'a shared secret': () =>
      new SignJWT(right()).setProtectedHeader({ alg: 'HS256', kid: key.kid, typ: 'JWT' }).sign(secret),
    'the public key for a secret': () =>
      new SignJWT(right())
        .setProtectedHeader({ alg: 'HS256', kid: key.kid })
        .sign(Buffer.from(JSON.stringify(key.jwk))),
    'another key under the same name': async () => token({}, { kid: key.kid }, await signingKey()),
    'another algorithm than its key is for': async () => {
      const other = await signingKey('PS256');
      issuing.published.keys = [{ ...key.jwk, kid: other.kid }];
      return token({}, {}, other);
    },
    'a key that is for ciphers': async () => {
      issuing.published.keys = [{ ...key.jwk, use: 'enc' }];
      return token();
    },
    'a key for another algorithm of its kind': async () => {
      const jwk = { ...(await exportJWK(key.privateKey)), alg: 'PS256' };
      return token({}, {}, { ...key, alg: 'PS256', privateKey: (await importJWK(jwk)) as Signed['privateKey'] });
    },
    'a short key': async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
      const { n, e } = createPublicKey(privateKey).export({ format: 'jwk' });
      issuing.published.keys = [{ ...key.jwk, n, e }];
      return byHand({}, privateKey);
    },
    'an extension that is known elsewhere': async () => byHand({ crit: ['exp'] }, KeyObject.from(key.privateKey)),
    RS512: async () => token({}, {}, { ...(await signingKey('RS512')), kid: key.kid }),
    'no kid': () => token({}, { kid: undefined }),
    'a kid of nobody': () => token({}, { kid: 'nobody' }),
    'a jku': () => token({}, { jku: issuing.keysAddress }),
    'a jwk': () => token({}, { jwk: key.jwk }),
    'an x5u': () => token({}, { x5u: issuing.keysAddress }),
    'an extension': () => token({}, { crit: ['b64'], b64: true }),
    'the type of an access token': () => token({}, { typ: 'at+jwt' }),
    'no issuer': () => token({ iss: undefined }),
    'an issuer with a slash more': () => token({ iss: `${issuing.issuer}/` }),
    'no audience': () => token({ aud: undefined }),
    'no subject': () => token({ sub: undefined }),
    'an empty subject': () => token({ sub: '' }),
    'an endless subject': () => token({ sub: 'x'.repeat(300) }),
    'a subject that is a number': () => token({ sub: 7 }),
    'the end reached': () => token({ exp: now() }),
    'no end': () => token({ exp: undefined }),
    'an end as text': () => token({ exp: String(now() + 300) }),
    'no time of making': () => token({ iat: undefined }),
    'a time of making to come': () => token({ iat: now() + 120 }),
    'a beginning to come': () => token({ nbf: now() + 120 }),
    'an altered claim': async () => {
      const [head, , end] = (await token()).split('.');
      return `${head}.${Buffer.from(JSON.stringify({ ...right(), sub: 'admin' })).toString('base64url')}.${end}`;
    },
    'a hundred thousand characters': () => token({ filler: 'x'.repeat(75_000) }),
    'nothing in it': () => '..',
    spaces: async () => ` ${await token()} `,
    'an access token of ours': async () => {
      await at.user();
      return (await logIn(at, { name: 'anna@example.org', password, from: 'x' })).accessToken;
    },
  };

  it.each(Object.entries(BAD))('with %s is refused', async (_, make) => {
    expect(await enter(await make())).toBe(REFUSED);
    expect(await names()).not.toContain('zoe@acme.org');
  });

  it('that does not hold counts for its address, thirty times', async () => {
    const bad = await token({ exp: now() });
    const attempt = (ssoToken: string) => logInBySso({ ...at, keysAt }, { ssoToken, from: 'one' });
    for (let n = 0; n < 30; n++) await expect(attempt(bad)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(attempt(await token())).rejects.toMatchObject({ code: 'rateLimited', retryAfterSeconds: 300 });
  });
});
