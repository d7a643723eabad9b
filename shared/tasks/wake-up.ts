/** When the reconciler has to look at a task again. */
import { hookWakesBy } from './decide-hook.ts';
import { isOpen, TASK_LIMITS, type Task } from './task.ts';

/** The latest moment somebody must look; undefined = never again. */
export function mustWakeBy(task: Task): number | undefined {
  if (!isOpen(task)) return task.hook && hookWakesBy(task.hook);
  const cancelBy = task.cancelAt === undefined ? Number.POSITIVE_INFINITY : task.cancelAt + TASK_LIMITS.cancelGraceMs;
  const next = task.state === 'running' ? (task.leaseUntil ?? 0) : task.hintAt;
  return Math.min(next, task.deadlineAt, cancelBy);
}

/**
 * What is stored may be earlier than what must be: an early look is harmless, and a `dueAt` that stays costs no write of
 * the index. One that has passed moves, or the look would be repeated every minute.
 */
export function dueAtFor(task: Task, heldDueAt: number | undefined, now: number): number | undefined {
  const wakeBy = mustWakeBy(task);
  if (wakeBy === undefined) return undefined;
  return heldDueAt !== undefined && heldDueAt > now && heldDueAt <= wakeBy ? heldDueAt : wakeBy;
}
