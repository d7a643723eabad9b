/** Invalid tokens, made from a valid one by another implementation. */
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { CompactSign, exportJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { createKey } from '../../../../shared/accounts/api-keys.ts';
import { issueWebsocketToken } from '../../../../shared/accounts/websocket-tokens.ts';
import { deriveKey } from '../../../../shared/core/derived-keys.ts';
import type { Clock, Ids, Secrets, Table } from '../../../../shared/ports.ts';

type Ports = { table: Table; clock: Clock; ids: Ids; secrets: Secrets };
/** A valid token, its claims, and its signing key. */
export type Good = {
  at: Ports;
  good: string;
  header: { alg: string; typ: string; kid: string };
  claims: JWTPayload;
  key: Uint8Array;
};

const decodePart = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

export async function takeApart(at: Ports, good: string): Promise<Good> {
  const [head, body] = good.split('.');
  const [master] = await at.secrets.master();
  return {
    at,
    good,
    header: decodePart(head),
    claims: decodePart(body),
    key: deriveKey('access-token', master).export(),
  };
}

/** Valid except for the given changes; `undefined` removes a claim. */
export const signClaims = (
  { claims, header, key }: Good,
  changes: Record<string, unknown> = {},
  head: Record<string, unknown> = {},
  by: Uint8Array = key,
) => new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, ...head } as never).sign(by);

const now = ({ at }: Good) => Math.floor(at.clock.now() / 1_000);
const raw = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const parts = ({ good }: Good) => good.split('.') as [string, string, string];

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const pem = Buffer.from(rsa.publicKey.export({ type: 'spki', format: 'pem' }));
const attacker = randomBytes(32);

export const BAD_TOKENS: Record<string, (given: Good) => string | Promise<string>> = {
  nothing: () => '',
  'a word': () => 'token',
  'two parts': (given) => parts(given).slice(0, 2).join('.'),
  'four parts': (given) => `${given.good}.${parts(given)[2]}`,
  'an empty signature': (given) => `${parts(given)[0]}.${parts(given)[1]}.`,
  'no algorithm': (given) => new UnsecuredJWT(given.claims).encode(),
  'no algorithm, with our header': (given) => `${raw({ ...given.header, alg: 'none' })}.${parts(given)[1]}.`,
  'no algorithm, and the signature of another': (given) =>
    `${raw({ ...given.header, alg: 'none' })}.${parts(given)[1]}.${parts(given)[2]}`,
  'the algorithm in small letters': (given) =>
    `${raw({ ...given.header, alg: 'hs256' })}.${parts(given)[1]}.${parts(given)[2]}`,
  'HS384 with our key': (given) => signClaims(given, {}, { alg: 'HS384' }, Buffer.concat([given.key, given.key])),
  'HS512 with our key': (given) => signClaims(given, {}, { alg: 'HS512' }, Buffer.concat([given.key, given.key])),
  'another algorithm named over our own signature': (given) => {
    const signed = `${raw({ ...given.header, alg: 'HS512' })}.${parts(given)[1]}`;
    return `${signed}.${createHmac('sha256', given.key).update(signed).digest('base64url')}`;
  },
  'RS256 by a key of their own': (given) =>
    new SignJWT(given.claims).setProtectedHeader({ ...given.header, alg: 'RS256' }).sign(rsa.privateKey),
  'HS256 with a public key for the secret': (given) => signClaims(given, {}, {}, pem),
  'another key': (given) => signClaims(given, {}, {}, attacker),
  'an empty key': async (given) => `${parts(given)[0]}.${parts(given)[1]}.${Buffer.alloc(32).toString('base64url')}`,
  'the key of the vault': async (given) =>
    signClaims(given, {}, {}, deriveKey('vault', (await given.at.secrets.master())[0]).export()),
  'the key of the WebSocket tokens': async (given) =>
    signClaims(given, {}, {}, deriveKey('websocket-token', (await given.at.secrets.master())[0]).export()),
  'an unknown kid': (given) => signClaims(given, {}, { kid: 'another' }),
  'no kid': (given) => signClaims(given, {}, { kid: undefined }),
  'a kid that climbs': (given) => signClaims(given, {}, { kid: '../../dev/null' }, Buffer.alloc(32)),
  'a kid that asks a database': (given) => signClaims(given, {}, { kid: "x' UNION SELECT 'key" }, attacker),
  'a kid that is a number': (given) => signClaims(given, {}, { kid: 1 }),
  'an address of keys in jku': (given) => signClaims(given, {}, { jku: 'https://attacker.example/jwks' }, attacker),
  'our key and a jku': (given) => signClaims(given, {}, { jku: 'https://attacker.example/jwks' }),
  'a key in jwk': async (given) => signClaims(given, {}, { jwk: await exportJWK(rsa.publicKey) }),
  'an address in x5u': (given) => signClaims(given, {}, { x5u: 'https://attacker.example/cert' }),
  'a chain in x5c': (given) => signClaims(given, {}, { x5c: ['MIIB'] }),
  'an extension': (given) => signClaims(given, {}, { crit: ['b64'], b64: true }),
  'another type': (given) => signClaims(given, {}, { typ: 'JWT' }),
  'no type': (given) => signClaims(given, {}, { typ: undefined }),
  'another issuer': (given) => signClaims(given, { iss: 'https://attacker.example' }),
  'no issuer': (given) => signClaims(given, { iss: undefined }),
  'another audience': (given) => signClaims(given, { aud: 'errand:websocket' }),
  'several audiences': (given) => signClaims(given, { aud: ['errand:api', 'other'] }),
  'no audience': (given) => signClaims(given, { aud: undefined }),
  'the end passed': (given) => signClaims(given, { exp: now(given) - 1 }),
  'the end reached': (given) => signClaims(given, { exp: now(given) }),
  'no end': (given) => signClaims(given, { exp: undefined }),
  'an end as text': (given) => signClaims(given, { exp: String(now(given) + 600) }),
  'an end that is no number': (given) => {
    const endless = JSON.stringify(given.claims).replace(/"exp":\d+/, '"exp":1e400');
    return new CompactSign(Buffer.from(endless)).setProtectedHeader(given.header).sign(given.key);
  },
  'a fraction of a second for an end': (given) => signClaims(given, { exp: now(given) + 0.5 }),
  'a beginning to come': (given) => signClaims(given, { nbf: now(given) + 120 }),
  'made in the future': (given) => signClaims(given, { iat: now(given) + 120 }),
  'no subject': (given) => signClaims(given, { sub: undefined }),
  'an unknown subject': (given) => signClaims(given, { sub: 'unknown' }),
  'a subject that is not a string': (given) => signClaims(given, { sub: { $ne: null } }),
  'the organization of others': (given) => signClaims(given, { org: '01900000-0000-7000-8000-000000000002' }),
  'no organization': (given) => signClaims(given, { org: undefined }),
  'a role that there is not': (given) => signClaims(given, { role: 'root' }),
  'another time of the password': (given) => signClaims(given, { since: 1 }),
  'claims that are a list': (given) =>
    new CompactSign(Buffer.from('[]')).setProtectedHeader(given.header).sign(given.key),
  'claims that are no JSON': (given) =>
    new CompactSign(Buffer.from('{')).setProtectedHeader(given.header).sign(given.key),
  'claims altered by one character': (given) => {
    const [head, body, end] = parts(given);
    return `${head}.${body.slice(0, -1)}${body.endsWith('A') ? 'B' : 'A'}.${end}`;
  },
  'a signature spelt in another way': (given) => {
    const [head, body, end] = parts(given);
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last base64 character of 32 bytes has two unused bits.
    return `${head}.${body}.${end.slice(0, -1)}${digits[digits.indexOf(end.slice(-1)) + 1]}`;
  },
  padding: (given) => `${given.good}=`,
  'a hundred thousand characters': (given) => signClaims(given, { filler: 'x'.repeat(75_000) }),
  'a hundred thousand dots': () => '.'.repeat(100_000),
  'characters that are none': () => 'é.\u{1f4a5}.ÿ',
  'a token for a WebSocket': async (given) =>
    (
      await issueWebsocketToken(given.at, {
        organization: String(given.claims.org),
        role: 'member',
        by: `user:${given.claims.sub}`,
      })
    ).token,
  'an API key': async (given) =>
    (await createKey(given.at, { organization: String(given.claims.org), name: 'CI' })).apiKey,
};
