/** The tokens people are given: what they say, how long they hold, and whom they are for. */
import * as v from 'valibot';
import { ROLES } from '../accounts/caller.ts';
import { tokensFrom, type User } from '../accounts/user.ts';
import { signToken, type TokenKind, verifyToken } from '../core/signed-token.ts';
import type { Clock, Ids, Secrets } from '../ports.ts';

type AccessTokenKind = TokenKind & { audience: string; seconds: number };

/** Both APIs take it. */
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
/** Two instances' clocks may differ by so much. It lengthens no token's life. */
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
    /** Which of the user's tokens it is one of: those before a new password hold no longer. */
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

/** Undefined = it is no token of this kind, or does not hold now. */
export async function readToken(
  { secrets, clock }: Pick<TokenPorts, 'secrets' | 'clock'>,
  kind: AccessTokenKind,
  text: string,
): Promise<Claims | undefined> {
  const parsed = v.safeParse(claimsSchema(kind.audience), await verifyToken(secrets, kind, text));
  if (!parsed.success) return undefined;
  const { iat, nbf = iat, exp } = parsed.output;
  const now = clock.now() / 1_000;
  const begins = Math.max(iat, nbf) - SKEW_SECONDS;
  return begins <= now && now < exp ? parsed.output : undefined;
}
