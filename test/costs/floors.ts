/** The journeys beside the least that anybody could pay for them, and what the difference pays for. */
import { markdownTable } from '../proof/markdown-table.ts';
import type { Recording } from '../rehearsal/recorder/recording.ts';
import { bill } from './bill.ts';
import { total } from './cost-of.ts';
import { dollarsOf, JOURNEYS, ratioOf } from './journeys.ts';

const INTRO = `What three journeys come to in dollars for a million, beside their floors: what a service could pay at the least that
did nothing but the journey itself, model tokens aside (512 MB, arm64).`;

const HELD = `A test turns red when a journey passes what it is held at. Above that line the figures move with the machine that
measures the work; below it they have to go on coming down until the aim holds, and no aim is met by a promise less.`;

/** What is not in the floors, by what of our promises asks for it. */
const REST = `What the rest pays for:

- **Nothing gets lost.** A task is claimed before it is worked on, its result and its surroundings are rows of their own, and
  an index says when somebody has to look again: insert, claim, result, end, delivery.
- **Lists are exact.** An index holds whether a task is open or how it ended, so that a page costs the same whatever else is
  stored: a unit when it comes and one when it ends.
- **Limits are exact.** One counted write for each submit.
- **Deliveries are kept.** Each attempt is claimed before it is made, the first by the write that ends the task, so that two
  senders do not send it at once, and kept with the task or, when its receiver said something, in a row of its own.
- **A file that was completed never changes.** It is one version of what its address took: a GET tells which, and judges
  how it begins. Nothing is copied.
- **Nothing is left behind.** An index says when a file has to go: a unit when it is completed. What nobody completes is
  listed with its hour a day later, a thousand keys at a time, and a read of its row says that it is no file: that is in C.
- **Everything can be seen.** A line of log for each request, by the gateway and by the function, for each task's end and each delivery.`;

export function besideTheFloors(recording: Recording): string {
  const entries = bill(recording);
  const rows = JOURNEYS.flatMap((journey) => {
    const { name, held } = journey;
    if (!held) return [];
    const dollars = total(dollarsOf(journey, entries));
    const { floor, most, aim } = held;
    const ratio = ratioOf(journey, recording).toFixed(2);
    return [[name, floor.toFixed(1), dollars.toFixed(2), ratio, most.toFixed(2), aim.toFixed(2)]];
  });
  const table = markdownTable(['What', 'Floor', 'Here', 'Times the floor', 'Held at', 'Aim'], rows);
  return `${INTRO}\n\n${table}\n\n${HELD}\n\n${REST}`;
}
