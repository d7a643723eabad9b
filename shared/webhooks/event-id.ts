/**
 * A task's single event. Its id derives from the task and its final state, and its body is rendered from rows that
 * never change after the end: TASK (except its hook), ABOUT and the RESULT of one attempt. So every attempt sends the
 * same body under the same id, except for a new URL of the archive, and no copy has to be stored.
 */

import type { Task } from '../tasks/task.ts';

/** A recurring task has one event for each run and one for its cancel. */
export const eventIdOf = (taskId: string, { state, run }: Pick<Task, 'state' | 'run'>): string =>
  `evt_${taskId}_${run ? `run${run.number}` : state}`;
