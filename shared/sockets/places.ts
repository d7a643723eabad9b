/**
 * An organization's places for WebSocket connections: one row, changed only over the version that was read. So there are
 * never more than there may be, whoever comes at once, and who is refused has written nothing.
 */
import { updateRow } from '../core/optimistic-update.ts';
import type { Clock, Key, Row, Sockets, Table } from '../ports.ts';

export const CHANNELS = ['task_updates', 'system_notifications'] as const;
export type Channel = (typeof CHANNELS)[number];

export type Place = { connection: string; by: string; channels: Channel[]; endsAt: number };
type Places = { places: Place[] };
export type PlacePorts = { table: Table; clock: Clock };

/** Each lost race is another's success, and there are few at once. */
const MOST_TRIES = 1_000;
const MOST_ROUNDS = 3;
/** The row outlives its places, so that it is rarely made anew. */
const KEPT_MS = 86_400_000;

export const placesKey = (organization: string): Key => ({ pk: `O#${organization}#SOCKETS`, sk: 'SOCKETS' });

/** A place whose connection has come to its end is free, whoever forgot to say so. */
export const placesIn = (row: Row<Places> | undefined, now: number): Place[] =>
  (row?.value.places ?? []).filter(({ endsAt }) => endsAt > now);

export const placesOf = async ({ table, clock }: PlacePorts, organization: string): Promise<Place[]> =>
  placesIn(await table.get<Places>(placesKey(organization)), clock.now());

type Outcome = { changed: boolean; places: Place[] };

/** `next` answers undefined when there is nothing to change. */
async function change(
  { table, clock }: PlacePorts,
  organization: string,
  next: (held: Place[]) => Place[] | undefined,
): Promise<Outcome> {
  const now = () => clock.now();
  const updated = await updateRow<Places, Place[]>(
    table,
    placesKey(organization),
    (row) => {
      const held = placesIn(row, now());
      const places = next(held);
      return places ? { write: { value: { places }, expiresAt: now() + KEPT_MS } } : { stop: held };
    },
    { maxTries: MOST_TRIES },
  );
  if ('contended' in updated) throw new Error('The slots of an organization keep changing.');
  if ('stopped' in updated) return { changed: false, places: updated.stopped };
  return { changed: true, places: updated.written.value.places };
}

/** False when all are taken by connections that are there: those that ended without a word are found out first. */
export async function takePlace(
  ports: PlacePorts & { sockets: Sockets },
  organization: string,
  { place, most }: { place: Place; most: number },
): Promise<boolean> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { changed, places } = await change(ports, organization, (held) =>
      held.length < most ? [...held, place] : undefined,
    );
    if (changed) return true;
    const there = await Promise.all(places.map(({ connection }) => ports.sockets.isThere(connection)));
    const gone = places.filter((_, at) => !there[at]).map(({ connection }) => connection);
    if (gone.length === 0) return false;
    await freePlaces(ports, organization, gone);
  }
  return false;
}

export async function freePlaces(ports: PlacePorts, organization: string, connections: string[]): Promise<void> {
  const isGone = new Set(connections);
  await change(ports, organization, (held) => {
    const left = held.filter(({ connection }) => !isGone.has(connection));
    return left.length < held.length ? left : undefined;
  });
}

/** False when the connection has no place. */
export async function addChannels(
  ports: PlacePorts,
  organization: string,
  { connection, channels }: Pick<Place, 'connection' | 'channels'>,
): Promise<boolean> {
  const { places } = await change(ports, organization, (held) => {
    const own = held.find((place) => place.connection === connection);
    if (!own || channels.every((channel) => own.channels.includes(channel))) return undefined;
    const all = { ...own, channels: [...new Set([...own.channels, ...channels])] };
    return held.map((place) => (place === own ? all : place));
  });
  return places.some((place) => place.connection === connection);
}
