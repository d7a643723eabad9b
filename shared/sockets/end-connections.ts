/** Ends the connections of one person: of whoever is shut out, or whose password is another one now. */
import { Problem } from '../core/problem.ts';
import type { Sockets } from '../ports.ts';
import { freeSlots, readSlots, type SlotPorts } from './places.ts';

type EndPorts = SlotPorts & { sockets: Pick<Sockets, 'close'> };

/** After the person's row has changed: whoever comes in from then on is refused by it. */
export async function endConnections(ports: EndPorts, organization: string, by: string): Promise<void> {
  const places = await readSlots(ports, organization);
  const theirs = places.filter((place) => place.by === by).map(({ connection }) => connection);
  const closed = await Promise.allSettled(theirs.map((connection) => ports.sockets.close(connection)));
  // What is still open keeps its place, by which it is found again.
  const ended = theirs.filter((_, at) => closed[at]?.status === 'fulfilled');
  await freeSlots(ports, organization, ended);
  const left = theirs.length - ended.length;
  if (left > 0)
    throw new Problem('busy', `The change is made, but ${left} open connections were not closed: repeat it.`);
}
