/** When a task last changed, from the times its item holds anyway; never before it was made, whatever the clock did. */
import { TASK_LIMITS, type Task } from './task.ts';

export const lastMovedAt = (task: Task, now: number): number => Math.max(task.createdAt, movedAt(task, now));

function movedAt(task: Task, now: number): number {
  const { createdAt, queuedAt, leaseUntil, cancelAt = 0, endedAt, past } = task;
  if (endedAt !== undefined) return endedAt;
  // A lease is as old as the beat, or the claim, that gave it.
  if (leaseUntil !== undefined) return Math.max(leaseUntil - TASK_LIMITS.leaseMs, cancelAt);
  const [, , endOfLast = 0] = past?.at(-1) ?? [];
  // While a failed attempt backs off it is queued for later.
  return queuedAt <= now ? queuedAt : createdAt + endOfLast;
}
