/** Sends a text to all listening connections of one organization or of all. */

import { listOrganizations } from '../accounts/organizations.ts';
import type { Sockets } from '../ports.ts';
import { type ConnectionSlot, connectionSlots, type SlotPorts } from './connection-slots.ts';

type AnnouncePorts = SlotPorts & { sockets: Sockets };

const AT_ONCE = 100;

/** Returns how many connections were reached. */
export async function announce(ports: AnnouncePorts, text: string, only?: string): Promise<number> {
  const { table, clock, sockets } = ports;
  const organizations = only === undefined ? (await listOrganizations(table)).map(({ id }) => id) : [only];
  let reached = 0;
  for (let from = 0; from < organizations.length; from += AT_ONCE) {
    const batch = organizations.slice(from, from + AT_ONCE);
    const rows = await table.getMany<{ places: ConnectionSlot[] }>(batch.map(connectionSlots.keyOf));
    const listening = rows
      .flatMap((row) => connectionSlots.parse(row, clock.now()))
      .filter(({ channels }) => channels.includes('system_notifications'));
    const posted = await Promise.allSettled(listening.map(({ connection }) => sockets.post(connection, text)));
    reached += posted.filter((outcome) => outcome.status === 'fulfilled' && outcome.value === 'sent').length;
  }
  return reached;
}
