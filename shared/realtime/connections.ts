/** Authenticates WebSocket connections, and ends expired ones. */

import { limitOf, SOCKETS } from '../accounts/caps.ts';
import type { Organization } from '../accounts/organizations.ts';
import { redeemWebsocketToken } from '../accounts/websocket-tokens.ts';
import type { Draft, Key, Row, Secrets, Sockets, Table } from '../ports.ts';
import { freeSlots, type SlotPorts, takeSlot } from './connection-slots.ts';
import { SOCKET_LIMITS } from './socket-limits.ts';

/** An authenticated connection. Others have no row. */
type Connection = { organization: string; by: string; endsAt: number; hasPlace?: true; warned?: true };

/** How long the row outlives the connection, so that the reconciler can process it. */
const KEPT_MS = 600_000;

export const CONNECTION = 'CONNECTION';
const connectionKey = (id: string): Key => ({ pk: `W#${id}`, sk: CONNECTION });
export const parseConnectionKey = ({ pk }: Key): string => pk.slice('W#'.length);

export const connectionById = (table: Table, id: string): Promise<Row<Connection> | undefined> =>
  table.get<Connection>(connectionKey(id));

/** Removes the row first, because taking a slot checks the row afterwards. */
export async function removeConnection(ports: SlotPorts, id: string): Promise<Connection | undefined> {
  const row = await connectionById(ports.table, id);
  if (!row) return undefined;
  await ports.table.remove(row);
  await freeSlots(ports, row.value.organization, [id]);
  return row.value;
}

export type AuthenticationPorts = SlotPorts & {
  secrets: Secrets;
  sockets: Sockets;
  organizationOf(id: string): Promise<Organization | undefined>;
};

export type OpenedConnection = { id: string; openedAt: number };
/** `full`: all slots of the organization are taken. */
type AuthenticationResult = { organization: string } | 'refused' | 'full';

/** Authenticates a connection by a one-time token and takes one of the organization's slots. */
export async function authenticateConnection(
  ports: AuthenticationPorts,
  { id, openedAt }: OpenedConnection,
  token: string,
): Promise<AuthenticationResult> {
  const redeemed = await redeemWebsocketToken(ports, token);
  const storedOrganization = redeemed && (await ports.organizationOf(redeemed.caller.organization));
  if (!storedOrganization) return 'refused';
  const { organization, by } = redeemed.caller;
  const endsAt = openedAt + SOCKET_LIMITS.lifeMs;
  // The row comes before the slot, so that a connection that closes meanwhile is found by its row.
  const row = await ports.table.insert(connectionDraft(id, { organization, by, endsAt }));
  if (!row) return 'refused';
  const newSlot = { connection: id, by, channels: [], endsAt };
  if (!(await takeSlot(ports, organization, { slot: newSlot, max: limitOf(storedOrganization, SOCKETS).most }))) {
    await removeConnection(ports, id);
    return 'full';
  }
  const { pk: _pk, sk: _sk, ...draft } = connectionDraft(id, { ...row.value, hasPlace: true });
  // The connection may have closed while it took the slot.
  if (!(await ports.table.replace(row, draft))) await freeSlots(ports, organization, [id]);
  // A revocation closes the connections that have a slot; this one may not have had its slot yet.
  if (await redeemed.isStillValid()) return { organization };
  await removeConnection(ports, id);
  return 'refused';
}

/** Notifies a connection of its end at `endsAt`. */
export type NotifyConnectionEnd = (connection: string, endsAt: number) => Promise<'sent' | 'gone'>;

export async function maintainConnection(
  ports: SlotPorts & { sayEnding: NotifyConnectionEnd },
  key: Key,
): Promise<void> {
  const id = parseConnectionKey(key);
  const row = await connectionById(ports.table, id);
  if (!row || row.dueAt === undefined || row.dueAt > ports.clock.now()) return;
  const { endsAt, warned } = row.value;
  if (warned || endsAt <= ports.clock.now()) return void (await removeConnection(ports, id));
  const { pk: _pk, sk: _sk, ...next } = connectionDraft(id, { ...row.value, warned: true });
  if (!(await ports.table.replace(row, next))) return;
  if ((await ports.sayEnding(id, endsAt)) === 'gone') await removeConnection(ports, id);
}

const connectionDraft = (id: string, value: Connection): Draft<Connection> => ({
  ...connectionKey(id),
  value,
  dueAt: value.warned ? value.endsAt : value.endsAt - SOCKET_LIMITS.warnMs,
  expiresAt: value.endsAt + KEPT_MS,
});
