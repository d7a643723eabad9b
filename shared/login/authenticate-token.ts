/** Tells who calls by the access token sent. A user who was disabled, removed or given another role is seen within the cache's time. */

import type { Caller } from '../accounts/caller.ts';
import { tokensFrom, type User, userById } from '../accounts/user.ts';
import { loadingCache } from '../core/cache.ts';
import type { Clock, Secrets, Table } from '../ports.ts';
import { ACCESS_TOKEN, type Claims, readToken } from './token.ts';

const MOST_KEPT_MS = 30_000;
const MOST_KEPT = 10_000;

/** `keptMs` may shorten the cache's 30 seconds, never lengthen them. */
type TokenAuthenticatorPorts = { table: Table; clock: Clock; secrets: Secrets; keptMs?: number };

export function tokenAuthenticator(ports: TokenAuthenticatorPorts): (text: string) => Promise<Caller | undefined> {
  const { table, clock, keptMs = MOST_KEPT_MS } = ports;
  const userOf = loadingCache({
    clock,
    ttlMs: Math.min(keptMs, MOST_KEPT_MS),
    max: MOST_KEPT,
    load: (id) => userById(table, id),
  });

  return async (text) => {
    const claims = await readToken(ports, ACCESS_TOKEN, text);
    const user = claims && (await userOf.get(claims.sub));
    return user && isOfUser(claims, user) ? callerOfUser(user) : undefined;
  };
}

/** By its signature and its time alone: no lookup. */
export const ownTokenCheck =
  (ports: Pick<TokenAuthenticatorPorts, 'clock' | 'secrets'>) =>
  async (text: string): Promise<boolean> =>
    (await readToken(ports, ACCESS_TOKEN, text)) !== undefined;

/** Not so when somebody else got the name since, or the user another password. */
const isOfUser = ({ org, since }: Claims, user: User): boolean =>
  !user.disabled && user.organization === org && tokensFrom(user) === since;

/** The role is the one of now, whatever the token says. */
export const callerOfUser = ({ id, organization, role }: User): Caller => ({ organization, role, by: `user:${id}` });
