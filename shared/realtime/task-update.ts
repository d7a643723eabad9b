/** The updates of a task, in order: its start, its progress, its end. */

import type { TaskDetails } from '../tasks/details.ts';
import { failureOf } from '../tasks/failure-message.ts';
import type { Result } from '../tasks/results.ts';
import { isOpen, type Task } from '../tasks/task.ts';
import { lastMovedAt } from '../tasks/visible-state.ts';
import { waitingFor } from '../tasks/waiting-for.ts';

export type TaskMoment = 'started' | 'progress' | 'completed' | 'failed';

export type TaskUpdate = {
  moment: TaskMoment;
  taskId: string;
  seq: number;
  at: number;
  /** Percent. */
  progress: number;
  /** Tokens of model calls so far; absent before the first call. */
  tokens?: number | undefined;
  /** While its model is busy or away. */
  waitingFor?: string | undefined;
  metadata: Record<string, string>;
  error?: { code: string; message: string };
};

/** The data for an update's text: the task, its details, and its result if it failed. */
export type UpdatedTask = { taskId: string; task: Task; about: TaskDetails; result?: Result | undefined };

/** A run's first step is its first claim. Its last step sends two updates: the last progress and the end. */
const seqBefore = ({ recurs, run }: Task): number => (recurs ?? run)?.seq ?? 0;
const startedSeq = (task: Task): number => seqBefore(task) * 2 + 1;
/** The end of a failed task makes no progress, so its last progress belongs to the step before and has its number. */
const progressSeq = (task: Task): number => (isOpen(task) || task.state === 'succeeded' ? task.seq : task.seq - 1) * 2;
const endSeq = ({ seq }: Task): number => seq * 2 + 1;

const endOf = ({ state }: Task): TaskMoment => (state === 'succeeded' ? 'completed' : 'failed');

/** The updates of one step. The end always sends the last progress first; a task that never started has none. */
export const momentsOf = (moment: TaskMoment, { startedAt }: Task): TaskMoment[] =>
  moment === 'started' || moment === 'progress' || startedAt === undefined ? [moment] : ['progress', moment];

/** All updates of a task so far, for a client that has missed them. */
export function momentsUpToNow(task: Task): TaskMoment[] {
  if (task.startedAt === undefined) return isOpen(task) ? [] : [endOf(task)];
  if (!isOpen(task)) return ['started', 'progress', endOf(task)];
  return task.seq > seqBefore(task) + 1 ? ['started', 'progress'] : ['started'];
}

export function taskUpdate(moment: TaskMoment, updated: UpdatedTask, now: number): TaskUpdate {
  const { taskId, task, about, result } = updated;
  const { progress, tokens } = task;
  const common = { moment, taskId, progress, tokens, waitingFor: waitingFor(task), metadata: about.metadata ?? {} };
  if (moment === 'started') return { ...common, seq: startedSeq(task), at: task.startedAt ?? now };
  if (moment === 'progress') return { ...common, seq: progressSeq(task), at: lastMovedAt(task, now) };
  const end = { ...common, seq: endSeq(task), at: task.endedAt ?? now };
  return moment === 'failed' ? { ...end, error: failureOf(task, result) } : end;
}
