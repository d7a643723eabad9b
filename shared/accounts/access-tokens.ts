/** Access tokens of users: issue, read, and authenticate callers by them. */

import * as v from 'valibot';
import { loadingCache } from '../core/cache.ts';
import { signToken, type TokenKind, verifyToken } from '../core/jwt.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Secrets, Table } from '../ports.ts';
import { type Caller, MAX_CACHE_MS, ROLES } from './caller.ts';
import { tokensFrom, type User, userById } from './users.ts';

/** The two kinds of tokens: their type, purpose, audience and lifetime. */
type AccessTokenKind = TokenKind & { audience: string; seconds: number };

/** Accepted by both APIs. */
export const ACCESS_TOKEN: AccessTokenKind = {
  type: 'at+jwt',
  purpose: 'access-token',
  audience: 'errand:api',
  seconds: 3_600,
};

/** Opens one WebSocket connection and nothing else. */
export const WEBSOCKET_TOKEN: AccessTokenKind = {
  type: 'websocket+jwt',
  purpose: 'websocket-token',
  audience: 'errand:websocket',
  seconds: 60,
};

const ISSUER = 'errand';
/** The clocks of two instances may differ by this much. It does not extend a token's expiry. */
const SKEW_SECONDS = 60;

const seconds = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const claimsSchema = (audience: string) =>
  v.object({
    iss: v.literal(ISSUER),
    aud: v.literal(audience),
    sub: v.string(),
    org: v.string(),
    role: v.picklist(ROLES),
    jti: v.string(),
    iat: seconds,
    nbf: v.optional(seconds),
    exp: seconds,
    /** When the user's tokens became valid: a new password moves this instant, which invalidates older tokens. */
    since: v.number(),
  });

export type Claims = v.InferOutput<ReturnType<typeof claimsSchema>>;

/** Whom a token is for: a user, or an API key under the id `key:<id>`. */
export type TokenSubject = Pick<User, 'id' | 'organization' | 'role' | 'createdAt' | 'tokensFrom'>;

type TokenPorts = { secrets: Secrets; clock: Clock; ids: Ids };

export async function issueToken(
  { secrets, clock, ids }: TokenPorts,
  kind: AccessTokenKind,
  subject: TokenSubject,
): Promise<string> {
  const iat = Math.floor(clock.now() / 1_000);
  const claims: Claims = {
    iss: ISSUER,
    aud: kind.audience,
    sub: subject.id,
    org: subject.organization,
    role: subject.role,
    jti: ids.uuid(),
    iat,
    exp: iat + kind.seconds,
    since: tokensFrom(subject),
  };
  return signToken(secrets, kind, claims);
}

/** Returns undefined for a text that is not a valid token of this kind now. */
export async function readToken(
  ports: Pick<TokenPorts, 'secrets' | 'clock'>,
  kind: AccessTokenKind,
  text: string,
): Promise<Claims | undefined> {
  const read = await readSignedToken(ports, kind, text);
  return read === 'expired' ? undefined : read;
}

const MAX_ENTRIES = 10_000;

/** `keptMs` may shorten the cache's TTL of 30 seconds, never lengthen it. */
type TokenAuthenticatorPorts = { table: Table; clock: Clock; secrets: Secrets; keptMs?: number };

/**
 * Authenticates callers by access token. A disabled, removed or changed user is noticed within the cache's TTL. Throws for a
 * token of ours that has expired, so that its caller is told to log in again.
 */
export function tokenAuthenticator(ports: TokenAuthenticatorPorts): (text: string) => Promise<Caller | undefined> {
  const { table, clock, keptMs = MAX_CACHE_MS } = ports;
  const userOf = loadingCache({
    clock,
    ttlMs: Math.min(keptMs, MAX_CACHE_MS),
    max: MAX_ENTRIES,
    load: (id) => userById(table, id),
  });

  return async (text) => {
    const claims = await readSignedToken(ports, ACCESS_TOKEN, text);
    if (claims === 'expired') throw new Problem('unauthorized', 'The access token has expired: log in again.');
    const user = claims && (await userOf.get(claims.sub));
    return user && isOfUser(claims, user) ? callerOfUser(user) : undefined;
  };
}

/** Checks only the signature and the times; reads no row. */
export const ownTokenCheck =
  (ports: Pick<TokenAuthenticatorPorts, 'clock' | 'secrets'>) =>
  async (text: string): Promise<boolean> =>
    (await readToken(ports, ACCESS_TOKEN, text)) !== undefined;

/** The role is the user's current one, not the one in the token. */
export const callerOfUser = ({ id, organization, role }: User): Caller => ({ organization, role, by: `user:${id}` });

/** `expired`: we have signed it, and it was valid until its end. */
async function readSignedToken(
  { secrets, clock }: Pick<TokenPorts, 'secrets' | 'clock'>,
  kind: AccessTokenKind,
  text: string,
): Promise<Claims | 'expired' | undefined> {
  const parsed = v.safeParse(claimsSchema(kind.audience), await verifyToken(secrets, kind, text));
  if (!parsed.success) return undefined;
  const { iat, nbf = iat, exp } = parsed.output;
  const now = clock.now() / 1_000;
  const begins = Math.max(iat, nbf) - SKEW_SECONDS;
  if (now >= exp) return 'expired';
  return begins <= now ? parsed.output : undefined;
}

/** False if another user took the name since, or the user's password was changed. */
const isOfUser = ({ org, since }: Claims, user: User): boolean =>
  !user.disabled && user.organization === org && tokensFrom(user) === since;
