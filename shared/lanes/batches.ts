/** Runs the tasks in a batch of hints while their organizations have seats, and postpones the others. */

import { TASKS_PER_INSTANCE } from '../core/lane.ts';
import type { WorkerProcess } from '../core/worker-process.ts';
import { fileIdOfHint } from '../files/reading-hint.ts';
import type { Queue } from '../ports.ts';
import { addressOfHint, aloneHintOf, laneHintIn, postponedHintOf } from '../tasks/hints.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { type RunOutcome, runTask } from '../tasks/run-task.ts';
import type { WorkerPorts } from '../tasks/worker-ports.ts';
import type { LaneSeats, Seat } from './worker-seats.ts';

/** Runs the task that a hint names in the product's only process, on one machine. */
export async function runHint(ports: LanePorts, body: string, stopSignal: AbortSignal): Promise<void> {
  const address = addressOfHint(body);
  if (!address) return ports.log.error('a queue message is not a valid hint', { body });
  await runNamedTask({ ...ports, process: 'only' }, address, stopSignal);
}

/** Long enough that a waiting backlog costs little, short enough that a free seat is used soon. */
const POSTPONED_SECONDS = 20;

type BatchPorts = LanePorts & { seats: LaneSeats; queue: Queue };

/** Returns the indexes of failed messages, which must be delivered again. */
export async function runBatch(
  ports: BatchPorts,
  bodies: readonly string[],
  stopSignal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const batchTasks = tasksIn(ports, bodies);
  const isAlone = batchTasks.filter(({ hasRoom }) => hasRoom).length === 1;
  const batchPorts: BatchPorts = { ...ports, process: isAlone ? 'own' : undefined };
  const groups = Map.groupBy(batchTasks, ({ organization }) => organization);
  const failed = await Promise.all([...groups.values()].map((tasks) => runGroup(batchPorts, tasks, stopSignal)));
  return new Set(failed.flat().map(({ position }) => position));
}

/** `storeReading` reads a file for the API: hints for readings are in the same lanes as hints for tasks. */
type LanePorts = WorkerPorts & {
  storeReading(file: ReadingAddress, signal: AbortSignal, process: WorkerProcess | undefined): Promise<RunOutcome>;
};
type ReadingAddress = { organization: string; fileId: string };

async function runNamedTask(ports: LanePorts, address: TaskAddress, stopSignal: AbortSignal): Promise<RunOutcome> {
  const { organization, taskId } = address;
  const fileId = fileIdOfHint(taskId);
  try {
    if (fileId === undefined) return await runTask(ports, address, stopSignal);
    return await ports.storeReading({ organization, fileId }, stopSignal, ports.process);
  } catch (error) {
    ports.log.error('a task could not be run', { ...address, error });
    throw error;
  }
}

type NamedTask = { organization: string; taskId: string; position: number; isReminder: boolean; hasRoom: boolean };

/**
 * A postponed hint names several tasks, so a batch may exceed the limit: new hints go first, postponed ones wait again. A
 * suspect gets the batch for itself, because it would otherwise wait for as long as there are other tasks.
 */
function tasksIn({ log }: BatchPorts, bodies: readonly string[]): NamedTask[] {
  const hints = bodies.flatMap((body, position) => {
    const hint = laneHintIn(body);
    if (!hint) log.error('a lane message is not a valid hint', { body });
    return hint ? [{ ...hint, position }] : [];
  });
  hints.sort((a, b) => a.taskIds.length - b.taskIds.length);
  const tasks = hints.flatMap(({ taskIds, ...hint }) => taskIds.map((taskId) => ({ ...hint, taskId })));
  const alone = tasks.find(({ isAlone }) => isAlone);
  return tasks.map((task, index) => ({ ...task, hasRoom: alone ? task === alone : index < TASKS_PER_INSTANCE }));
}

/** Runs the tasks of one organization. Returns those that failed. */
async function runGroup(ports: BatchPorts, tasks: NamedTask[], stopSignal: AbortSignal): Promise<NamedTask[]> {
  const fitting = tasks.filter(({ hasRoom }) => hasRoom);
  const [firstTask] = fitting;
  const seat = firstTask && (await seatFor(ports, firstTask.organization));
  const postponing = postpone(ports, seat ? tasks.filter(({ hasRoom }) => !hasRoom) : tasks);
  if (!seat) return postponing;
  try {
    const signal = AbortSignal.any([stopSignal, seat.lost]);
    const running = fitting.map(({ organization, taskId }) => runInBatch(ports, { organization, taskId }, signal));
    const outcomes = await Promise.allSettled(running);
    return [...(await postponing), ...fitting.filter((_, index) => outcomes[index]?.status === 'rejected')];
  } finally {
    await seat.release();
  }
}

async function runInBatch(ports: BatchPorts, address: TaskAddress, signal: AbortSignal): Promise<void> {
  if ((await runNamedTask(ports, address, signal)) !== 'crowded') return;
  await ports.queue.send([{ body: aloneHintOf(address), group: address.organization }]);
}

/** If the table is too busy to lease a seat, the tasks are postponed as well. */
const seatFor = ({ seats, log }: BatchPorts, organization: string): Promise<Seat | undefined> =>
  seats.take(organization).catch((error) => {
    log.warn('no worker seat could be reserved', { organization, error });
    return undefined;
  });

/**
 * Tasks are sent again before their messages are acknowledged, so none is lost. Reminders are dropped, because the
 * reconciler sends the next one. Returns the tasks that could not be sent.
 */
async function postpone({ queue, log }: BatchPorts, tasks: readonly NamedTask[]): Promise<NamedTask[]> {
  const waiting = tasks.filter(({ isReminder }) => !isReminder);
  const [firstTask] = waiting;
  if (!firstTask) return [];
  const { organization } = firstTask;
  const hints = Array.from({ length: Math.ceil(waiting.length / TASKS_PER_INSTANCE) }, (_, index) => {
    const part = waiting.slice(index * TASKS_PER_INSTANCE, (index + 1) * TASKS_PER_INSTANCE);
    const body = postponedHintOf(
      organization,
      part.map(({ taskId }) => taskId),
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
