/** How long an unfinished task will take yet, from how long its like usually takes and from how far it has come. */
import { isOpen, type Task } from '../tasks/task.ts';

export function remainingMs(task: Task, usualMs: number, now: number): number {
  if (!isOpen(task)) return 0;
  const left = beginOf(task) + usualMs - now;
  // It takes longer than usual: then its own pace is what is known.
  return left > 0 ? left : byPace(task, usualMs, now);
}

/** What was put off to a time of its own begins there, as each run does of a task that recurs. */
export const beginOf = ({ createdAt, queuedAt, startedAt = queuedAt, recurs }: Task): number =>
  recurs ? startedAt : Math.max(createdAt, queuedAt);

function byPace({ startedAt, progress }: Task, usualMs: number, now: number): number {
  if (startedAt === undefined || progress === 0) return usualMs;
  return ((now - startedAt) * (100 - progress)) / progress;
}
