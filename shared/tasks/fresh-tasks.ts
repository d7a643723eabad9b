/** A cache between the submits and the workers of one process. */

import type { TaskWithDetails } from './details.ts';
import type { TaskAddress } from './rows.ts';

/**
 * Tasks that were just submitted, so that a worker of the same process need not read them again. An entry may be stale; a
 * worker relies on it only if a write with its version succeeds.
 */
export type FreshTasks = {
  keep(address: TaskAddress, task: TaskWithDetails): void;
  /** Returns the entry only once. */
  take(address: TaskAddress): TaskWithDetails | undefined;
};

const MAX_ENTRIES = 1_000;

export function freshTasks(): FreshTasks {
  const tasks = new Map<string, TaskWithDetails>();
  const nameOf = ({ organization, taskId }: TaskAddress): string => `${organization} ${taskId}`;
  return {
    keep(address, task) {
      if (tasks.size < MAX_ENTRIES) tasks.set(nameOf(address), task);
    },
    take(address) {
      const task = address.run === undefined ? tasks.get(nameOf(address)) : undefined;
      if (task) tasks.delete(nameOf(address));
      return task;
    },
  };
}
