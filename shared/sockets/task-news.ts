/** What is told of a task, and in which order: its start, how far it is, its end. */
import type { TaskDetails } from '../tasks/about.ts';
import { lastMovedAt } from '../tasks/last-moved-at.ts';
import { failureOf, type Result } from '../tasks/result.ts';
import { isOpen, type Task } from '../tasks/task.ts';

export type TaskMoment = 'started' | 'progress' | 'completed' | 'failed';

export type TaskUpdate = {
  moment: TaskMoment;
  taskId: string;
  seq: number;
  at: number;
  /** Percent. */
  progress: number;
  metadata: Record<string, string>;
  error?: { code: string; message: string };
};

/** What the words are made of: the task with what surrounds it, and its result if it has ended badly. */
export type UpdatedTask = { taskId: string; task: Task; about: TaskDetails; result?: Result | undefined };

/** A run's first step is its first claim. Two things are told by its last step: how far it came, and how it ended. */
const seqBefore = ({ recurs, run }: Task): number => (recurs ?? run)?.seq ?? 0;
const startedSeq = (task: Task): number => seqBefore(task) * 2 + 1;
/** A task that ended badly came no further by its end: its progress is that of the step before, and has its number. */
const progressSeq = (task: Task): number => (isOpen(task) || task.state === 'succeeded' ? task.seq : task.seq - 1) * 2;
const endSeq = ({ seq }: Task): number => seq * 2 + 1;

const endOf = ({ state }: Task): TaskMoment => (state === 'succeeded' ? 'completed' : 'failed');

/** What a step of the task is told by. The end always tells first how far it came; what never began tells no progress. */
export const momentsOf = (moment: TaskMoment, { startedAt }: Task): TaskMoment[] =>
  moment === 'started' || moment === 'progress' || startedAt === undefined ? [moment] : ['progress', moment];

/** All that a task has come to: what whoever heard nothing has missed. */
export function momentsUpToNow(task: Task): TaskMoment[] {
  if (task.startedAt === undefined) return isOpen(task) ? [] : [endOf(task)];
  if (!isOpen(task)) return ['started', 'progress', endOf(task)];
  return task.seq > seqBefore(task) + 1 ? ['started', 'progress'] : ['started'];
}

export function taskUpdate(moment: TaskMoment, told: UpdatedTask, now: number): TaskUpdate {
  const { taskId, task, about, result } = told;
  const common = { moment, taskId, progress: task.progress, metadata: about.metadata ?? {} };
  if (moment === 'started') return { ...common, seq: startedSeq(task), at: task.startedAt ?? now };
  if (moment === 'progress') return { ...common, seq: progressSeq(task), at: lastMovedAt(task, now) };
  const end = { ...common, seq: endSeq(task), at: task.endedAt ?? now };
  return moment === 'failed' ? { ...end, error: failureOf(task, result) } : end;
}
