/** Estimates when a task will have ended. */

import { isOpen, type Task } from '../tasks/task.ts';

/** The estimated remaining time of an unfinished task, from the usual duration of its type and from its progress. */
export function remainingMs(task: Task, typicalMs: number, now: number): number {
  if (!isOpen(task)) return 0;
  const remaining = beginOf(task) + typicalMs - now;
  // It takes longer than usual, so only its own pace is a basis.
  return remaining > 0 ? remaining : byPace(task, typicalMs, now);
}

/** A postponed task begins at its planned time, and a recurring one with each run. */
export const beginOf = ({ createdAt, queuedAt, startedAt = queuedAt, recurs }: Task): number =>
  recurs ? startedAt : Math.max(createdAt, queuedAt);

function byPace({ startedAt, progress }: Task, typicalMs: number, now: number): number {
  if (startedAt === undefined || progress === 0) return typicalMs;
  return ((now - startedAt) * (100 - progress)) / progress;
}
