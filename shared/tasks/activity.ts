/** The activity of a task: what its agent did, in order. Stored in batches with the checkpoints and read in pages. */

import { type LongRowLocation, longDrafts, readLongs } from '../core/long-values.ts';
import type { Prerequisites, Table } from '../ports.ts';
import type { ActivityEvent, StageActivity } from './activity-recorder.ts';
import { checkedTask, readWithDetails } from './details.ts';
import { type TaskAddress, taskPartition } from './rows.ts';
import type { Task, TaskApi } from './task.ts';

export type NumberedEvent = ActivityEvent & { n: number };

/** The most events that a task stores; further ones are only counted. */
export const MAX_EVENTS = 500;

/** The row of an earlier batch and the number of its first event. */
type EarlierBatch = { name: string; first: number };
/** Lists all earlier batches, so that a reader needs no other row to find them. */
type ActivityBatch = { first: number; events: ActivityEvent[]; earlier: EarlierBatch[]; leftOut: number };

const PREFIX = 'EVENTS#';
const batchName = (reached: number | 'END', attempt: number): string => `${PREFIX}${reached}#${attempt}`;

/**
 * Reads only batches that the task's item refers to: those of a lost attempt are never shown. A checkpoint without new
 * events has no batch, except from releases that do not know `eventsIn`.
 */
async function newestBatch(table: Table, address: TaskAddress, task: Task) {
  const { resultOf, checkpoint, checkpointOf, eventsIn } = task;
  const newestFirst = [
    ...(resultOf === undefined ? [] : [batchName('END', resultOf)]),
    ...(checkpointOf === undefined ? [] : [batchName(checkpoint, checkpointOf)]),
    ...(eventsIn === undefined ? [] : [PREFIX + eventsIn]),
  ];
  const names = [...new Set(newestFirst)];
  const batches = await readLongs<ActivityBatch>(table, names.map(locationIn(address)));
  const at = batches.findIndex((batch) => batch !== undefined);
  const [name, batch] = [names[at], batches[at]];
  return name === undefined || batch === undefined ? undefined : { name, batch };
}

const locationIn =
  (address: TaskAddress) =>
  (name: string): LongRowLocation => ({ pk: taskPartition(address), name });

/** The activity of one attempt, added to what the task had stored before. */
type ActivityLog = {
  /** Removes and collects the activity in a stage's result. */
  take(answer: unknown): unknown;
  /** The number of events so far. */
  count(): number;
  /**
   * The rows with all events up to `upTo` that are not stored yet, if there are any, and `eventsIn` of the task's item then.
   * Call `markStored` once the task's item refers to it.
   */
  batch(
    reached: number | 'END',
    o: { upTo: number; expiresAt: number },
  ): { drafts: Prerequisites; eventsIn: string | undefined; markStored(): void };
};

/** Sends events to the watchers of the task. Neither waits nor throws. */
export type NotifyActivity = (address: TaskAddress, events: NumberedEvent[]) => void;

type LogOptions = { address: TaskAddress; task: Task; notify?: NotifyActivity | undefined };

/** The first attempt reads nothing. */
export async function openActivity(table: Table, { address, task, notify }: LogOptions): Promise<ActivityLog> {
  const last = task.checkpointOf === undefined ? undefined : await newestBatch(table, address, task);
  let earlier = last ? withBatch(last.batch.earlier, last.name, last.batch) : [];
  let leftOut = last?.batch.leftOut ?? 0;
  let newest = last?.name;
  let keptLeftOut = leftOut;
  const before = last ? last.batch.first + last.batch.events.length - 1 : 0;
  let keptCount = before;
  const events: ActivityEvent[] = [];
  const count = () => before + events.length;
  let shownBudget: string | undefined;

  /** A budget of which nothing was used since it was last shown says nothing new. */
  function isNews(event: ActivityEvent): boolean {
    if (event.kind !== 'budget') return true;
    const { at: _, ...budget } = event;
    const isShown = JSON.stringify(budget) === shownBudget;
    shownBudget = JSON.stringify(budget);
    return !isShown;
  }

  return {
    take(answer) {
      if (typeof answer !== 'object' || answer === null || !('activity' in answer)) return answer;
      const { activity, ...result } = answer as { activity: StageActivity };
      const news = activity.events.filter(isNews);
      const fitting = news.slice(0, MAX_EVENTS - count());
      events.push(...fitting);
      leftOut += activity.leftOut + news.length - fitting.length;
      return result;
    },
    count,
    batch(reached, { upTo, expiresAt }) {
      const firstNumber = keptCount + 1;
      const newEvents = events.slice(keptCount - before, upTo - before);
      const batch: ActivityBatch = { first: firstNumber, events: newEvents, earlier, leftOut };
      // Releases that do not know `eventsIn` find all events of an ended task by its last batch.
      const isStored = reached === 'END' ? upTo > 0 : newEvents.length > 0 || leftOut > keptLeftOut;
      const name = isStored ? batchName(reached, task.attempt) : newest;
      return {
        drafts: isStored && name ? longDrafts({ ...locationIn(address)(name), value: batch, expiresAt }) : [],
        eventsIn: name?.slice(PREFIX.length),
        markStored() {
          [newest, keptLeftOut] = [name, batch.leftOut];
          const fresh = numbered(batch).filter(({ n }) => n > keptCount);
          if (fresh.length === 0 || name === undefined) return;
          [keptCount, earlier] = [upTo, withBatch(batch.earlier, name, batch)];
          notify?.(address, fresh);
        },
      };
    },
  };
}

/** `leftOut`: events beyond the limit of a task. */
type ActivityPage = { task: Task; events: NumberedEvent[]; hasMore: boolean; leftOut: number };

type PageRequest = { api: TaskApi; after: number; limit: number };

/** The events after a number: reads the newest batch, and of the earlier ones only those that the page needs. */
export async function readActivity(
  { table }: { table: Table },
  address: TaskAddress,
  { api, after, limit }: PageRequest,
): Promise<ActivityPage> {
  const { row } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, api);
  const newest = await newestBatch(table, address, task);
  if (!newest) return { task, events: [], hasMore: false, leftOut: 0 };
  const { batch } = newest;
  const needed = batch.earlier.filter(({ first }, at) => {
    const next = batch.earlier[at + 1]?.first ?? batch.first;
    return next > after + 1 && first <= after + limit + 1;
  });
  const before = await readLongs<ActivityBatch>(
    table,
    needed.map(({ name }) => locationIn(address)(name)),
  );
  const events = [...before, batch].flatMap((stored) => (stored ? numbered(stored) : [])).filter(({ n }) => n > after);
  return { task, events: events.slice(0, limit), hasMore: events.length > limit, leftOut: batch.leftOut };
}

const withBatch = (earlier: EarlierBatch[], name: string, { first, events }: ActivityBatch): EarlierBatch[] =>
  events.length === 0 ? earlier : [...earlier, { name, first }];

const numbered = ({ first, events }: Pick<ActivityBatch, 'first' | 'events'>): NumberedEvent[] =>
  events.map((event, at) => ({ n: first + at, ...event }));
