/** Says something to everybody who listens, in one organization or in all. */
import { listOrganizations } from '../accounts/organization.ts';
import type { Sockets } from '../ports.ts';
import { type ConnectionSlot, type SlotPorts, slotsIn, slotsKey } from './places.ts';

type AnnouncePorts = SlotPorts & { sockets: Sockets };

const AT_ONCE = 100;

/** Answers how many connections it reached. */
export async function announce(ports: AnnouncePorts, text: string, only?: string): Promise<number> {
  const { table, clock, sockets } = ports;
  const organizations = only === undefined ? (await listOrganizations(table)).map(({ id }) => id) : [only];
  let reached = 0;
  for (let from = 0; from < organizations.length; from += AT_ONCE) {
    const some = organizations.slice(from, from + AT_ONCE);
    const rows = await table.getMany<{ places: ConnectionSlot[] }>(some.map(slotsKey));
    const listening = rows
      .flatMap((row) => slotsIn(row, clock.now()))
      .filter(({ channels }) => channels.includes('system_notifications'));
    const posted = await Promise.allSettled(listening.map(({ connection }) => sockets.post(connection, text)));
    reached += posted.filter((each) => each.status === 'fulfilled' && each.value === 'sent').length;
  }
  return reached;
}
