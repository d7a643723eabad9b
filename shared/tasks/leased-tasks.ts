/** Tells the workers of one process of writes to their tasks. */

import type { TaskAddress } from './rows.ts';
import type { Task } from './task.ts';

/**
 * The tasks leased by workers of one process. A write to one of them in the same process, such as a forced cancel, reaches
 * its worker at once; a write in another process reaches it with the next heartbeat.
 */
export type LeasedTasks = {
  /** Returns a function that stops watching. */
  watch(address: TaskAddress, listener: (task: Task) => void): () => void;
  notify(address: TaskAddress, task: Task): void;
};

export function leasedTasks(): LeasedTasks {
  const listeners = new Map<string, Set<(task: Task) => void>>();
  const nameOf = ({ organization, taskId }: TaskAddress): string => `${organization} ${taskId}`;
  return {
    watch(address, listener) {
      const name = nameOf(address);
      const taskListeners = listeners.get(name) ?? new Set();
      listeners.set(name, taskListeners.add(listener));
      return () => {
        taskListeners.delete(listener);
        if (taskListeners.size === 0 && listeners.get(name) === taskListeners) listeners.delete(name);
      };
    },
    notify(address, task) {
      // Ended runs of a recurring task are rows of their own, which no worker leases.
      if (address.run !== undefined) return;
      for (const listener of listeners.get(nameOf(address)) ?? []) listener(task);
    },
  };
}
