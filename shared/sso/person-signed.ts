/** The person an ID token was signed for, by an issuer that an organization trusts. */
import type { Person } from '../accounts/user.ts';
import type { Clock, Table } from '../ports.ts';
import { isOlderThan, isSignedBy, isValidAt, keyForToken, parseIdToken } from './id-token.ts';
import { organizationTrusting } from './issuer.ts';
import type { KeysAt } from './issuer-keys.ts';
import { userForSubject } from './person.ts';

const DEFAULT_MAX_AGE_SECONDS = 3_600;

type SignedUserPorts = { table: Table; clock: Clock; keysAt: KeysAt };

/** Undefined = nobody; why is not told. Nothing is fetched before an organization is found that trusts the issuer. */
export async function userSigned(ports: SignedUserPorts, text: string): Promise<Person | undefined> {
  const token = parseIdToken(text);
  if (!token || !isValidAt(token, ports.clock.now())) return undefined;
  const { iss: issuer, audience } = token.claims;
  const found = await organizationTrusting(ports.table, { issuer, audience });
  if (!found) return undefined;
  const { organization, trusted } = found;
  if (isOlderThan(token, trusted.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS, ports.clock.now())) return undefined;
  const { keysAddress, allowsPrivate = true } = trusted;
  const keys = await ports.keysAt(keysAddress, (known) => keyForToken(token, known) !== undefined, { allowsPrivate });
  const key = keyForToken(token, keys);
  if (!key || !isSignedBy(token, key)) return undefined;
  return userForSubject(ports, token.claims, { organization, admits: trusted.admits });
}
