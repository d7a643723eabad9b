/** The journeys: their scenes, how often each scene occurs, and their floors. */
import type { Recording } from '../rehearsal/recorder/recording.ts';
import { bill, type Entry } from './bill.ts';
import { type Dollars, total } from './cost-of.ts';
import { PRICES } from './prices.ts';

/** `aim` is the goal and `most` the current upper bound, both as multiples of the floor. */
type Held = { floor: number; most: number; aim: number };
/** `later`: its share of batch work. */
export type Journey = { name: string; parts: [times: number, scene: string][]; later?: Partial<Dollars>; held?: Held };

/** A day later each upload is checked once: one of 1,000 in a listing, and its row. The time for it costs less than a cent. */
const SWEPT = {
  s3: PRICES['S3: a PUT, COPY, POST or LIST'] / 1_000,
  dynamodb: PRICES['DynamoDB, on demand: a read unit'],
};

export const JOURNEYS: Journey[] = [
  {
    name: 'A: a task created, run, delivered, polled three times',
    held: { floor: 9.3, most: 2.3, aim: 2 },
    parts: [
      [1, 'POST /tasks, short prompt, no files'],
      [1, 'a task on the worker, delivered, short prompt, no files'],
      [2, 'GET /tasks/:taskId, open'],
      [1, 'GET /tasks/:taskId, ended'],
    ],
  },
  {
    name: 'B: an agent task with ten pushed updates and a webhook',
    // What a model has worked out is kept with each stage in which it answered: 1.81 without a model.
    held: { floor: 25.8, most: 2.5, aim: 1.6 },
    parts: [
      [1, 'agents: POST /tasks, webhook'],
      [1, 'agents: a task on the worker, delivered, ten updates pushed'],
    ],
  },
  {
    name: 'C: a signed upload, complete, its download address',
    held: { floor: 10.1, most: 1.4, aim: 1.3 },
    later: SWEPT,
    parts: [
      [1, 'POST /files, for an upload'],
      [1, 'PUT to the signed address'],
      [1, 'POST /files/:fileId/complete'],
      [1, 'GET /files/:fileId'],
    ],
  },
  {
    name: 'a task with a file: submitted, run, delivered, polled three times',
    parts: [
      [1, 'POST /tasks, with a file'],
      [1, 'a task on the worker, delivered, with a file'],
      [2, 'GET /tasks/:taskId, open'],
      [1, 'GET /tasks/:taskId, ended'],
    ],
  },
];

export function entryOf(entries: Entry[], name: string): Entry {
  const found = entries.find((entry) => entry.name === name);
  if (!found) throw new Error(`The recording has no scene ${name}.`);
  return found;
}

const NOTHING: Dollars = { dynamodb: 0, sqs: 0, s3: 0, lambda: 0, door: 0, sockets: 0, logs: 0 };

export function dollarsOf({ parts, later }: Journey, entries: Entry[]): Dollars {
  const sum = { ...NOTHING, ...later };
  for (const [times, scene] of parts) {
    const { dollars } = entryOf(entries, scene);
    for (const each of Object.keys(sum) as (keyof Dollars)[]) sum[each] += dollars[each] * times;
  }
  return sum;
}

/** As a multiple of the floor. */
export const ratioOf = (journey: Journey, recording: Recording): number =>
  total(dollarsOf(journey, bill(recording))) / (journey.held?.floor ?? Number.NaN);
