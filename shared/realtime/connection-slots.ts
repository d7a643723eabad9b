/**
 * The slots of an organization for WebSocket connections: one row, changed with optimistic locking. So the limit holds even
 * for concurrent connections, and a rejected connection writes nothing.
 */

import { updateRow } from '../core/table-access.ts';
import { DAY_MS } from '../core/time.ts';
import type { Clock, Key, Row, Sockets, Table } from '../ports.ts';

export const CHANNELS = ['task_updates', 'system_notifications', 'task_events'] as const;
export type Channel = (typeof CHANNELS)[number];

export type ConnectionSlot = { connection: string; by: string; channels: Channel[]; endsAt: number };
type StoredSlots = { places: ConnectionSlot[] };
export type SlotPorts = { table: Table; clock: Clock };

/** Each lost race is another writer's success, and only a few write at once. */
const MAX_TRIES = 1_000;
const MAX_ROUNDS = 3;
/** The row outlives its slots, so that it is rarely inserted again. */
const ROW_TTL_MS = DAY_MS;

const slotsKey = (organization: string): Key => ({ pk: `O#${organization}#SOCKETS`, sk: 'SOCKETS' });

/** A slot is free when its connection must have ended, even if the close was never reported. */
const slotsIn = (row: Row<StoredSlots> | undefined, now: number): ConnectionSlot[] =>
  (row?.value.places ?? []).filter(({ endsAt }) => endsAt > now);

export const readSlots = async ({ table, clock }: SlotPorts, organization: string): Promise<ConnectionSlot[]> =>
  slotsIn(await table.get<StoredSlots>(slotsKey(organization)), clock.now());

/** False if open connections hold all slots. Slots of closed connections are freed first. */
export async function takeSlot(
  ports: SlotPorts & { sockets: Sockets },
  organization: string,
  { slot, max }: { slot: ConnectionSlot; max: number },
): Promise<boolean> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { changed, slots } = await changeSlots(ports, organization, (heldSlots) =>
      heldSlots.length < max ? [...heldSlots, slot] : undefined,
    );
    if (changed) return true;
    const there = await Promise.all(slots.map(({ connection }) => ports.sockets.isThere(connection)));
    const gone = slots.filter((_, at) => !there[at]).map(({ connection }) => connection);
    if (gone.length === 0) return false;
    await freeSlots(ports, organization, gone);
  }
  return false;
}

export async function freeSlots(ports: SlotPorts, organization: string, connections: string[]): Promise<void> {
  const isGone = new Set(connections);
  await changeSlots(ports, organization, (heldSlots) => {
    const remainingSlots = heldSlots.filter(({ connection }) => !isGone.has(connection));
    return remainingSlots.length < heldSlots.length ? remainingSlots : undefined;
  });
}

/** False if the connection has no slot. */
export async function addChannels(
  ports: SlotPorts,
  organization: string,
  { connection, channels }: Pick<ConnectionSlot, 'connection' | 'channels'>,
): Promise<boolean> {
  const { slots } = await changeSlots(ports, organization, (heldSlots) => {
    const ownSlot = heldSlots.find((slot) => slot.connection === connection);
    if (!ownSlot || channels.every((channel) => ownSlot.channels.includes(channel))) return undefined;
    const extendedSlot = { ...ownSlot, channels: [...new Set([...ownSlot.channels, ...channels])] };
    return heldSlots.map((slot) => (slot === ownSlot ? extendedSlot : slot));
  });
  return slots.some((slot) => slot.connection === connection);
}

type SlotChange = { changed: boolean; slots: ConnectionSlot[] };

/** `next` returns `undefined` if there is nothing to change. */
async function changeSlots(
  { table, clock }: SlotPorts,
  organization: string,
  next: (heldSlots: ConnectionSlot[]) => ConnectionSlot[] | undefined,
): Promise<SlotChange> {
  const now = () => clock.now();
  const updated = await updateRow<StoredSlots, ConnectionSlot[]>(
    table,
    slotsKey(organization),
    (row) => {
      const currentSlots = slotsIn(row, now());
      const slots = next(currentSlots);
      return slots ? { write: { value: { places: slots }, expiresAt: now() + ROW_TTL_MS } } : { stop: currentSlots };
    },
    { maxTries: MAX_TRIES },
  );
  if ('contended' in updated) throw new Error('The slots of an organization keep changing.');
  if ('stopped' in updated) return { changed: false, slots: updated.stopped };
  return { changed: true, slots: updated.written.value.places };
}

/** The row of an organization that lists its open connections. */
export const connectionSlots = { keyOf: slotsKey, parse: slotsIn, read: readSlots, take: takeSlot, free: freeSlots };
