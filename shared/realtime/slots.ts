/** The slots of an organization for WebSocket connections, and a cache of who watches it. */

import { loadingCache } from '../core/cache.ts';
import { updateRow } from '../core/optimistic-update.ts';
import type { Clock, Key, Row, Sockets, Table } from '../ports.ts';

/**
 * An organization's places for WebSocket connections: one row, changed only over the version that was read. So there are
 * never more than the limit, however many come at once, and a rejected connection has written nothing.
 */
export const CHANNELS = ['task_updates', 'system_notifications'] as const;
export type Channel = (typeof CHANNELS)[number];

export type ConnectionSlot = { connection: string; by: string; channels: Channel[]; endsAt: number };
type StoredSlots = { places: ConnectionSlot[] };
export type SlotPorts = { table: Table; clock: Clock };

/** Each lost race is another's success, and there are few at once. */
const MAX_TRIES = 1_000;
const MAX_ROUNDS = 3;
/** The row outlives its slots, so that it is rarely inserted again. */
const ROW_TTL_MS = 86_400_000;

export const slotsKey = (organization: string): Key => ({ pk: `O#${organization}#SOCKETS`, sk: 'SOCKETS' });

/** A slot is free when its connection must have ended, even if the close was never reported. */
export const slotsIn = (row: Row<StoredSlots> | undefined, now: number): ConnectionSlot[] =>
  (row?.value.places ?? []).filter(({ endsAt }) => endsAt > now);

export const readSlots = async ({ table, clock }: SlotPorts, organization: string): Promise<ConnectionSlot[]> =>
  slotsIn(await table.get<StoredSlots>(slotsKey(organization)), clock.now());

type SlotChange = { changed: boolean; places: ConnectionSlot[] };

/** `next` answers undefined when there is nothing to change. */
async function changeSlots(
  { table, clock }: SlotPorts,
  organization: string,
  next: (held: ConnectionSlot[]) => ConnectionSlot[] | undefined,
): Promise<SlotChange> {
  const now = () => clock.now();
  const updated = await updateRow<StoredSlots, ConnectionSlot[]>(
    table,
    slotsKey(organization),
    (row) => {
      const held = slotsIn(row, now());
      const places = next(held);
      return places ? { write: { value: { places }, expiresAt: now() + ROW_TTL_MS } } : { stop: held };
    },
    { maxTries: MAX_TRIES },
  );
  if ('contended' in updated) throw new Error('The slots of an organization keep changing.');
  if ('stopped' in updated) return { changed: false, places: updated.stopped };
  return { changed: true, places: updated.written.value.places };
}

/** False when all are taken by connections that are there: those that ended without a word are found out first. */
export async function takeSlot(
  ports: SlotPorts & { sockets: Sockets },
  organization: string,
  { place, most }: { place: ConnectionSlot; most: number },
): Promise<boolean> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { changed, places } = await changeSlots(ports, organization, (held) =>
      held.length < most ? [...held, place] : undefined,
    );
    if (changed) return true;
    const there = await Promise.all(places.map(({ connection }) => ports.sockets.isThere(connection)));
    const gone = places.filter((_, at) => !there[at]).map(({ connection }) => connection);
    if (gone.length === 0) return false;
    await freeSlots(ports, organization, gone);
  }
  return false;
}

export async function freeSlots(ports: SlotPorts, organization: string, connections: string[]): Promise<void> {
  const isGone = new Set(connections);
  await changeSlots(ports, organization, (held) => {
    const left = held.filter(({ connection }) => !isGone.has(connection));
    return left.length < held.length ? left : undefined;
  });
}

/** False when the connection has no place. */
export async function addChannels(
  ports: SlotPorts,
  organization: string,
  { connection, channels }: Pick<ConnectionSlot, 'connection' | 'channels'>,
): Promise<boolean> {
  const { places } = await changeSlots(ports, organization, (held) => {
    const own = held.find((place) => place.connection === connection);
    if (!own || channels.every((channel) => own.channels.includes(channel))) return undefined;
    const all = { ...own, channels: [...new Set([...own.channels, ...channels])] };
    return held.map((place) => (place === own ? all : place));
  });
  return places.some((place) => place.connection === connection);
}

/** Caches who watches an organization, so that a task without a watcher costs at most one read, and mostly none. */
export type Watchers = {
  /** What is known without a read. */
  known(organization: string): ConnectionSlot[] | undefined;
  of(organization: string): Promise<ConnectionSlot[]>;
  /** They have changed in this process. */
  forget(organization: string): void;
};

const MAX_ORGANIZATIONS = 10_000;

/** `keptMs`: how long connections to another process may stay unnoticed. */
export function cachedWatchers({ keptMs, ...ports }: SlotPorts & { keptMs: number }): Watchers {
  const { clock } = ports;
  const cached = loadingCache({
    clock,
    ttlMs: keptMs,
    max: MAX_ORGANIZATIONS,
    load: (organization) => readSlots(ports, organization),
  });
  const present = (places: ConnectionSlot[]): ConnectionSlot[] => places.filter(({ endsAt }) => endsAt > clock.now());

  return {
    known(organization) {
      const places = cached.peek(organization);
      return places && present(places);
    },
    of: async (organization) => present((await cached.get(organization)) ?? []),
    forget: cached.delete,
  };
}
