/** ID tokens that must not log anybody in, and URLs in them that the product must not request. */
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { setIssuer } from '../../../shared/accounts/issuers.ts';
import { EGRESS_CASES } from '../../engines/outbound/egress.ts';
import { signingKey } from '../../shared/accounts/sso/issuer.ts';
import type { Attacked } from './attack-target.ts';
import type { Outcome } from './part.ts';
import type { Tenant } from './tenants.ts';

const ISSUER = 'https://login.customer-a.com';
const AUDIENCE = 'errand-attacked';
const now = () => Math.floor(Date.now() / 1_000);

type Head = Record<string, unknown>;

export async function ssoTokens(on: Attacked, tenant: Tenant): Promise<Outcome> {
  const outcome: Outcome = { what: 'ID tokens of single sign-on, and addresses within', tried: 0, broken: [] };
  const [key, other] = [await signingKey(), await signingKey()];
  on.world.pages.set('/jwks', JSON.stringify({ keys: [key.jwk, { ...other.jwk, kid: 'swapped' }] }));
  const trust = { issuer: ISSUER, audience: AUDIENCE, keysAddress: `${ISSUER}/jwks`, admits: true };
  await setIssuer(on.local, tenant.id, trust);
  const right = (): JWTPayload => ({ iss: ISSUER, aud: AUDIENCE, sub: 'one', iat: now(), exp: now() + 300 });
  const sign = (claims: JWTPayload = {}, head: Head = {}, by: Parameters<SignJWT['sign']>[0] = key.privateKey) =>
    new SignJWT({ ...right(), ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT', ...head } as never)
      .sign(by);

  /** Resets the count of failed logins, because all attempts come from the same address. */
  async function statusOf(token: string): Promise<number> {
    await on.local.table.erase([{ pk: 'GUESSES#ADDRESS#127.0.0.1', sk: 'GUESSES' }]);
    outcome.tried++;
    return (await on.send('agents', { path: '/auth/login', json: { sso_token: token } })).status;
  }

  const good = await sign();
  if ((await statusOf(good)) !== 200) outcome.broken.push('a valid ID token is refused, so the test proves nothing');
  const secret = Buffer.from(JSON.stringify(key.jwk));
  const madeAt = Date.now();
  const brief = await sign({ exp: now() + 2 });
  if ((await statusOf(brief)) !== 200) outcome.broken.push('an ID token that is valid for two seconds is refused');
  const BAD: Record<string, string | Promise<string>> = {
    'that ran out': sign({ iat: now() - 400, exp: now() - 1 }),
    'that is not yet valid': sign({ nbf: now() + 120 }),
    'made in the future': sign({ iat: now() + 120 }),
    'for another audience': sign({ aud: 'other' }),
    'of another issuer': sign({ iss: 'https://login.customer-b.com' }),
    'without an algorithm': new UnsecuredJWT(right()).encode(),
    'signed with the public key for a secret': sign({}, { alg: 'HS256' }, secret),
    'under the name of another key': sign({}, { kid: 'swapped' }),
    'by another key under this name': sign({}, {}, other.privateKey),
    'with a key of its own': sign({}, { jwk: other.jwk }, other.privateKey),
    'whose claims were changed': `${good.split('.')[0]}.${Buffer.from(JSON.stringify({ ...right(), sub: 'x' })).toString('base64url')}.${good.split('.')[2]}`,
    'that is an access token': tenant.tokens.admin,
  };
  for (const [what, token] of Object.entries(BAD)) {
    const status = await statusOf(await token);
    if (status !== 401) outcome.broken.push(`an ID token ${what}: ${status}`);
  }
  await strangersWords();
  // The token is valid for two seconds, so wait until it has expired.
  await new Promise((go) => setTimeout(go, Math.max(0, madeAt + 2_100 - Date.now())));
  if ((await statusOf(brief)) !== 401) outcome.broken.push('an ID token replayed behind its end opens');
  return outcome;

  /** The product fetches keys only from the operator's issuer, whatever URLs a token contains. */
  async function strangersWords(): Promise<void> {
    await on.order();
    for (const { id, url } of EGRESS_CASES) {
      const byThem = await sign({ iss: url }, { kid: 'x' }, other.privateKey);
      const within = await sign({}, { kid: id, jku: url, x5u: url }, other.privateKey);
      for (const token of [byThem, within]) {
        if ((await statusOf(token)) !== 401) outcome.broken.push(`an ID token that names ${url} is accepted`);
      }
    }
    const { connected } = await on.order();
    if (connected.length > 0) outcome.broken.push(`addresses in ID tokens were asked: ${connected}`);
  }
}
