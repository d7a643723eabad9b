/** Runs the tasks of a batch of hints as far as their organizations have seats, and postpones the others. */

import type { Queue } from '../ports.ts';
import { addressOfHint, laneHintIn, postponedHintOf } from '../tasks/hints.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { runTask, type WorkerPorts } from '../tasks/worker.ts';
import { fileIdOfHint, TASKS_PER_INSTANCE } from './lane.ts';
import type { LaneSeats, Seat } from './worker-seats.ts';

/** Runs the task a hint names: what both the function and the local worker do with a message of a lane. */
export async function runHint(ports: LanePorts, body: string, mustGo: AbortSignal): Promise<void> {
  const address = addressOfHint(body);
  if (!address) return ports.log.error('a queue message is not a valid hint', { body });
  await runNamedTask(ports, address, mustGo);
}

/** `storeReading` reads a file for the API: its hints stand in the lanes among those of tasks. */
export type LanePorts = WorkerPorts & { storeReading(file: ReadingAddress, signal: AbortSignal): Promise<void> };
type ReadingAddress = { organization: string; fileId: string };

export async function runNamedTask(ports: LanePorts, address: TaskAddress, mustGo: AbortSignal): Promise<void> {
  const fileId = fileIdOfHint(address.taskId);
  try {
    if (fileId === undefined) await runTask(ports, address, mustGo);
    else await ports.storeReading({ organization: address.organization, fileId }, mustGo);
  } catch (error) {
    ports.log.error('a task could not be run', { ...address, error });
    throw error;
  }
}

// Runs the tasks of a batch of hints while their organizations have seats, and postpones the others.

/** Long enough that a waiting backlog costs little, short enough that a free seat is soon used. */
const POSTPONED_SECONDS = 20;

export type BatchPorts = LanePorts & { seats: LaneSeats; queue: Queue };

/** Returns the positions of the messages that failed, and have to come again. */
export async function runBatch(
  ports: BatchPorts,
  bodies: readonly string[],
  mustGo: AbortSignal,
): Promise<ReadonlySet<number>> {
  const groups = Map.groupBy(tasksIn(ports, bodies), ({ organization }) => organization);
  const failed = await Promise.all([...groups.values()].map((tasks) => runGroup(ports, tasks, mustGo)));
  return new Set(failed.flat().map(({ position }) => position));
}

type NamedTask = { organization: string; taskId: string; position: number; isReminder: boolean; hasRoom: boolean };

/** A postponed hint names several tasks, so there may be too many: new ones have room, postponed ones wait again. */
function tasksIn({ log }: BatchPorts, bodies: readonly string[]): NamedTask[] {
  const hints = bodies.flatMap((body, position) => {
    const hint = laneHintIn(body);
    if (!hint) log.error('a lane message is not a valid hint', { body });
    return hint ? [{ ...hint, position }] : [];
  });
  hints.sort((one, other) => one.taskIds.length - other.taskIds.length);
  return hints
    .flatMap(({ taskIds, ...hint }) => taskIds.map((taskId) => ({ ...hint, taskId })))
    .map((task, index) => ({ ...task, hasRoom: index < TASKS_PER_INSTANCE }));
}

/** The tasks of one organization. Returns those that failed. */
async function runGroup(ports: BatchPorts, tasks: NamedTask[], mustGo: AbortSignal): Promise<NamedTask[]> {
  const fitting = tasks.filter(({ hasRoom }) => hasRoom);
  const [first] = fitting;
  const seat = first && (await seatFor(ports, first.organization));
  const postponing = postpone(ports, seat ? tasks.filter(({ hasRoom }) => !hasRoom) : tasks);
  if (!seat) return postponing;
  try {
    const signal = AbortSignal.any([mustGo, seat.lost]);
    const running = fitting.map(({ organization, taskId }) => runNamedTask(ports, { organization, taskId }, signal));
    const outcomes = await Promise.allSettled(running);
    return [...(await postponing), ...fitting.filter((_, index) => outcomes[index]?.status === 'rejected')];
  } finally {
    await seat.leave();
  }
}

/** When the table is too busy to lease a seat, the tasks are postponed as well. */
const seatFor = ({ seats, log }: BatchPorts, organization: string): Promise<Seat | undefined> =>
  seats.take(organization).catch((error) => {
    log.warn('no seat could be taken', { organization, error });
    return undefined;
  });

/**
 * Tasks are sent again before their messages are acknowledged, so none is lost. Reminders are dropped: the reconciler sends
 * the next one. Returns the tasks that could not be sent.
 */
async function postpone({ queue, log }: BatchPorts, tasks: readonly NamedTask[]): Promise<NamedTask[]> {
  const waiting = tasks.filter(({ isReminder }) => !isReminder);
  const [first] = waiting;
  if (!first) return [];
  const { organization } = first;
  const hints = Array.from({ length: Math.ceil(waiting.length / TASKS_PER_INSTANCE) }, (_, part) => {
    const some = waiting.slice(part * TASKS_PER_INSTANCE, (part + 1) * TASKS_PER_INSTANCE);
    const body = postponedHintOf(
      organization,
      some.map(({ taskId }) => taskId),
    );
    return { body, group: organization, delaySeconds: POSTPONED_SECONDS };
  });
  try {
    await queue.send(hints);
    return [];
  } catch (error) {
    log.warn('tasks could not be postponed', { organization, error });
    return waiting;
  }
}
