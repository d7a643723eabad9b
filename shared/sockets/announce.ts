/** Says something to everybody who listens, in one organization or in all. */
import { listOrganizations } from '../accounts/organization.ts';
import type { Sockets } from '../ports.ts';
import { type Place, type PlacePorts, placesIn, placesKey } from './places.ts';

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
