/**
 * Tasks that came in a moment ago, for a worker of the same process: what a submit had in its hands need not be read
 * again. It may be old, and is believed only as far as a write over the version that it names succeeds.
 */
import type { TaskAddress } from './task-rows.ts';
import type { TaskWithDetails } from './with-about.ts';

export type FreshTasks = {
  keep(address: TaskAddress, task: TaskWithDetails): void;
  /** Once. */
  take(address: TaskAddress): TaskWithDetails | undefined;
};

const MOST_KEPT = 1_000;

export function freshTasks(): FreshTasks {
  const kept = new Map<string, TaskWithDetails>();
  const nameOf = ({ organization, taskId }: TaskAddress): string => `${organization} ${taskId}`;
  return {
    keep(address, task) {
      if (kept.size < MOST_KEPT) kept.set(nameOf(address), task);
    },
    take(address) {
      const task = address.run === undefined ? kept.get(nameOf(address)) : undefined;
      if (task) kept.delete(nameOf(address));
      return task;
    },
  };
}
