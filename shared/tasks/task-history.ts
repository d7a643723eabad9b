/** A task's life as the operator reads it: every attempt, how far it came, and how it ended. */
import type { Table } from '../ports.ts';
import { resultOfAttempt } from './result.ts';
import type { Interruption, Task } from './task.ts';
import type { TaskAddress } from './task-rows.ts';

export type TaskAttempt = {
  attempt: number;
  from: number;
  to?: number;
  how: Interruption | 'running' | Task['state'];
  message?: string;
};

/** The oldest first. Of the attempts that did not end the task the newest few are known. */
export async function taskHistory(table: Table, address: TaskAddress, task: Task): Promise<TaskAttempt[]> {
  const past = (task.past ?? []).map(
    ([attempt, fromMs, toMs, how]): TaskAttempt => ({
      attempt,
      from: task.createdAt + fromMs,
      to: task.createdAt + toMs,
      how,
    }),
  );
  const attempts = [...past, ...latest(task)];
  return Promise.all(attempts.map(async (each) => ({ ...each, ...(await messageOf(table, address, each.attempt)) })));
}

/** The attempt that runs, or that the task ended with. */
function latest(task: Task): TaskAttempt[] {
  const { state, claimedAt, endedAt, past = [] } = task;
  const attempt = isFenced(task) ? task.attempt - 1 : task.attempt;
  if (claimedAt === undefined || state === 'queued' || past.some(([number]) => number === attempt)) return [];
  return [{ attempt, from: claimedAt, how: state, ...(endedAt === undefined ? {} : { to: endedAt }) }];
}

/**
 * A forced cancel raised the number once more, and nothing ran under it: behind the attempt before there is a gap. A task
 * that recurs keeps none of those once it is cancelled; there it was forced unless a wish came first.
 */
function isFenced({ state, attempt, cancelAt, recurs, past = [] }: Task): boolean {
  if (state !== 'cancelled') return false;
  const [before = 0] = past.at(-1) ?? [];
  return recurs ? cancelAt === undefined : attempt > before + 1;
}

async function messageOf(table: Table, address: TaskAddress, attempt: number): Promise<{ message?: string }> {
  const result = await resultOfAttempt(table, address, attempt);
  return result?.failure ? { message: result.failure.message } : {};
}
