/** The token that opens one WebSocket connection: it lives a minute and works once. */

import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Key, Secrets, Table } from '../ports.ts';
import {
  type Claims,
  callerOfUser,
  issueToken,
  readToken,
  type TokenSubject,
  WEBSOCKET_TOKEN,
} from './access-tokens.ts';
import { apiKeyById } from './api-keys.ts';
import type { Caller } from './caller.ts';
import { callerOfKey, isAlive } from './key-authenticator.ts';
import { tokensFrom, userById } from './users.ts';

type WebsocketTokenPorts = { table: Table; clock: Clock; secrets: Secrets };

const redeemedKey = (organization: string, id: string): Key => ({
  pk: `O#${organization}#REDEEMED#${id}`,
  sk: 'REDEEMED',
});

export async function issueWebsocketToken(
  ports: WebsocketTokenPorts & { ids: Ids },
  { by }: Caller,
): Promise<{ token: string; seconds: number }> {
  const subject = await tokenOwnerById(ports, by.replace(/^user:/, ''));
  if (!subject) throw new Problem('unauthorized', 'The user or API key of this call was removed; use another one.');
  return { token: await issueToken(ports, WEBSOCKET_TOKEN, subject), seconds: WEBSOCKET_TOKEN.seconds };
}

/** `isStillValid` checks again that the user or API key is still the one that the token was issued for. */
type RedeemedToken = { caller: Caller; isStillValid(): Promise<boolean> };

/** Returns the owner of the connection, or `undefined` if the token is invalid or was redeemed before. */
export async function redeemWebsocketToken(
  ports: WebsocketTokenPorts,
  text: string,
): Promise<RedeemedToken | undefined> {
  const { table } = ports;
  const claims = await readToken(ports, WEBSOCKET_TOKEN, text);
  const subject = claims && (await tokenOwnerById(ports, claims.sub));
  if (!subject || !isOwnerOf(claims, subject)) return undefined;
  // The row lasts as long as the token: of several callers with one token, only the first to insert it is accepted.
  const expiresAt = claims.exp * 1_000;
  const redemption = await table.insert({ ...redeemedKey(claims.org, claims.jti), value: {}, expiresAt });
  if (!redemption) return undefined;
  const isStillValid = async (): Promise<boolean> => {
    const now = await tokenOwnerById(ports, claims.sub);
    return now !== undefined && isOwnerOf(claims, now);
  };
  return { caller: subject.caller, isStillValid };
}

type TokenOwner = TokenSubject & { caller: Caller };

const KEY = 'key:';

/** `undefined`: the user is disabled or removed, or the API key was revoked or has expired. */
async function tokenOwnerById(
  { table, clock }: Pick<WebsocketTokenPorts, 'table' | 'clock'>,
  id: string,
): Promise<TokenOwner | undefined> {
  if (!id.startsWith(KEY)) {
    const user = await userById(table, id);
    return user && !user.disabled ? { ...user, caller: callerOfUser(user) } : undefined;
  }
  const key = await apiKeyById(table, id.slice(KEY.length));
  if (!key || !isAlive(key, clock.now())) return undefined;
  const caller = callerOfKey(key);
  return { id, organization: key.organization, role: caller.role, createdAt: key.createdAt, caller };
}

const isOwnerOf = ({ org, since }: Claims, subject: TokenOwner): boolean =>
  subject.organization === org && tokensFrom(subject) === since;
