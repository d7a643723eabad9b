/** The accepted tokens of an issuer. */
import { createPublicKey, generateKeyPairSync, KeyObject, sign } from 'node:crypto';
import { exportJWK, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { setIssuer } from '../../../../shared/accounts/issuers.ts';
import { logIn, logInBySso } from '../../../../shared/accounts/login.ts';
import { organization, password } from '../login/setup.ts';
import { type SigningKey, signingKey } from './issuer.ts';
import { audience, REFUSED, useTrustedIssuer } from './trusted-issuer.ts';

const { its, now, right, token, signIn: enter, names } = useTrustedIssuer();

describe('a token', () => {
  it('for several audiences names the authorized party', async () => {
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

  /** Signed by hand, as the other implementation refuses to. */
  const byHand = (header: object, by: KeyObject) => {
    const parts = [{ alg: 'RS256', kid: its.key.kid, typ: 'JWT', ...header }, right()];
    const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${sign('sha256', Buffer.from(signed), by).toString('base64url')}`;
  };

  it('is valid for as long after its issue as the operator allows', async () => {
    const old = await token({ iat: now() - 3_600, exp: now() + 300 });
    expect(await enter(old)).toMatchObject({ organization });
    const trusted = { issuer: its.issuing.issuer, audience, keysAddress: its.issuing.keysAddress, admits: true };
    await setIssuer(its.at, organization, { ...trusted, maxAgeSeconds: 600 });
    expect(await enter(old)).toBe(REFUSED);
    expect(await enter(await token({ iat: now() - 600 }))).toMatchObject({ organization });
  });

  it('whose key is marked for verification is accepted', async () => {
    its.issuing.published.keys = [{ ...its.key.jwk, key_ops: ['verify'] }];
    expect(await enter(await token())).toMatchObject({ organization });
  });

  it('that the test signs without a library is accepted as well', async () => {
    expect(await enter(byHand({}, KeyObject.from(its.key.privateKey)))).toMatchObject({ organization });
  });

  const secret = Buffer.from('a shared secret, or a public key taken for one');
  const BAD: Record<string, () => string | Promise<string>> = {
    'no algorithm': () => new UnsecuredJWT(right()).encode(),
    'a shared secret': () =>
      new SignJWT(right()).setProtectedHeader({ alg: 'HS256', kid: its.key.kid, typ: 'JWT' }).sign(secret),
    'the public key for a secret': () =>
      new SignJWT(right())
        .setProtectedHeader({ alg: 'HS256', kid: its.key.kid })
        .sign(Buffer.from(JSON.stringify(its.key.jwk))),
    'another key under the same name': async () => token({}, { kid: its.key.kid }, await signingKey()),
    'another algorithm than its key is for': async () => {
      const other = await signingKey('PS256');
      its.issuing.published.keys = [{ ...its.key.jwk, kid: other.kid }];
      return token({}, {}, other);
    },
    'a key that may not verify': async () => {
      its.issuing.published.keys = [{ ...its.key.jwk, key_ops: ['encrypt'] }];
      return token();
    },
    'a key whose private half was published': async () => {
      its.issuing.published.keys = [{ ...(await exportJWK(its.key.privateKey)), kid: its.key.kid, alg: 'RS256' }];
      return token();
    },
    'an age of more than an hour': () => token({ iat: now() - 3_661, exp: now() + 300 }),
    'a key that is for ciphers': async () => {
      its.issuing.published.keys = [{ ...its.key.jwk, use: 'enc' }];
      return token();
    },
    'a key for another algorithm of its kind': async () => {
      const jwk = { ...(await exportJWK(its.key.privateKey)), alg: 'PS256' };
      return token(
        {},
        {},
        { ...its.key, alg: 'PS256', privateKey: (await importJWK(jwk)) as SigningKey['privateKey'] },
      );
    },
    'a short key': async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
      const { n, e } = createPublicKey(privateKey).export({ format: 'jwk' });
      its.issuing.published.keys = [{ ...its.key.jwk, n, e }];
      return byHand({}, privateKey);
    },
    'an extension that is known elsewhere': async () => byHand({ crit: ['exp'] }, KeyObject.from(its.key.privateKey)),
    RS512: async () => token({}, {}, { ...(await signingKey('RS512')), kid: its.key.kid }),
    'no kid': () => token({}, { kid: undefined }),
    'a kid of nobody': () => token({}, { kid: 'nobody' }),
    'a jku': () => token({}, { jku: its.issuing.keysAddress }),
    'a jwk': () => token({}, { jwk: its.key.jwk }),
    'an x5u': () => token({}, { x5u: its.issuing.keysAddress }),
    'an extension': () => token({}, { crit: ['b64'], b64: true }),
    'the type of an access token': () => token({}, { typ: 'at+jwt' }),
    'no issuer': () => token({ iss: undefined }),
    'an issuer with a slash more': () => token({ iss: `${its.issuing.issuer}/` }),
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
    'a signature in another spelling': async () => {
      const good = await token();
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      return good.slice(0, -1) + letters[letters.indexOf(good.at(-1) ?? '') ^ 1];
    },
    'a hundred thousand characters': () => token({ filler: 'x'.repeat(75_000) }),
    'nothing in it': () => '..',
    spaces: async () => ` ${await token()} `,
    'an access token of ours': async () => {
      await its.at.user();
      return (await logIn(its.at, { name: 'anna@example.org', password, from: 'x' })).accessToken;
    },
  };

  it.each(Object.entries(BAD))('with %s is refused', async (_, make) => {
    expect(await enter(await make())).toBe(REFUSED);
    expect(await names()).not.toContain('zoe@acme.org');
  });

  it('that is invalid counts against its address, up to thirty times', async () => {
    const bad = await token({ exp: now() });
    const attempt = (ssoToken: string) => logInBySso({ ...its.at, keysAt: its.keysAt }, { ssoToken, from: 'one' });
    for (let n = 0; n < 30; n++) await expect(attempt(bad)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(attempt(await token())).rejects.toMatchObject({ code: 'rateLimited', retryAfterSeconds: 300 });
  });
});
