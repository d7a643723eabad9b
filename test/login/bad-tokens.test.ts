/** Tokens that open nothing, made by another implementation: all of them are refused in the same words. */
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { CompactSign, exportJWK, type JWTPayload, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, expect, it } from 'vitest';
import { agents } from '../../functions/agents/face.ts';
import { dispatcher } from '../../functions/http/dispatch.ts';
import { createKey } from '../../shared/accounts/create-key.ts';
import { removeUser } from '../../shared/accounts/remove-user.ts';
import { keyFor } from '../../shared/core/keys.ts';
import { logger } from '../../shared/core/log.ts';
import { tokenAuthenticator } from '../../shared/login/authenticate-token.ts';
import { logIn } from '../../shared/login/log-in.ts';
import { makeWebsocketToken } from '../../shared/login/websocket-token.ts';
import type { Blobs } from '../../shared/ports.ts';
import { IDLE } from '../http/shell.ts';
import { opened, organization, password } from './opened.ts';

const state = opened();
const name = 'anna@example.org';

let at: ReturnType<typeof state>;
let good: string;
let logged: string;
/** What our own token says, and the key it is signed with. */
let claims: JWTPayload;
let header: { alg: string; typ: string; kid: string };
let key: Uint8Array;
beforeEach(async () => {
  at = state();
  await at.user();
  good = (await logIn(at, { name, password, from: '192.0.2.1' })).accessToken;
  const [head = '', body = ''] = good.split('.');
  header = JSON.parse(Buffer.from(head, 'base64url').toString());
  claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const [master] = await at.secrets.master();
  key = keyFor('access-token', master).export();
  logged = '';
});

async function ask(headers: Record<string, string>) {
  const write = (line: string) => {
    logged += line;
  };
  const context = {
    ...IDLE,
    blobs: {} as Blobs,
    ...at,
    log: logger({ clock: at.clock, least: 'debug', write }),
    sendsMail: true,
    origins: () => false,
    organizationOf: async () => undefined,
    tokenOwner: tokenAuthenticator(at),
  };
  const answer = await dispatcher(
    agents,
    context,
  )({
    method: 'POST',
    path: '/api/v1/websocket-auth',
    query: new URLSearchParams(),
    headers: { ...headers, 'x-request-id': 'same' },
    body: Buffer.alloc(0),
    sourceAddress: '192.0.2.1',
    hosts: [],
  });
  return { status: answer.status, body: answer.body };
}

/** Right in everything that is not changed; undefined takes a claim out. */
const signed = (changes: Record<string, unknown> = {}, head: Record<string, unknown> = {}, by: Uint8Array = key) =>
  new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, ...head } as never).sign(by);

const now = () => Math.floor(at.clock.now() / 1_000);
const raw = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const parts = () => good.split('.') as [string, string, string];

it('takes what we sign, and what another implementation signs like us; the other one takes ours', async () => {
  expect((await ask({ authorization: `Bearer ${good}` })).status).toBe(200);
  expect((await ask({ authorization: `Bearer ${await signed()}` })).status).toBe(200);
  const o = {
    algorithms: ['HS256'],
    issuer: 'errand',
    audience: 'errand:api',
    typ: 'at+jwt',
    currentDate: new Date(at.clock.now()),
  };
  expect((await jwtVerify(good, key, o)).payload).toMatchObject({ org: organization, role: 'member' });
});

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const pem = Buffer.from(rsa.publicKey.export({ type: 'spki', format: 'pem' }));
const attacker = randomBytes(32);

const BAD: Record<string, () => string | Promise<string>> = {
  nothing: () => '',
  'a word': () => 'token',
  'two parts': () => parts().slice(0, 2).join('.'),
  'four parts': () => `${good}.${parts()[2]}`,
  'an empty signature': () => `${parts()[0]}.${parts()[1]}.`,
  'no algorithm': () => new UnsecuredJWT(claims).encode(),
  'no algorithm, with our header': () => `${raw({ ...header, alg: 'none' })}.${parts()[1]}.`,
  'no algorithm, and the signature of another': () => `${raw({ ...header, alg: 'none' })}.${parts()[1]}.${parts()[2]}`,
  'the algorithm in small letters': () => `${raw({ ...header, alg: 'hs256' })}.${parts()[1]}.${parts()[2]}`,
  'HS384 with our key': () => signed({}, { alg: 'HS384' }, Buffer.concat([key, key])),
  'HS512 with our key': () => signed({}, { alg: 'HS512' }, Buffer.concat([key, key])),
  'another algorithm named over our own signature': () => {
    const signed = `${raw({ ...header, alg: 'HS512' })}.${parts()[1]}`;
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  },
  'RS256 by a key of their own': () =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg: 'RS256' }).sign(rsa.privateKey),
  'HS256 with a public key for the secret': () => signed({}, {}, pem),
  'another key': () => signed({}, {}, attacker),
  'an empty key': async () => `${parts()[0]}.${parts()[1]}.${Buffer.alloc(32).toString('base64url')}`,
  'the key of the vault': async () => signed({}, {}, keyFor('vault', (await at.secrets.master())[0]).export()),
  'the key of the WebSocket tokens': async () =>
    signed({}, {}, keyFor('websocket-token', (await at.secrets.master())[0]).export()),
  'a kid that nobody has': () => signed({}, { kid: 'another' }),
  'no kid': () => signed({}, { kid: undefined }),
  'a kid that climbs': () => signed({}, { kid: '../../dev/null' }, Buffer.alloc(32)),
  'a kid that asks a database': () => signed({}, { kid: "x' UNION SELECT 'key" }, attacker),
  'a kid that is a number': () => signed({}, { kid: 1 }),
  'an address of keys in jku': () => signed({}, { jku: 'https://attacker.example/jwks' }, attacker),
  'our key and a jku': () => signed({}, { jku: 'https://attacker.example/jwks' }),
  'a key in jwk': async () => signed({}, { jwk: await exportJWK(rsa.publicKey) }),
  'an address in x5u': () => signed({}, { x5u: 'https://attacker.example/cert' }),
  'a chain in x5c': () => signed({}, { x5c: ['MIIB'] }),
  'an extension': () => signed({}, { crit: ['b64'], b64: true }),
  'another type': () => signed({}, { typ: 'JWT' }),
  'no type': () => signed({}, { typ: undefined }),
  'another issuer': () => signed({ iss: 'https://attacker.example' }),
  'no issuer': () => signed({ iss: undefined }),
  'another audience': () => signed({ aud: 'errand:websocket' }),
  'several audiences': () => signed({ aud: ['errand:api', 'other'] }),
  'no audience': () => signed({ aud: undefined }),
  'the end passed': () => signed({ exp: now() - 1 }),
  'the end reached': () => signed({ exp: now() }),
  'no end': () => signed({ exp: undefined }),
  'an end as text': () => signed({ exp: String(now() + 600) }),
  'an end that is no number': () => {
    const endless = JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e400');
    return new CompactSign(Buffer.from(endless)).setProtectedHeader(header).sign(key);
  },
  'a fraction of a second for an end': () => signed({ exp: now() + 0.5 }),
  'a beginning to come': () => signed({ nbf: now() + 120 }),
  'made in the future': () => signed({ iat: now() + 120 }),
  'no subject': () => signed({ sub: undefined }),
  'a subject nobody is': () => signed({ sub: 'nobody' }),
  'a subject that is no text': () => signed({ sub: { $ne: null } }),
  'the organization of others': () => signed({ org: '01900000-0000-7000-8000-000000000002' }),
  'no organization': () => signed({ org: undefined }),
  'a role that there is not': () => signed({ role: 'root' }),
  'another time of the password': () => signed({ since: 1 }),
  'claims that are a list': () => new CompactSign(Buffer.from('[]')).setProtectedHeader(header).sign(key),
  'claims that are no JSON': () => new CompactSign(Buffer.from('{')).setProtectedHeader(header).sign(key),
  'claims altered by one character': () => {
    const [head, body, end] = parts();
    return `${head}.${body.slice(0, -1)}${body.endsWith('A') ? 'B' : 'A'}.${end}`;
  },
  'a signature spelt in another way': () => {
    const [head, body, end] = parts();
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last digit of 32 bytes has two bits to spare.
    return `${head}.${body}.${end.slice(0, -1)}${digits[digits.indexOf(end.slice(-1)) + 1]}`;
  },
  padding: () => `${good}=`,
  'a hundred thousand characters': () => signed({ filler: 'x'.repeat(75_000) }),
  'a hundred thousand dots': () => '.'.repeat(100_000),
  'characters that are none': () => 'é.\u{1f4a5}.ÿ',
  'a token for a WebSocket': async () =>
    (await makeWebsocketToken(at, { organization, role: 'member', by: `user:${claims.sub}` })).token,
  'an API key': async () => (await createKey(at, { organization, name: 'CI' })).apiKey,
};

it('knows more than thirty of them', () => expect(Object.keys(BAD).length).toBeGreaterThan(30));

it.each(Object.entries(BAD))('refuses a token with %s', async (_, make) => {
  const none = await ask({});
  expect(none.status).toBe(401);
  expect(JSON.parse(none.body).error).toMatchObject({ code: 'UNAUTHORIZED', details: {} });
  const token = await make();
  expect(await ask({ authorization: `Bearer ${token}` })).toEqual(none);
  expect(await ask({ authorization: token })).toEqual(none);
  if (token.length > 30) expect(logged).not.toContain(token.slice(0, 200));
});

it('refuses the token of a user who was removed', async () => {
  await removeUser(at.table, String(claims.sub));
  expect(await ask({ authorization: `Bearer ${good}` })).toEqual(await ask({}));
});

it.each(['Basic', 'Token', 'Bearer:', ''])('refuses a good token behind the word %j', async (word) => {
  expect(await ask({ authorization: `${word} ${good}` })).toEqual(await ask({}));
});
