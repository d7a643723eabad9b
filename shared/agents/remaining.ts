/** How long an unfinished task will take yet, from how long its like usually takes and from how far it has come. */
import { isOpen, type Task } from '../tasks/task.ts';

export function remainingMs(task: Task, usualMs: number, now: number): number {
  if (!isOpen(task)) return 0;
  const left = task.createdAt + usualMs - now;
  // It takes longer than usual: then its own pace is what is known.
  return left > 0 ? left : byPace(task, usualMs, now);
}

function byPace({ startedAt, progress }: Task, usualMs: number, now: number): number {
  if (startedAt === undefined || progress === 0) return usualMs;
  return ((now - startedAt) * (100 - progress)) / progress;
}
