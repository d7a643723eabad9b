/** The keys of an issuer: when they are fetched, and which are accepted. */
import { describe, expect, it } from 'vitest';
import { issuerKeys } from '../../../../shared/accounts/issuer-keys.ts';
import { setIssuer } from '../../../../shared/accounts/issuers.ts';
import { organization } from '../login/setup.ts';
import { signingKey } from './issuer.ts';
import { audience, REFUSED, useTrustedIssuer } from './trusted-issuer.ts';

const { its, takeKeys, now, token, signIn: enter } = useTrustedIssuer();

describe('the keys', () => {
  it('are fetched once for many logins, and again after ten minutes', async () => {
    for (let n = 0; n < 3; n++) await enter(await token());
    expect(its.issuing.asked).toEqual(['/jwks']);
    its.at.clock.pass(600_000);
    await enter(await token());
    expect(its.issuing.asked).toHaveLength(2);
  });

  it('are fetched again for an unknown key id, so that a rotation takes effect at once', async () => {
    expect(await enter(await token())).toMatchObject({ role: 'viewer' });
    const [before, next] = [its.key, await signingKey()];
    its.issuing.publish(next);
    its.at.clock.pass(10_000);
    expect(await enter(await token({}, {}, next))).toMatchObject({ role: 'viewer' });
    expect(await enter(await token({}, {}, before))).toBe(REFUSED);
  });

  it('are fetched at most once in ten seconds, whatever key ids tokens name', async () => {
    await enter(await token());
    its.at.clock.pass(10_000);
    const unknownTokens = await Promise.all(Array.from({ length: 10 }, (_, n) => token({}, { kid: `invented ${n}` })));
    expect(await Promise.all(unknownTokens.map(enter))).toEqual(Array(10).fill(REFUSED));
    expect(its.issuing.asked).toHaveLength(2);
  });

  it('are not fetched for an unknown issuer, an unknown audience or an expired token', async () => {
    for (const changes of [{ iss: 'https://login.other.org' }, { aud: 'other' }, { exp: now() - 1 }]) {
      expect(await enter(await token(changes))).toBe(REFUSED);
    }
    expect(its.issuing.asked).toEqual([]);
  });

  it.each([
    ['an error', { status: 503 }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['no keys', { status: 200, body: '{"keys":{}}' }],
    ['too much', { status: 200, body: `{"keys":[],"x":"${'x'.repeat(300_000)}"}` }],
    ['a redirect', { status: 302 }],
  ])('stay in use for an hour while the issuer answers with %s', async (_, broken) => {
    await enter(await token());
    Object.assign(its.issuing.published, broken);
    its.at.clock.pass(3_599_000);
    expect(await enter(await token())).toMatchObject({ role: 'viewer' });
    its.at.clock.pass(11_000);
    expect(await enter(await token())).toBe(REFUSED);
    Object.assign(its.issuing.published, { status: 200, body: undefined });
    its.at.clock.pass(10_000);
    expect(await enter(await token())).toMatchObject({ role: 'viewer' });
  });

  it('are fetched again after an unexpected failure', async () => {
    let fetches = 0;
    const { clock } = its.at;
    const fetchKeys = async () => {
      if (++fetches === 1) throw new Error('unforeseen');
      return { keys: [its.key.jwk] };
    };
    const keysAt = issuerKeys({ clock, fetchKeys });
    const readKeys = () => keysAt('https://login.acme.org/jwks', (keys) => keys.length > 0, { allowsPrivate: false });
    await expect(readKeys()).rejects.toThrow('unforeseen');
    expect(await readKeys()).toEqual([]);
    clock.pass(10_000);
    expect(await readKeys()).toHaveLength(1);
    expect(fetches).toBe(2);
  });

  it('are not fetched from a private address that the operator did not allow', async () => {
    await setIssuer(its.at, organization, {
      ...{ issuer: its.issuing.issuer, audience, keysAddress: its.issuing.keysAddress, admits: true },
      allowsPrivate: false,
    });
    expect(await enter(await token())).toBe(REFUSED);
    expect(its.issuing.asked).toEqual([]);
  });

  it('are not accepted from a server with the certificate of another authority', async () => {
    takeKeys();
    expect(await enter(await token())).toBe(REFUSED);
    expect(its.issuing.asked).toEqual([]);
  });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('may be of %s', async (alg) => {
    const otherKey = await signingKey(alg);
    its.issuing.publish(its.key, otherKey);
    expect(await enter(await token({}, {}, otherKey))).toMatchObject({ role: 'viewer' });
  });

  it('may be listed among keys of unknown types', async () => {
    its.issuing.published.keys = [7, null, { kty: 'new' }, { ...its.key.jwk, kid: 'other', n: '!' }, its.key.jwk];
    expect(await enter(await token())).toMatchObject({ role: 'viewer' });
    expect(await enter(await token({}, { kid: 'other' }))).toBe(REFUSED);
  });
});
