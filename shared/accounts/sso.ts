/** Finds the user of an ID token that a trusted issuer signed. */

import type { Clock, Table } from '../ports.ts';
import { isOlderThan, isSignedBy, isTokenCurrent, keyForToken, parseIdToken } from './id-token.ts';
import type { KeysAt } from './issuer-keys.ts';
import { organizationTrusting } from './issuers.ts';
import { userForSubject } from './sso-users.ts';
import type { PublicUser } from './users.ts';

const DEFAULT_MAX_AGE_SECONDS = 3_600;

type SignedUserPorts = { table: Table; clock: Clock; keysAt: KeysAt };

/** Returns `undefined`, without a reason, if the token admits no user. Keys are fetched only if an organization trusts the issuer. */
export async function userOfIdToken(ports: SignedUserPorts, text: string): Promise<PublicUser | undefined> {
  const token = parseIdToken(text);
  if (!token || !isTokenCurrent(token, ports.clock.now())) return undefined;
  const { iss: issuer, audience } = token.claims;
  const trust = await organizationTrusting(ports.table, { issuer, audience });
  if (!trust) return undefined;
  const { organization, trusted } = trust;
  if (isOlderThan(token, trusted.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS, ports.clock.now())) return undefined;
  const { keysAddress, allowsPrivate = true } = trusted;
  const keys = await ports.keysAt(keysAddress, (cachedKeys) => keyForToken(token, cachedKeys) !== undefined, {
    allowsPrivate,
  });
  const key = keyForToken(token, keys);
  if (!key || !(await isSignedBy(token, key, { issuer, nowMs: ports.clock.now() }))) return undefined;
  return userForSubject(ports, token.claims, { organization, admits: trusted.admits });
}
