/** Closes the connections of a user who was removed or has a new password, or of a revoked key. */

import { Problem } from '../core/problem.ts';
import type { Sockets } from '../ports.ts';
import { freeSlots, readSlots, type SlotPorts } from './connection-slots.ts';

type EndPorts = SlotPorts & { sockets: Pick<Sockets, 'close'> };

/** The fault code with which connections are closed after their credential was revoked. */
const REVOKED = 'UNAUTHORIZED';

/** Call after the credential's row has changed, so that new connections are rejected already. */
export async function endConnections(ports: EndPorts, organization: string, by: string): Promise<void> {
  const slots = await readSlots(ports, organization);
  const owned = slots.filter((slot) => slot.by === by).map(({ connection }) => connection);
  const closed = await Promise.allSettled(owned.map((connection) => ports.sockets.close(connection, REVOKED)));
  // Connections that could not be closed keep their slots, so that a retry finds them.
  const ended = owned.filter((_, at) => closed[at]?.status === 'fulfilled');
  await freeSlots(ports, organization, ended);
  const remaining = owned.length - ended.length;
  if (remaining > 0)
    throw new Problem('busy', `The change was made, but ${remaining} open connections were not closed: repeat it.`);
}
