/** Says something to everybody who listens, in one organization or in all; and ends the connections of one person. */
import { listOrganizations } from '../accounts/organization.ts';
import type { Sockets } from '../ports.ts';
import { freePlaces, type Place, type PlacePorts, placesIn, placesKey, placesOf } from './places.ts';

type Ports = PlacePorts & { sockets: Sockets };

const AT_ONCE = 100;

/** Answers how many connections it reached. */
export async function announce(ports: Ports, text: string, only?: string): Promise<number> {
  const { table, clock, sockets } = ports;
  const organizations = only === undefined ? (await listOrganizations(table)).map(({ id }) => id) : [only];
  let reached = 0;
  for (let from = 0; from < organizations.length; from += AT_ONCE) {
    const some = organizations.slice(from, from + AT_ONCE);
    const rows = await table.getMany<{ places: Place[] }>(some.map(placesKey));
    const listening = rows
      .flatMap((row) => placesIn(row, clock.now()))
      .filter(({ channels }) => channels.includes('system_notifications'));
    const posted = await Promise.allSettled(listening.map(({ connection }) => sockets.post(connection, text)));
    reached += posted.filter((each) => each.status === 'fulfilled' && each.value === 'sent').length;
  }
  return reached;
}

export async function endConnections(ports: Ports, organization: string, by: string): Promise<void> {
  const places = await placesOf(ports, organization);
  const theirs = places.filter((place) => place.by === by).map(({ connection }) => connection);
  await Promise.allSettled(theirs.map((connection) => ports.sockets.close(connection)));
  await freePlaces(ports, organization, theirs);
}
