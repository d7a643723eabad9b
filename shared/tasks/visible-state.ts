/**
 * The state of a task, as callers and the index see it. The index knows only that a task is open, so changes between
 * open states write no index entry; the item has the exact state.
 */

import type { ListEntry } from '../ports.ts';
import { isBetweenRuns, isOpen, isRunEnd, TASK_LIMITS, type Task, type VisibleState } from './task.ts';

/** A task that has started counts as running, even while it waits for its next attempt. */
export function visibleState(task: Task): VisibleState {
  const { state, startedAt, recurs, cancelAt } = task;
  if (isRunEnd(task) || (recurs && isBetweenRuns(task))) return 'recurring';
  if (state === 'queued') return startedAt === undefined ? state : 'running';
  return state === 'running' && cancelAt !== undefined ? 'cancelling' : state;
}

/** The states of open tasks that callers see; the index contains only the first one. */
export const OPEN: readonly VisibleState[] = ['queued', 'running', 'cancelling'];
const IN_LIST: VisibleState = 'queued';

export function stateInList(task: Task): VisibleState {
  const state = visibleState(task);
  return isOpen(task) && state !== 'recurring' ? IN_LIST : state;
}

export const isListedOpen = ({ state }: Pick<ListEntry, 'state'>): boolean => state === IN_LIST;

/** When a task last changed, derived from its item; never before its creation, even if the clock was set back. */
export const lastMovedAt = (task: Task, now: number): number => Math.max(task.createdAt, movedAt(task, now));

function movedAt(task: Task, now: number): number {
  const { createdAt, queuedAt, leaseUntil, cancelAt = 0, endedAt, past } = task;
  if (endedAt !== undefined) return endedAt;
  // A lease starts at its last heartbeat or claim.
  if (leaseUntil !== undefined) return Math.max(leaseUntil - TASK_LIMITS.leaseMs, cancelAt);
  const [, , endOfLast = 0] = past?.at(-1) ?? [];
  // During the backoff after a failed attempt, `queuedAt` is in the future.
  return queuedAt <= now ? queuedAt : createdAt + endOfLast;
}
