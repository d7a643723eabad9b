/** The history of a task for the operator: every attempt, and how it ended. */

import { definedFields } from '../core/optional-fields.ts';
import type { Table } from '../ports.ts';
import { resultOfAttempt } from './results.ts';
import type { TaskAddress } from './rows.ts';
import type { Interruption, Task } from './task.ts';

type TaskAttempt = {
  attempt: number;
  from: number;
  to?: number;
  how: Interruption | 'running' | Task['state'];
  message?: string;
};

/** Oldest first. Of the attempts that did not end the task, only the newest few are stored. */
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
  return Promise.all(
    attempts.map(async (attempt) => ({ ...attempt, ...(await messageOf(table, address, attempt.attempt)) })),
  );
}

/** The attempt that is running or that ended the task. */
function latest(task: Task): TaskAttempt[] {
  const { state, claimedAt, endedAt, past = [] } = task;
  const attempt = isFenced(task) ? task.attempt - 1 : task.attempt;
  if (claimedAt === undefined || state === 'queued' || past.some(([number]) => number === attempt)) return [];
  return [{ attempt, from: claimedAt, how: state, ...definedFields({ to: endedAt }) }];
}

/**
 * A forced cancel raises the attempt number once more without a run, which leaves a gap after the last attempt. A cancelled
 * recurring task stores no past attempts; its cancel was forced unless a cooperative one was requested first.
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
