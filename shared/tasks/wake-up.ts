/** When the reconciler has to look at a task again. */
import { deliveryWakesBy } from './decide-hook.ts';
import { isOpen, TASK_LIMITS, type Task } from './task.ts';

/** The latest moment somebody must look; undefined = never again. */
export function mustWakeBy(task: Task): number | undefined {
  if (!isOpen(task)) return isUnsettled(task) ? task.endedAt : task.hook && deliveryWakesBy(task.hook);
  const cancelBy = task.cancelAt === undefined ? Number.POSITIVE_INFINITY : task.cancelAt + TASK_LIMITS.cancelGraceMs;
  const next = task.state === 'running' ? (task.leaseUntil ?? 0) : task.hintAt;
  return Math.min(next, task.deadlineAt, cancelBy);
}

/** A run that ended is to be set apart, and a task that was cancelled to be taken off its schedule. */
const isUnsettled = ({ recurs }: Task): boolean => recurs !== undefined && !recurs.isOff;

/** Longer than any beat leaves between what is stored and what must be. */
const MOST_EARLY_MS = TASK_LIMITS.leaseMs;

/**
 * What is stored may be a little earlier than what must be: an early look is harmless, and a `dueAt` that stays costs no
 * write of the index. One that has passed, or lies far ahead of its reason, moves: a look that finds nothing to do writes
 * nothing, and would be repeated every minute until then.
 */
export function dueAtFor(task: Task, heldDueAt: number | undefined, now: number): number | undefined {
  const wakeBy = mustWakeBy(task);
  if (wakeBy === undefined || heldDueAt === undefined || heldDueAt <= now) return wakeBy;
  return heldDueAt <= wakeBy && wakeBy - heldDueAt <= MOST_EARLY_MS ? heldDueAt : wakeBy;
}
