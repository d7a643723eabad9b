/** Invalid tokens, made from a valid one by another implementation. */
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { CompactSign, exportJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { createKey } from '../../../../shared/accounts/api-keys.ts';
import { issueWebsocketToken } from '../../../../shared/accounts/websocket-tokens.ts';
import { deriveKey } from '../../../../shared/core/derived-keys.ts';
import type { Clock, Ids, Secrets, Table } from '../../../../shared/ports.ts';

type Ports = { table: Table; clock: Clock; ids: Ids; secrets: Secrets };
/** A valid token, its claims, and its signing key. */
export type GoodToken = {
  at: Ports;
  good: string;
  header: { alg: string; typ: string; kid: string };
  claims: JWTPayload;
  key: Uint8Array;
};

const decodePart = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

export async function takeApart(at: Ports, good: string): Promise<GoodToken> {
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
  { claims, header, key }: GoodToken,
  changes: Record<string, unknown> = {},
  head: Record<string, unknown> = {},
  by: Uint8Array = key,
) => new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, ...head } as never).sign(by);

const now = ({ at }: GoodToken) => Math.floor(at.clock.now() / 1_000);
const raw = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const parts = ({ good }: GoodToken) => good.split('.') as [string, string, string];

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const pem = Buffer.from(rsa.publicKey.export({ type: 'spki', format: 'pem' }));
const attacker = randomBytes(32);

export const BAD_TOKENS: Record<string, (goodToken: GoodToken) => string | Promise<string>> = {
  nothing: () => '',
  'a word': () => 'token',
  'two parts': (goodToken) => parts(goodToken).slice(0, 2).join('.'),
  'four parts': (goodToken) => `${goodToken.good}.${parts(goodToken)[2]}`,
  'an empty signature': (goodToken) => `${parts(goodToken)[0]}.${parts(goodToken)[1]}.`,
  'no algorithm': (goodToken) => new UnsecuredJWT(goodToken.claims).encode(),
  'no algorithm, with our header': (goodToken) =>
    `${raw({ ...goodToken.header, alg: 'none' })}.${parts(goodToken)[1]}.`,
  'no algorithm, and the signature of another': (goodToken) =>
    `${raw({ ...goodToken.header, alg: 'none' })}.${parts(goodToken)[1]}.${parts(goodToken)[2]}`,
  'the algorithm in small letters': (goodToken) =>
    `${raw({ ...goodToken.header, alg: 'hs256' })}.${parts(goodToken)[1]}.${parts(goodToken)[2]}`,
  'HS384 with our key': (goodToken) =>
    signClaims(goodToken, {}, { alg: 'HS384' }, Buffer.concat([goodToken.key, goodToken.key])),
  'HS512 with our key': (goodToken) =>
    signClaims(goodToken, {}, { alg: 'HS512' }, Buffer.concat([goodToken.key, goodToken.key])),
  'another algorithm named over our own signature': (goodToken) => {
    const signed = `${raw({ ...goodToken.header, alg: 'HS512' })}.${parts(goodToken)[1]}`;
    return `${signed}.${createHmac('sha256', goodToken.key).update(signed).digest('base64url')}`;
  },
  'RS256 by a key of their own': (goodToken) =>
    new SignJWT(goodToken.claims).setProtectedHeader({ ...goodToken.header, alg: 'RS256' }).sign(rsa.privateKey),
  'HS256 with a public key for the secret': (goodToken) => signClaims(goodToken, {}, {}, pem),
  'another key': (goodToken) => signClaims(goodToken, {}, {}, attacker),
  'an empty key': async (goodToken) =>
    `${parts(goodToken)[0]}.${parts(goodToken)[1]}.${Buffer.alloc(32).toString('base64url')}`,
  'the key of the vault': async (goodToken) =>
    signClaims(goodToken, {}, {}, deriveKey('vault', (await goodToken.at.secrets.master())[0]).export()),
  'the key of the WebSocket tokens': async (goodToken) =>
    signClaims(goodToken, {}, {}, deriveKey('websocket-token', (await goodToken.at.secrets.master())[0]).export()),
  'an unknown kid': (goodToken) => signClaims(goodToken, {}, { kid: 'another' }),
  'no kid': (goodToken) => signClaims(goodToken, {}, { kid: undefined }),
  'a kid that climbs': (goodToken) => signClaims(goodToken, {}, { kid: '../../dev/null' }, Buffer.alloc(32)),
  'a kid that asks a database': (goodToken) => signClaims(goodToken, {}, { kid: "x' UNION SELECT 'key" }, attacker),
  'a kid that is a number': (goodToken) => signClaims(goodToken, {}, { kid: 1 }),
  'an address of keys in jku': (goodToken) =>
    signClaims(goodToken, {}, { jku: 'https://attacker.example/jwks' }, attacker),
  'our key and a jku': (goodToken) => signClaims(goodToken, {}, { jku: 'https://attacker.example/jwks' }),
  'a key in jwk': async (goodToken) => signClaims(goodToken, {}, { jwk: await exportJWK(rsa.publicKey) }),
  'an address in x5u': (goodToken) => signClaims(goodToken, {}, { x5u: 'https://attacker.example/cert' }),
  'a chain in x5c': (goodToken) => signClaims(goodToken, {}, { x5c: ['MIIB'] }),
  'an extension': (goodToken) => signClaims(goodToken, {}, { crit: ['b64'], b64: true }),
  'another type': (goodToken) => signClaims(goodToken, {}, { typ: 'JWT' }),
  'no type': (goodToken) => signClaims(goodToken, {}, { typ: undefined }),
  'another issuer': (goodToken) => signClaims(goodToken, { iss: 'https://attacker.example' }),
  'no issuer': (goodToken) => signClaims(goodToken, { iss: undefined }),
  'another audience': (goodToken) => signClaims(goodToken, { aud: 'errand:websocket' }),
  'several audiences': (goodToken) => signClaims(goodToken, { aud: ['errand:api', 'other'] }),
  'no audience': (goodToken) => signClaims(goodToken, { aud: undefined }),
  'the end passed': (goodToken) => signClaims(goodToken, { exp: now(goodToken) - 1 }),
  'the end reached': (goodToken) => signClaims(goodToken, { exp: now(goodToken) }),
  'no end': (goodToken) => signClaims(goodToken, { exp: undefined }),
  'an end as text': (goodToken) => signClaims(goodToken, { exp: String(now(goodToken) + 600) }),
  'an end that is no number': (goodToken) => {
    const endless = JSON.stringify(goodToken.claims).replace(/"exp":\d+/, '"exp":1e400');
    return new CompactSign(Buffer.from(endless)).setProtectedHeader(goodToken.header).sign(goodToken.key);
  },
  'a fraction of a second for an end': (goodToken) => signClaims(goodToken, { exp: now(goodToken) + 0.5 }),
  'a beginning to come': (goodToken) => signClaims(goodToken, { nbf: now(goodToken) + 120 }),
  'made in the future': (goodToken) => signClaims(goodToken, { iat: now(goodToken) + 120 }),
  'no subject': (goodToken) => signClaims(goodToken, { sub: undefined }),
  'an unknown subject': (goodToken) => signClaims(goodToken, { sub: 'unknown' }),
  'a subject that is not a string': (goodToken) => signClaims(goodToken, { sub: { $ne: null } }),
  'the organization of others': (goodToken) => signClaims(goodToken, { org: '01900000-0000-7000-8000-000000000002' }),
  'no organization': (goodToken) => signClaims(goodToken, { org: undefined }),
  'a role that there is not': (goodToken) => signClaims(goodToken, { role: 'root' }),
  'another time of the password': (goodToken) => signClaims(goodToken, { since: 1 }),
  'claims that are a list': (goodToken) =>
    new CompactSign(Buffer.from('[]')).setProtectedHeader(goodToken.header).sign(goodToken.key),
  'claims that are no JSON': (goodToken) =>
    new CompactSign(Buffer.from('{')).setProtectedHeader(goodToken.header).sign(goodToken.key),
  'claims altered by one character': (goodToken) => {
    const [head, body, end] = parts(goodToken);
    return `${head}.${body.slice(0, -1)}${body.endsWith('A') ? 'B' : 'A'}.${end}`;
  },
  'a signature spelt in another way': (goodToken) => {
    const [head, body, end] = parts(goodToken);
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last base64 character of 32 bytes has two unused bits.
    return `${head}.${body}.${end.slice(0, -1)}${digits[digits.indexOf(end.slice(-1)) + 1]}`;
  },
  padding: (goodToken) => `${goodToken.good}=`,
  'a hundred thousand characters': (goodToken) => signClaims(goodToken, { filler: 'x'.repeat(75_000) }),
  'a hundred thousand dots': () => '.'.repeat(100_000),
  'characters that are none': () => 'é.\u{1f4a5}.ÿ',
  'a token for a WebSocket': async (goodToken) =>
    (
      await issueWebsocketToken(goodToken.at, {
        organization: String(goodToken.claims.org),
        role: 'member',
        by: `user:${goodToken.claims.sub}`,
      })
    ).token,
  'an API key': async (goodToken) =>
    (await createKey(goodToken.at, { organization: String(goodToken.claims.org), name: 'CI' })).apiKey,
};
