/** A connection says whom it is for, by a token that works once, and takes one of the organization's places. */
import { limitOf, type Organization } from '../accounts/organization.ts';
import { redeemWebsocketToken } from '../login/websocket-token.ts';
import type { Secrets, Sockets } from '../ports.ts';
import { connectionDraft, removeConnection } from './connection.ts';
import { freeSlots, type SlotPorts, takeSlot } from './places.ts';
import { SOCKET_LIMITS, SOCKETS } from './socket-limits.ts';

export type AuthenticationPorts = SlotPorts & {
  secrets: Secrets;
  sockets: Sockets;
  organizationOf(id: string): Promise<Organization | undefined>;
};

export type OpenedConnection = { id: string; openedAt: number };
/** `full`: all places of the organization are taken. */
type AuthenticationResult = { organization: string } | 'refused' | 'full';

export async function authenticateConnection(
  ports: AuthenticationPorts,
  { id, openedAt }: OpenedConnection,
  token: string,
): Promise<AuthenticationResult> {
  const redeemed = await redeemWebsocketToken(ports, token);
  const known = redeemed && (await ports.organizationOf(redeemed.caller.organization));
  if (!known) return 'refused';
  const { organization, by } = redeemed.caller;
  const endsAt = openedAt + SOCKET_LIMITS.lifeMs;
  // Before the place, so that a connection which ends meanwhile is found by its row.
  const row = await ports.table.insert(connectionDraft(id, { organization, by, endsAt }));
  if (!row) return 'refused';
  const place = { connection: id, by, channels: [], endsAt };
  if (!(await takeSlot(ports, organization, { place, most: limitOf(known, SOCKETS).most }))) {
    await removeConnection(ports, id);
    return 'full';
  }
  const { pk: _pk, sk: _sk, ...placed } = connectionDraft(id, { ...row.value, hasPlace: true });
  // It may have ended while it was given the place.
  if (!(await ports.table.replace(row, placed))) await freeSlots(ports, organization, [id]);
  // Whoever shuts somebody out ends the connections that have a place, which may have been before this one had its own.
  if (await redeemed.holds()) return { organization };
  await removeConnection(ports, id);
  return 'refused';
}
