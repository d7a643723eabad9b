/** Writes the end of an attempt, and lets the worker send the webhook itself if a slot is free. */

import type { Prerequisites } from '../ports.ts';
import type { TaskEvent } from './decide.ts';
import type { TaskDetails } from './details.ts';
import type { TaskLease } from './lease.ts';
import type { Result } from './results.ts';
import type { TaskAddress } from './rows.ts';
import { isMoved } from './stored-steps.ts';
import type { Task } from './task.ts';
import type { WorkerPorts } from './worker-ports.ts';

export type ClaimedTask = { lease: TaskLease; about: TaskDetails | undefined };

/** The end of an attempt: its event, its result, and the rows to write before. */
export type AttemptEnd = {
  event: TaskEvent;
  result?: Result;
  prerequisites: Prerequisites;
  /** Called after the end was written. */
  markStored?: () => void;
  trace?: string | undefined;
};

/** Returns whether the end was written. Then sends the event if a slot was free. */
export async function writeEnd(
  ports: WorkerPorts,
  address: TaskAddress,
  o: ClaimedTask & { end: AttemptEnd },
): Promise<boolean> {
  const { lease, about } = o;
  const { event, result, prerequisites, markStored } = o.end;
  if (event.type !== 'finish') return isMoved(await lease.move(event, prerequisites));
  const slot = lease.task().recurs ? undefined : await ports.immediateDelivery?.tryAcquire(address, about);
  const outcome = await lease.move(slot ? { ...event, claimsDelivery: true } : event, prerequisites).catch((error) => {
    slot?.release();
    throw error;
  });
  if (!outcome || !isMoved(outcome)) {
    slot?.release();
    return false;
  }
  markStored?.();
  slot?.send(outcome.row, result);
  return true;
}

type EndedTask = { task: Task } & Pick<AttemptEnd, 'result' | 'trace'>;

export function logEnd({ log }: WorkerPorts, address: TaskAddress, { task, result, trace }: EndedTask) {
  const { state, type, code, createdAt, startedAt = createdAt, endedAt } = task;
  if (endedAt === undefined) return;
  const times = { taskMs: endedAt - createdAt, workMs: endedAt - startedAt };
  const [kind] = type.split('#');
  log.info('a task ended', { ...address, trace, face: task.face, type: kind, state, code, ...times, ...result?.usage });
}
