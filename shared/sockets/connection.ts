/** A connection that has said whom it is for. Before that it has no row. */
import type { Draft, Key, Row, Table } from '../ports.ts';
import { freeSlots, type SlotPorts } from './places.ts';
import { SOCKET_LIMITS } from './socket-limits.ts';

export type Connection = { organization: string; by: string; endsAt: number; hasPlace?: true; warned?: true };

/** Behind its end, until whoever cares for due rows has been there. */
const KEPT_MS = 600_000;

export const CONNECTION = 'CONNECTION';
const connectionKey = (id: string): Key => ({ pk: `W#${id}`, sk: CONNECTION });
export const parseConnectionKey = ({ pk }: Key): string => pk.slice('W#'.length);

export const connectionDraft = (id: string, value: Connection): Draft<Connection> => ({
  ...connectionKey(id),
  value,
  dueAt: value.warned ? value.endsAt : value.endsAt - SOCKET_LIMITS.warnMs,
  expiresAt: value.endsAt + KEPT_MS,
});

export const connectionById = (table: Table, id: string): Promise<Row<Connection> | undefined> =>
  table.get<Connection>(connectionKey(id));

/** Its row goes first: whoever takes a place for it looks for the row afterwards. */
export async function removeConnection(ports: SlotPorts, id: string): Promise<Connection | undefined> {
  const row = await connectionById(ports.table, id);
  if (!row) return undefined;
  await ports.table.remove(row);
  await freeSlots(ports, row.value.organization, [id]);
  return row.value;
}
