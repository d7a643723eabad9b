/** Checks an OIDC ID token against the published keys of its issuer. */

import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import * as v from 'valibot';
import { lruCache } from '../core/cache.ts';
import { HOUR_MS, MINUTE_MS } from '../core/time.ts';
import type { Clock, FetchKeys } from '../ports.ts';

// `jose` checks the signature, its algorithm, the issuer and the times. The rules that stand here come on top of that.

/** Asymmetric ones alone: a public key never turns into a secret. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
type Algorithm = (typeof ALGORITHMS)[number];

const SKEW_SECONDS = 60;

/** ID tokens of real issuers, with many groups in them, stay below. */
const MAX_CHARACTERS = 16_384;
const TOKEN = /^[\w-]+\.[\w-]+\.([\w-]+)$/;

const seconds = v.pipe(v.number(), v.minValue(0));
const text = v.pipe(v.string(), v.minLength(1), v.maxLength(1_024));
const never = v.optional(v.never());

/** Rejects tokens that carry a key or an extension; an access token is not an ID token. */
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

/** The claims, unchecked. Returns undefined for a text that is not an ID token. */
export function parseIdToken(text: string): IdToken | undefined {
  const [, signature = ''] = (text.length <= MAX_CHARACTERS && TOKEN.exec(text)) || [];
  // `jose` ignores the last bits of a signature; here it has one spelling.
  if (signature === '' || Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined;
  const parts = decoded(text);
  const [parsedHeader, claimed] = [v.safeParse(header, parts?.header), v.safeParse(claims, parts?.claims)];
  if (!parsedHeader.success || !claimed.success) return undefined;
  const audience = audienceOf(claimed.output);
  if (audience === undefined) return undefined;
  const { alg: algorithm, kid } = parsedHeader.output;
  return { text, algorithm, kid, claims: { ...claimed.output, audience } };
}

function decoded(text: string): { header: unknown; claims: unknown } | undefined {
  try {
    return { header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch {
    return undefined;
  }
}

/** Of several, the one that it was made for; and none that somebody else asked for. */
function audienceOf({ aud, azp }: v.InferOutput<typeof claims>): string | undefined {
  const all = [aud].flat();
  const audience = azp ?? (all.length === 1 ? all[0] : undefined);
  return audience !== undefined && all.includes(audience) ? audience : undefined;
}

/** Judged before a key is fetched. A token that is over has no tolerance; `jose` would give it that of the beginning. */
export const isCurrent = ({ claims: { iat, exp } }: IdToken, nowMs: number): boolean =>
  iat - SKEW_SECONDS <= nowMs / 1_000 && nowMs / 1_000 < exp;

/** A login by ID token has no nonce, so that its age is all that bounds how often one token logs in. */
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
type Jwks = Jwk[];

/** A private or secret key that its issuer published is lost: nothing that was signed with it proves anything. */
const isPublished = (key: Jwk): boolean => key.d === undefined && key.k === undefined;

/** Undefined if this is not a set of keys. Entries that are not keys, or of an unknown kind, are skipped. */
function parseJwks(value: unknown): Jwks | undefined {
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

/** `jose` refuses RSA keys below 2,048 bits by itself. */
export async function isSignedBy(
  { text, algorithm }: IdToken,
  key: Jwk,
  { issuer, nowMs }: Expected,
): Promise<boolean> {
  try {
    // The key's other uses are no matter here, and an import for all of them could fail.
    const made = await importJWK({ ...key, key_ops: ['verify'] } as JWK, algorithm);
    const currentDate = new Date(nowMs);
    await jwtVerify(text, made, { algorithms: [algorithm], issuer, currentDate, clockTolerance: SKEW_SECONDS });
    return true;
  } catch {
    return false;
  }
}

// Issuers' published keys, cached for ten minutes and fetched again for an unknown key.

/** A key that its issuer withdrew is refused after so long at the latest. */
const FRESH_MS = 10 * MINUTE_MS;
/** While the issuer does not answer, its earlier keys stay valid for so long. */
const STALE_MS = HOUR_MS;
/** Anybody can name an unknown key, so that fetches for one issuer are at least so far apart. */
const REFETCH_MS = 10_000;
const MAX_ISSUERS = 1_000;

type IssuerEntry = { triedAt: number; fetching: Promise<void>; keys: Jwks; fetchedAt: number };
type KeyOptions = { allowsPrivate: boolean };
/** `hasKey` tells whether the wanted key is among these. */
export type KeysAt = (url: string, hasKey: (keys: Jwks) => boolean, options: KeyOptions) => Promise<Jwks>;

export function issuerKeys({ clock, fetchKeys }: { clock: Clock; fetchKeys: FetchKeys }): KeysAt {
  const entries = lruCache<string, IssuerEntry>({ max: MAX_ISSUERS });

  function entryFor(url: string, { allowsPrivate }: KeyOptions): IssuerEntry {
    const id = `${allowsPrivate} ${url}`;
    const known = entries.get(id);
    if (known) return known;
    const never = Number.NEGATIVE_INFINITY;
    const entry: IssuerEntry = { triedAt: never, fetching: Promise.resolve(), keys: [], fetchedAt: never };
    entries.set(id, entry);
    return entry;
  }

  async function refresh(url: string, entry: IssuerEntry, options: KeyOptions): Promise<void> {
    const at = clock.now();
    const keys = parseJwks(await fetchKeys(url, options));
    if (keys) Object.assign(entry, { keys, fetchedAt: at });
    else if (clock.now() - entry.fetchedAt >= STALE_MS) entry.keys = [];
  }

  return async (url, hasKey, options) => {
    const entry = entryFor(url, options);
    await entry.fetching;
    const now = clock.now();
    const isEnough = now - entry.fetchedAt < FRESH_MS && hasKey(entry.keys);
    if (!isEnough && now - entry.triedAt >= REFETCH_MS) {
      entry.triedAt = now;
      const fetching = refresh(url, entry, options);
      // Callers that come meanwhile share this fetch. Only its own caller sees a failure, which must not stay behind.
      entry.fetching = fetching.catch(() => undefined);
      await fetching;
    }
    await entry.fetching;
    return entry.keys;
  };
}
