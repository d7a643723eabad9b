/** The tasks that workers of this process have leased, so that writes of the same process reach them at once. */
import type { TaskAddress } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';

/**
 * The tasks that workers of this process hold. What another part of the same process writes to one of them, such as a
 * forced cancel, reaches its worker at once; from elsewhere the worker learns of it by its next heartbeat.
 */
type Listener = (task: Task) => void;

export type LeasedTasks = {
  /** Answers how to end it. */
  watch(address: TaskAddress, listener: Listener): () => void;
  notify(address: TaskAddress, task: Task): void;
};

export function leasedTasks(): LeasedTasks {
  const listeners = new Map<string, Set<Listener>>();
  const nameOf = ({ organization, taskId }: TaskAddress): string => `${organization} ${taskId}`;
  return {
    watch(address, listener) {
      const name = nameOf(address);
      const own = listeners.get(name) ?? new Set();
      listeners.set(name, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(name) === own) listeners.delete(name);
      };
    },
    notify(address, task) {
      // The runs of a recurring task that ended are rows of their own, which no worker holds.
      if (address.run !== undefined) return;
      for (const listener of listeners.get(nameOf(address)) ?? []) listener(task);
    },
  };
}
