/** Submits as fast as a side answers, for ten seconds, and measures how the backlog of unfinished tasks grows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UNFINISHED_TASKS } from '../../../../shared/accounts/caps.ts';
import { type Connection, openConnection } from '../http-connection.ts';
import { isFinished, type Side, type Submitted, submit } from './side.ts';

export const SECONDS = 10;
const CONNECTIONS = 256;
const READERS = 15;
const SAMPLE_MS = 250;
export const ORGANIZATIONS = 4;
/** Each connection may have one more request in flight when the limit is reached. */
export const ROOM = ORGANIZATIONS * UNFINISHED_TASKS.most + CONNECTIONS;

export type Overload = { accepted: number; refused: number; backlogs: number[]; biggest: number };

export async function overload(side: Side): Promise<Overload> {
  const open = (amount: number) => Promise.all(Array.from({ length: amount }, () => openConnection(side.port)));
  const [writers, readers] = [await open(CONNECTIONS), await open(READERS)];
  const accepted: Submitted[] = [];
  const backlogs: number[] = [];
  let refused = 0;
  const end = performance.now() + SECONDS * 1_000;
  const goesOn = () => performance.now() < end;
  const write = async (connection: Connection, at: number) => {
    const key = side.keys[at % ORGANIZATIONS] ?? '';
    while (goesOn()) {
      const task = await submit(side, connection, key);
      if (task) accepted.push(task);
      else refused++;
    }
  };
  const writing = Promise.all(writers.map(write));
  let finished = 0;
  for (; goesOn(); await sleep(SAMPLE_MS)) {
    finished = await finishedIn(side, readers, { accepted, from: finished });
    backlogs.push(accepted.length - finished);
  }
  await writing;
  const total = accepted.length;
  while (finished < total) finished = await finishedIn(side, readers, { accepted, from: finished });
  for (const connection of [...writers, ...readers]) connection.close();
  return { accepted: total, refused, backlogs, biggest: Math.max(...backlogs) };
}

/**
 * Counts how many of the accepted tasks, the oldest first, are finished, by a search with parallel reads between the last
 * finished and the first unfinished task. Exact unless tasks overtake each other, and cheap compared with the submits.
 */
async function finishedIn(side: Side, readers: Connection[], o: { accepted: Submitted[]; from: number }) {
  let low = o.from;
  let high = o.accepted.length;
  while (low < high) {
    const step = Math.ceil((high - low) / readers.length);
    const asked = readers.flatMap((reader, at) => {
      const place = Math.min(low + step * (at + 1), high) - 1;
      const task = o.accepted[place];
      return task ? [{ place, finished: isFinished(side, reader, task) }] : [];
    });
    const answers = await Promise.all(asked.map(({ finished }) => finished));
    const open = answers.indexOf(false);
    if (open !== -1) high = asked[open]?.place ?? low;
    if (open !== 0) low = (asked.at(open === -1 ? -1 : open - 1)?.place ?? low) + 1;
  }
  return low;
}
