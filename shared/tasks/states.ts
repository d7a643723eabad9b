/** The state of a task as callers and the index of tasks see it, and when it last changed. */
import type { Listed } from '../ports.ts';
import { isBetweenRuns, isOpen, isRunEnd, type ShownState, TASK_LIMITS, type Task } from './task.ts';

// The state of a task, as callers see it and as the index of tasks knows it. Of one that is open the index knows no more
// than that, so what moves a task on touches no index; its item has the state in between.

/** What was begun once stays begun, also while it waits for its next attempt. */
export function stateShown(task: Task): ShownState {
  const { state, startedAt, recurs, cancelAt } = task;
  if (isRunEnd(task) || (recurs && isBetweenRuns(task))) return 'recurring';
  if (state === 'queued') return startedAt === undefined ? state : 'running';
  return state === 'running' && cancelAt !== undefined ? 'cancelling' : state;
}

/** What callers are shown of open tasks that do not recur; the index holds only the first of them. */
export const OPEN: readonly ShownState[] = ['queued', 'running', 'cancelling'];
const IN_LIST: ShownState = 'queued';

export function stateInList(task: Task): ShownState {
  const shown = stateShown(task);
  return isOpen(task) && shown !== 'recurring' ? IN_LIST : shown;
}

export const isListedOpen = ({ state }: Pick<Listed, 'state'>): boolean => state === IN_LIST;

/** When a task last changed, from the times its item holds anyway; never before it was made, whatever the clock did. */
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
