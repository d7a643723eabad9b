/** Runs the tasks that a batch of a lane's hints names, as far as their organizations have seats; the rest is postponed. */
import type { Queue } from '../ports.ts';
import { type LaneHint, laneHintIn, postponedHintOf } from './hints.ts';
import { TASKS_PER_INSTANCE } from './lane.ts';
import { runNamedTask } from './run-hint.ts';
import type { WorkerPorts } from './run-task.ts';
import type { LaneSeats, Seat } from './worker-seats.ts';

/** Long enough that a waiting backlog costs little, short enough that a free seat is soon used. */
const POSTPONED_SECONDS = 20;

export type BatchPorts = WorkerPorts & { seats: LaneSeats; queue: Queue };

/** Returns the positions of the messages that failed, and have to come again. */
export async function runBatch(
  ports: BatchPorts,
  bodies: readonly string[],
  mustGo: AbortSignal,
): Promise<ReadonlySet<number>> {
  const failed = new Set<number>();
  const groups = Map.groupBy(messagesIn(ports, bodies), ({ hint }) => hint.organization);
  await Promise.all(
    [...groups].map(async ([organization, messages]) => {
      for (const { at } of await runGroup(ports, { organization, messages, mustGo })) failed.add(at);
    }),
  );
  return failed;
}

type Message = { at: number; hint: LaneHint; isWithinRoom: boolean };

/** A postponed message names several tasks, so not all messages of a batch need have room. */
function messagesIn({ log }: BatchPorts, bodies: readonly string[]): Message[] {
  let room = TASKS_PER_INSTANCE;
  return bodies.flatMap((body, at) => {
    const hint = laneHintIn(body);
    if (!hint) {
      log.error('a message of a lane is no hint', { body });
      return [];
    }
    const isWithinRoom = hint.taskIds.length <= room;
    if (isWithinRoom) room -= hint.taskIds.length;
    return [{ at, hint, isWithinRoom }];
  });
}

type Group = { organization: string; messages: readonly Message[]; mustGo: AbortSignal };

async function runGroup(ports: BatchPorts, { organization, messages, mustGo }: Group): Promise<Message[]> {
  const fitting = messages.filter(({ isWithinRoom }) => isWithinRoom);
  const seat = fitting.length > 0 ? await seatFor(ports, organization) : undefined;
  const refused = seat ? messages.filter(({ isWithinRoom }) => !isWithinRoom) : messages;
  const postponing = postpone(ports, organization, refused);
  if (!seat) return postponing;
  try {
    const signal = AbortSignal.any([mustGo, seat.lost]);
    const outcomes = await Promise.allSettled(fitting.map(({ hint }) => runHinted(ports, hint, signal)));
    return [...(await postponing), ...fitting.filter((_, index) => outcomes[index]?.status === 'rejected')];
  } finally {
    await seat.leave();
  }
}

/** A table that is too busy to lease a seat postpones the tasks as well. */
const seatFor = ({ seats, log }: BatchPorts, organization: string): Promise<Seat | undefined> =>
  seats.take(organization).catch((error) => {
    log.warn('no seat could be taken', { organization, error });
    return undefined;
  });

async function runHinted(ports: BatchPorts, { organization, taskIds }: LaneHint, signal: AbortSignal): Promise<void> {
  const running = taskIds.map((taskId) => runNamedTask(ports, { organization, taskId }, signal));
  const outcomes = await Promise.allSettled(running);
  const fault = outcomes.find(({ status }) => status === 'rejected');
  if (fault) throw (fault as PromiseRejectedResult).reason;
}

/** Sent again before they are acknowledged, so none is lost. A reminder is dropped: the reconciler sends the next one. */
async function postpone({ queue, log }: BatchPorts, organization: string, messages: readonly Message[]) {
  const repeated = messages.filter(({ hint }) => !hint.isReminder);
  const taskIds = repeated.flatMap(({ hint }) => hint.taskIds);
  if (taskIds.length === 0) return [];
  const batches = Array.from({ length: Math.ceil(taskIds.length / TASKS_PER_INSTANCE) }, (_, part) =>
    taskIds.slice(part * TASKS_PER_INSTANCE, (part + 1) * TASKS_PER_INSTANCE),
  );
  const sent = batches.map((ids) => ({
    body: postponedHintOf(organization, ids),
    group: organization,
    delaySeconds: POSTPONED_SECONDS,
  }));
  try {
    await queue.send(sent);
    return [];
  } catch (error) {
    log.warn('tasks could not be postponed', { organization, error });
    return repeated;
  }
}
