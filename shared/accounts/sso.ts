/** Single sign-on: trusted issuers, validation of their OIDC ID tokens, and the users behind the tokens. */
import { hash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import * as v from 'valibot';
import { base62 } from '../core/base62.ts';
import { lruCache } from '../core/cache.ts';
import { Problem } from '../core/problem.ts';
import { putRow } from '../core/table-access.ts';
import { HOUR_MS, MINUTE_MS } from '../core/time.ts';
import type { Clock, FetchKeys, Key, Table } from '../ports.ts';
import { type Person, personOf, type User, userById, userDraft, userIdOf, userNameFrom } from './users.ts';

/** The SSO issuer of an organization, set by the operator. A pair of issuer and audience belongs to one organization. */
export type Issuer = {
  issuer: string;
  audience: string;
  /** The issuer's JWKS URL. */
  keysAddress: string;
  /** Whether an unknown subject becomes a viewer at the first login. */
  admits: boolean;
  /** Whether the keys may be fetched from a private address; rows without this field predate it and may. */
  allowsPrivate?: boolean;
  /** The greatest age of an ID token at login; one hour by default. */
  maxAgeSeconds?: number;
  since: number;
};

type IssuerClaim = { organization: string };
type IssuerPair = Pick<Issuer, 'issuer' | 'audience'>;

const MAX_CHARACTERS = 512;
const FIT = /^[!-~]+$/;

const issuerKey = (organization: string): Key => ({ pk: `O#${organization}`, sk: 'SSO' });
const claimKey = ({ issuer, audience }: IssuerPair): Key => ({
  pk: `SSO#${hash('sha256', JSON.stringify([issuer, audience]), 'base64url')}`,
  sk: 'TRUST',
});

export const issuerOfOrganization = async (table: Table, organization: string): Promise<Issuer | undefined> =>
  (await table.get<Issuer>(issuerKey(organization)))?.value;

/** The organization that trusts this issuer and audience. The claim alone proves nothing: it may be stale. */
async function organizationTrusting(table: Table, pair: IssuerPair) {
  const organization = (await table.get<IssuerClaim>(claimKey(pair)))?.value.organization;
  const trusted = organization === undefined ? undefined : await issuerOfOrganization(table, organization);
  return organization !== undefined && trusted && isSame(trusted, pair) ? { organization, trusted } : undefined;
}

const isSame = (one: IssuerPair, other: IssuerPair): boolean =>
  one.issuer === other.issuer && one.audience === other.audience;

/** Replaces the issuer. The claim is written first, so that no two organizations trust the same pair. */
export async function setIssuer(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  wanted: Omit<Issuer, 'since'>,
  urlFault: UrlFault = () => undefined,
): Promise<Issuer> {
  const issuer = { ...checkedIssuer(wanted, urlFault), since: clock.now() };
  await claimIssuer(table, organization, issuer);
  const before = await issuerOfOrganization(table, organization);
  await putRow<Issuer>(table, { ...issuerKey(organization), value: issuer });
  if (before && !isSame(before, issuer)) await releaseClaim(table, organization, before);
  return issuer;
}

async function claimIssuer(table: Table, organization: string, pair: IssuerPair): Promise<void> {
  const owner = await organizationTrusting(table, pair);
  if (owner && owner.organization !== organization) {
    throw new Problem('invalid', 'This issuer and this audience belong to another organization already.');
  }
  // Overwrites a stale claim of an organization that no longer trusts this pair.
  await putRow<IssuerClaim>(table, { ...claimKey(pair), value: { organization } });
}

export async function removeIssuer(table: Table, organization: string): Promise<void> {
  const row = await table.get<Issuer>(issuerKey(organization));
  if (!row) return;
  if (!(await table.remove(row))) throw new Problem('busy', 'SSO is being changed by another request; try again.');
  await releaseClaim(table, organization, row.value);
}

async function releaseClaim(table: Table, organization: string, pair: IssuerPair): Promise<void> {
  const row = await table.get<IssuerClaim>(claimKey(pair));
  if (row?.value.organization === organization) await table.remove(row);
}

/** Checks a URL by the outbound rules; returns why it cannot be used, as the end of a sentence. */
type UrlFault = (url: string, allowsPrivate: boolean) => string | undefined;

function checkedIssuer(wanted: Omit<Issuer, 'since'>, urlFault: UrlFault): Omit<Issuer, 'since'> {
  const { issuer, audience, keysAddress } = wanted;
  for (const [name, text] of Object.entries({ issuer, audience, keys: keysAddress })) {
    if (!FIT.test(text) || text.length > MAX_CHARACTERS) {
      throw new Problem('invalid', `The ${name} has 1 to ${MAX_CHARACTERS} visible ASCII characters.`);
    }
  }
  for (const [name, text] of Object.entries({ issuer, keys: keysAddress })) {
    const url = URL.parse(text);
    if (url?.protocol !== 'https:') throw new Problem('invalid', `The ${name} must be an HTTPS URL.`);
    if (url.username !== '' || url.password !== '') {
      throw new Problem('invalid', `The ${name} must be a URL without a user name and a password.`);
    }
    const fault = urlFault(text, wanted.allowsPrivate ?? true);
    if (fault !== undefined) throw new Problem('invalid', `The ${name} ${fault}.`);
  }
  return wanted;
}

// The user of an ID token, identified by issuer and subject, never by a name that users choose.

/** `createdAt` distinguishes the user from a later one of the same name. */
type UserLink = { user: string; createdAt: number };
type SsoSubject = { issuer: string; sub: string };
type SsoUserPorts = { table: Table; clock: Clock };

/** Leaves room for a suffix within the limit of user names. */
const MAX_WISHED = 100;

const subjectMark = ({ issuer, sub }: SsoSubject): string => hash('sha256', JSON.stringify([issuer, sub]), 'base64url');
const linkKey = (organization: string, subject: SsoSubject): Key => ({
  pk: `O#${organization}#SSO`,
  sk: `LINK#${subjectMark(subject)}`,
});

/** Returns `undefined` if the subject is not admitted. A subject whose user was removed stays locked out until it is linked again. */
async function userForSubject(
  ports: SsoUserPorts,
  { iss, sub, ...named }: IdClaims,
  { organization, admits }: { organization: string; admits: boolean },
): Promise<Person | undefined> {
  const subject = { issuer: iss, sub };
  const link = (await ports.table.get<UserLink>(linkKey(organization, subject)))?.value;
  const user = link
    ? await linkedUser(ports.table, link)
    : admits && (await admitUser(ports, organization, subject, named));
  return user && user.organization === organization && !user.disabled ? personOf(user) : undefined;
}

async function linkedUser(table: Table, link: UserLink): Promise<User | undefined> {
  const user = await userById(table, link.user);
  return user?.createdAt === link.createdAt ? user : undefined;
}

/** Writes the user before the link: after an interruption, the user is found by its subject. */
async function admitUser(
  { table, clock }: SsoUserPorts,
  organization: string,
  subject: SsoSubject,
  named: Pick<IdClaims, 'preferred_username' | 'email'>,
): Promise<User | undefined> {
  const mark = subjectMark(subject);
  const userName = [named.preferred_username, named.email, subject.sub].map(userNameFrom).find((name) => name) ?? 'sso';
  const suffix = base62(hash('sha256', `${organization} ${mark}`, 'buffer').subarray(0, 6)).toLowerCase();
  for (const name of [userName, `${Array.from(userName).slice(0, MAX_WISHED).join('')}-${suffix}`]) {
    const draft = { name, organization, role: 'viewer', disabled: false, subject: mark } as const;
    const user: User = { ...draft, id: userIdOf(name), createdAt: clock.now() };
    const row = (await table.insert(userDraft(user))) ?? (await table.get<User>(userDraft(user)));
    if (row?.value.subject !== mark || row.value.organization !== organization) continue;
    await linkUser(table, row.value, subject);
    return row.value;
  }
  return undefined;
}

/** Replaces an earlier link of the subject. */
export async function linkUser(
  table: Table,
  { id, organization, createdAt }: Person,
  subject: SsoSubject,
): Promise<void> {
  await putRow<UserLink>(table, { ...linkKey(organization, subject), value: { user: id, createdAt } });
}

/** Finds the user of an ID token that a trusted issuer signed. */
const DEFAULT_MAX_AGE_SECONDS = 3_600;

type SignedUserPorts = { table: Table; clock: Clock; keysAt: KeysAt };

/** Returns `undefined`, without a reason, if the token admits no user. Keys are fetched only if an organization trusts the issuer. */
export async function userSigned(ports: SignedUserPorts, text: string): Promise<Person | undefined> {
  const token = parseIdToken(text);
  if (!token || !isCurrent(token, ports.clock.now())) return undefined;
  const { iss: issuer, audience } = token.claims;
  const found = await organizationTrusting(ports.table, { issuer, audience });
  if (!found) return undefined;
  const { organization, trusted } = found;
  if (isOlderThan(token, trusted.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS, ports.clock.now())) return undefined;
  const { keysAddress, allowsPrivate = true } = trusted;
  const keys = await ports.keysAt(keysAddress, (known) => keyForToken(token, known) !== undefined, { allowsPrivate });
  const key = keyForToken(token, keys);
  if (!key || !(await isSignedBy(token, key, { issuer, nowMs: ports.clock.now() }))) return undefined;
  return userForSubject(ports, token.claims, { organization, admits: trusted.admits });
}

// `jose` checks the signature, the algorithm, the issuer and the times. The rules here are additional.

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

type IdClaims = v.InferOutput<typeof claims> & { audience: string };
type IdToken = { text: string; algorithm: Algorithm; kid: string; claims: IdClaims };

/** The claims before validation. Returns `undefined` for a text that is not an ID token. */
function parseIdToken(text: string): IdToken | undefined {
  const [, signature = ''] = (text.length <= MAX_TOKEN_CHARACTERS && TOKEN.exec(text)) || [];
  // `jose` ignores the last bits of a signature; only the canonical spelling is accepted.
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

/** The audience. With several, `azp` must name it. */
function audienceOf({ aud, azp }: v.InferOutput<typeof claims>): string | undefined {
  const all = [aud].flat();
  const audience = azp ?? (all.length === 1 ? all[0] : undefined);
  return audience !== undefined && all.includes(audience) ? audience : undefined;
}

/** Checked before a key is fetched. `exp` has no tolerance, although `jose` would allow the one of `iat`. */
const isCurrent = ({ claims: { iat, exp } }: IdToken, nowMs: number): boolean =>
  iat - SKEW_SECONDS <= nowMs / 1_000 && nowMs / 1_000 < exp;

/** A login by ID token has no nonce, so only the token's age limits how often it can be replayed. */
const isOlderThan = ({ claims: { iat } }: IdToken, maxAgeSeconds: number, nowMs: number): boolean =>
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

/** A published private or symmetric key is compromised: its signatures prove nothing. */
const isPublished = (key: Jwk): boolean => key.d === undefined && key.k === undefined;

/** `undefined`: this is not a JWKS. Invalid entries and unknown key types are skipped. */
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

const keyForToken = ({ algorithm, kid }: IdToken, keys: Jwks): Jwk | undefined =>
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
async function isSignedBy({ text, algorithm }: IdToken, key: Jwk, { issuer, nowMs }: Expected): Promise<boolean> {
  try {
    // Other `key_ops` of the JWK do not matter here and could make the import fail.
    const made = await importJWK({ ...key, key_ops: ['verify'] } as JWK, algorithm);
    const currentDate = new Date(nowMs);
    await jwtVerify(text, made, { algorithms: [algorithm], issuer, currentDate, clockTolerance: SKEW_SECONDS });
    return true;
  } catch {
    return false;
  }
}

// Issuers' published keys, cached for ten minutes and fetched again for an unknown key.

/** A key that its issuer withdrew is rejected after this time at the latest. */
const FRESH_MS = 10 * MINUTE_MS;
/** While the issuer does not answer, cached keys stay valid for this time. */
const STALE_MS = HOUR_MS;
/** The shortest time between two fetches for one issuer, because any caller can name an unknown key. */
const REFETCH_MS = 10_000;
const MAX_ISSUERS = 1_000;

type IssuerEntry = { triedAt: number; fetching: Promise<void>; keys: Jwks; fetchedAt: number };
type KeyOptions = { allowsPrivate: boolean };
/** `hasKey`: whether the keys include the wanted one. */
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
      // Concurrent callers share this fetch. Only the caller that started it sees a failure.
      entry.fetching = fetching.catch(() => undefined);
      await fetching;
    }
    await entry.fetching;
    return entry.keys;
  };
}
