/** The journeys, their floors (the least possible cost), and the reasons for the difference. */
import { markdownTable } from '../promises/markdown-table.ts';
import type { Recording } from '../rehearsal/recorder/recording.ts';
import { bill } from './bill.ts';
import { total } from './cost-of.ts';
import { dollarsOf, JOURNEYS, ratioOf } from './journeys.ts';
import { RESEARCH_WRITES } from './research-writes.ts';

const INTRO = `Dollars per million of three journeys, compared with their floors: the minimum that a service could pay that did nothing
but the journey itself, without model tokens (512 MB, arm64).`;

const HELD = `A test fails when a journey exceeds "Held at". The figures vary with the machine that measures the work. They have to fall further
until the aim is met, without giving up a guarantee.`;

/** Costs above the floor, by the guarantee that requires them. */
const REST = `What the difference pays for:

- **Durability.** A task is claimed before it runs, its result and its details are rows of their own, and an index has the time
  of the next check: insert, claim, result, end, delivery.
- **Exact lists.** An index holds whether a task is open or how it ended, so that a page costs the same whatever else is
  stored: a unit at the start and one at the end.
- **Exact limits.** One counted write for each submit.
- **Delivery log.** Each attempt is claimed before it is made, the first by the write that ends the task, so that two senders
  do not send it at once. It is stored with the task or, if its receiver responded with a text, in a row of its own.
- **Paid work.** What a model has worked out is stored after each stage in which it answered, so that a worker that stops loses no
  more than the stage at hand. Each of these checkpoints has the whole state of the research, packed: one to four units each. A task
  without a language model repeats a stage instead, and stores nothing between them.
- **Tokens.** The tokens of a task are added to those of the organization's day every 20 seconds and at its end, and the organization
  is read for its budget. A task without a language model has neither.
- **Activity.** The events of a research are one more row with each checkpoint that has new ones, and one with the result: a unit for
  about seven events, and no write for each. Other tasks pay nothing.
- **Texts of sources.** A research that keeps them writes one object more when it ends, and reads one range of it for each text
  that is asked for.
- **Immutable files.** A completed file is one version of its upload URL: a GET returns which, and checks its first bytes. Nothing
  is copied.
- **Cleanup.** An index has the expiry of a file: a unit at completion. Incomplete uploads are listed by their hour a day
  later, a thousand keys at a time, and a read of the row shows that there is no file: that is in C.
- **Observability.** A log line for each request, by the gateway and by the function, for each task's end and each delivery.`;

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
  return [INTRO, table, HELD, REST, RESEARCH_WRITES].join('\n\n');
}
