/** The token that opens one WebSocket connection: it lives a minute and works once. */
import { apiKeyById } from '../accounts/api-key.ts';
import { callerOfKey, isAlive } from '../accounts/authenticate-key.ts';
import type { Caller } from '../accounts/caller.ts';
import { tokensFrom, userById } from '../accounts/user.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Key, Secrets, Table } from '../ports.ts';
import { callerOfUser } from './authenticate-token.ts';
import { type Claims, issueToken, readToken, type TokenSubject, WEBSOCKET_TOKEN } from './token.ts';

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
  if (!subject) throw new Problem('unauthorized', 'The user or API key of this call is gone; use another one.');
  return { token: await issueToken(ports, WEBSOCKET_TOKEN, subject), seconds: WEBSOCKET_TOKEN.seconds };
}

type TokenOwner = TokenSubject & { caller: Caller };

const KEY = 'key:';

/** Undefined when the user is disabled or gone, or the API key revoked or expired. */
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

/** `holds` looks again whether the user or API key is still the one that the token was made for. */
export type RedeemedToken = { caller: Caller; holds(): Promise<boolean> };

/** Whom the connection belongs to; undefined = the token does not hold, or was redeemed before. */
export async function redeemWebsocketToken(
  ports: WebsocketTokenPorts,
  text: string,
): Promise<RedeemedToken | undefined> {
  const { table } = ports;
  const claims = await readToken(ports, WEBSOCKET_TOKEN, text);
  const subject = claims && (await tokenOwnerById(ports, claims.sub));
  if (!subject || !isOwnerOf(claims, subject)) return undefined;
  // As long as the token itself holds: of many who come with it, the first to insert is let in.
  const expiresAt = claims.exp * 1_000;
  const first = await table.insert({ ...redeemedKey(claims.org, claims.jti), value: {}, expiresAt });
  if (!first) return undefined;
  const holds = async (): Promise<boolean> => {
    const now = await tokenOwnerById(ports, claims.sub);
    return now !== undefined && isOwnerOf(claims, now);
  };
  return { caller: subject.caller, holds };
}
