/** The failure of a task as callers see it. */

import type { Result } from './results.ts';
import { type FailureCode, isSuspect, type Task } from './task.ts';

/** For tasks that ended without a message from a worker. */
const MESSAGES: Record<FailureCode, string> = {
  PROCESSING_FAILED: 'The task could not be processed.',
  FILE_UNAVAILABLE: 'A file of the task is no longer available.',
  TASK_TIMEOUT: 'The task exceeded its timeout; make it smaller or split it.',
  TASK_CANCELLED: 'The task was cancelled.',
  MODEL_UNAVAILABLE: 'The model did not respond. Submit the task again later.',
  BUDGET_EXCEEDED: 'The budget of the task or of the organization is used up.',
};

const ENDED_ITS_PROCESS =
  'Each process that worked on the task ended before the task did. The task may be submitted again.';

const waitMessage = ({ code, waitsFor }: Task): string | undefined =>
  code === 'TASK_TIMEOUT' && waitsFor !== undefined
    ? `The task waited for its model until its timeout (${waitsFor}); submit it again later, or name another model.`
    : undefined;

export function failureOf(task: Task, result: Result | undefined): { code: FailureCode; message: string } {
  const code = task.code ?? 'PROCESSING_FAILED';
  // A result may not match the task's end: a worker may fail while the task is being cancelled.
  const message = result?.failure?.code === code ? result.failure.message : undefined;
  // Whatever else fails a task with this code stores a result.
  const isAtFault = code === 'PROCESSING_FAILED' && isSuspect(task) && task.resultOf === undefined;
  const endMessage = isAtFault ? ENDED_ITS_PROCESS : waitMessage(task);
  return { code, message: message ?? endMessage ?? MESSAGES[code] };
}
