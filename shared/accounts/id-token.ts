/**
 * Checks an ID token: `jose` checks the signature, the algorithm, the issuer and the times. The rules here are
 * additional.
 */

import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import * as v from 'valibot';

/** Only asymmetric algorithms, so that a public key cannot be used as an HMAC secret. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
type Algorithm = (typeof ALGORITHMS)[number];

const SKEW_SECONDS = 60;

/** ID tokens of real issuers, even with many groups, are shorter. */
const MAX_TOKEN_CHARACTERS = 16_384;
const TOKEN = /^[\w-]+\.[\w-]+\.([\w-]+)$/;

const seconds = v.pipe(v.number(), v.minValue(0));
const text = v.pipe(v.string(), v.minLength(1), v.maxLength(1_024));
const never = v.optional(v.never());

/** Rejects headers that carry a key or a critical extension, and access tokens. */
const header = v.object({
  alg: v.picklist(ALGORITHMS),
  kid: text,
  typ: v.optional(v.picklist(['JWT', 'jwt'])),
  jwk: never,
  jku: never,
  x5u: never,
  crit: never,
  b64: never,
});

const claims = v.object({
  iss: text,
  aud: v.union([text, v.pipe(v.array(text), v.minLength(1), v.maxLength(20))]),
  azp: v.optional(text),
  sub: v.pipe(text, v.maxLength(255)),
  iat: seconds,
  nbf: v.optional(seconds),
  exp: seconds,
  preferred_username: v.optional(v.unknown()),
  email: v.optional(v.unknown()),
});

export type IdClaims = v.InferOutput<typeof claims> & { audience: string };
type IdToken = { text: string; algorithm: Algorithm; kid: string; claims: IdClaims };

/** The claims before validation. Returns `undefined` for a text that is not an ID token. */
export function parseIdToken(text: string): IdToken | undefined {
  const [, signature = ''] = (text.length <= MAX_TOKEN_CHARACTERS && TOKEN.exec(text)) || [];
  // `jose` ignores the last bits of a signature; only the canonical spelling is accepted.
  if (signature === '' || Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined;
  const parts = decodeToken(text);
  const [parsedHeader, claimed] = [v.safeParse(header, parts?.header), v.safeParse(claims, parts?.claims)];
  if (!parsedHeader.success || !claimed.success) return undefined;
  const audience = audienceOf(claimed.output);
  if (audience === undefined) return undefined;
  const { alg: algorithm, kid } = parsedHeader.output;
  return { text, algorithm, kid, claims: { ...claimed.output, audience } };
}

/** Checked before a key is fetched. `exp` has no tolerance, although `jose` would allow the one of `iat`. */
export const isTokenCurrent = ({ claims: { iat, exp } }: IdToken, nowMs: number): boolean =>
  iat - SKEW_SECONDS <= nowMs / 1_000 && nowMs / 1_000 < exp;

/** A login by ID token has no nonce, so only the token's age limits how often it can be replayed. */
export const isOlderThan = ({ claims: { iat } }: IdToken, maxAgeSeconds: number, nowMs: number): boolean =>
  nowMs / 1_000 - iat > maxAgeSeconds + SKEW_SECONDS;

const jwk = v.looseObject({
  kty: v.string(),
  kid: v.optional(v.string()),
  use: v.optional(v.string()),
  alg: v.optional(v.string()),
  crv: v.optional(v.string()),
  key_ops: v.optional(v.array(v.string())),
});
const jwks = v.object({ keys: v.pipe(v.array(v.unknown()), v.maxLength(100)) });
type Jwk = v.InferOutput<typeof jwk>;
export type Jwks = Jwk[];

/** A published private or symmetric key is compromised: its signatures prove nothing. */
const isPublished = (key: Jwk): boolean => key.d === undefined && key.k === undefined;

/** `undefined`: this is not a JWKS. Invalid entries and unknown key types are skipped. */
export function parseJwks(value: unknown): Jwks | undefined {
  const parsed = v.safeParse(jwks, value);
  return parsed.success
    ? parsed.output.keys.filter((key): key is Jwk => v.is(jwk, key) && isPublished(key))
    : undefined;
}

const KINDS: Record<Algorithm, (key: Jwk) => boolean> = {
  RS256: ({ kty }) => kty === 'RSA',
  PS256: ({ kty }) => kty === 'RSA',
  ES256: ({ kty, crv }) => kty === 'EC' && crv === 'P-256',
  EdDSA: ({ kty, crv }) => kty === 'OKP' && crv === 'Ed25519',
};

export const keyForToken = ({ algorithm, kid }: IdToken, keys: Jwks): Jwk | undefined =>
  keys.find(
    (key) =>
      key.kid === kid &&
      (key.use ?? 'sig') === 'sig' &&
      (key.key_ops ?? ['verify']).includes('verify') &&
      (key.alg ?? algorithm) === algorithm &&
      KINDS[algorithm](key),
  );

type Expected = { issuer: string; nowMs: number };

/** `jose` itself rejects RSA keys below 2,048 bits. */
export async function isSignedBy(
  { text, algorithm }: IdToken,
  key: Jwk,
  { issuer, nowMs }: Expected,
): Promise<boolean> {
  try {
    // Other `key_ops` of the JWK do not matter here and could make the import fail.
    const publicKey = await importJWK({ ...key, key_ops: ['verify'] } as JWK, algorithm);
    const currentDate = new Date(nowMs);
    await jwtVerify(text, publicKey, { algorithms: [algorithm], issuer, currentDate, clockTolerance: SKEW_SECONDS });
    return true;
  } catch {
    return false;
  }
}

function decodeToken(text: string): { header: unknown; claims: unknown } | undefined {
  try {
    return { header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch {
    return undefined;
  }
}

/** The audience. With several, `azp` must name it. */
function audienceOf({ aud, azp }: v.InferOutput<typeof claims>): string | undefined {
  const audiences = [aud].flat();
  const audience = azp ?? (audiences.length === 1 ? audiences[0] : undefined);
  return audience !== undefined && audiences.includes(audience) ? audience : undefined;
}
