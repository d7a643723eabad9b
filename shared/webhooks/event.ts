/**
 * The one event of a task. Its id follows from the task and its final state, and its body is rendered from rows that
 * never change once the task has ended: TASK (but for its hook), ABOUT and the RESULT of one attempt. So every attempt
 * sends the same under the same id, a fresh address of its archive aside, and no copy has to be kept.
 */
import type { ArchivePorts } from '../tasks/archive.ts';
import type { TaskView } from '../tasks/get-task.ts';
import type { Task, TaskApi } from '../tasks/task.ts';

/** Of a task that recurs each run has one, and its cancel. */
export const eventIdOf = (taskId: string, { state, run }: Pick<Task, 'state' | 'run'>): string =>
  `evt_${taskId}_${run ? `run${run.number}` : state}`;

/** What each API sends. Addresses that live for a while only are signed here, anew for each attempt. */
export type Bodies = Readonly<Record<TaskApi, (view: TaskView, ports: ArchivePorts) => object | Promise<object>>>;
