/** The token that opens one WebSocket connection: it lives a minute and works once. */
import type { Caller } from '../accounts/caller.ts';
import { userById } from '../accounts/user.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Key, Secrets, Table } from '../ports.ts';
import { callerOf, isTheirs } from './authenticate-token.ts';
import { makeToken, readToken, WEBSOCKET_TOKEN } from './token.ts';

type Ports = { table: Table; clock: Clock; secrets: Secrets };

const redeemedKey = (organization: string, id: string): Key => ({
  pk: `O#${organization}#REDEEMED#${id}`,
  sk: 'REDEEMED',
});

export async function makeWebsocketToken(
  ports: Ports & { ids: Ids },
  { by }: Caller,
): Promise<{ token: string; seconds: number }> {
  const user = await userById(ports.table, by.replace(/^user:/, ''));
  if (!user) throw new Problem('unauthorized', 'Missing or invalid access token; log in again.');
  return { token: await makeToken(ports, WEBSOCKET_TOKEN, user), seconds: WEBSOCKET_TOKEN.seconds };
}

/** `holds` looks again whether the user is still the one that the token was made for. */
export type Redeemed = { caller: Caller; holds(): Promise<boolean> };

/** Whom the connection belongs to; undefined = the token does not hold, or was redeemed before. */
export async function redeemWebsocketToken(ports: Ports, text: string): Promise<Redeemed | undefined> {
  const { table } = ports;
  const claims = await readToken(ports, WEBSOCKET_TOKEN, text);
  const user = claims && (await userById(table, claims.sub));
  if (!user || !isTheirs(claims, user)) return undefined;
  // As long as the token itself holds: of many who come with it, the first to insert is let in.
  const expiresAt = claims.exp * 1_000;
  const first = await table.insert({ ...redeemedKey(claims.org, claims.jti), value: {}, expiresAt });
  if (!first) return undefined;
  const holds = async (): Promise<boolean> => {
    const now = await userById(table, claims.sub);
    return now !== undefined && isTheirs(claims, now);
  };
  return { caller: callerOf(user), holds };
}
