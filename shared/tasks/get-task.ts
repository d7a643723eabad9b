/** A task with all that a poll of A shows: two reads, one more row when it has ended. */
import { isUuid } from '../core/uuid.ts';
import type { Row, Table } from '../ports.ts';
import { type About, aboutKey } from './about.ts';
import { checkedTask } from './find-task.ts';
import { type Result, resultOf } from './result.ts';
import type { Task, TaskFace } from './task.ts';
import { type TaskAddress, taskKey } from './task-rows.ts';

export type TaskView = { taskId: string; task: Task; about: About; result: Result | undefined };

export async function getTask({ table }: { table: Table }, address: TaskAddress, face: TaskFace): Promise<TaskView> {
  const keys = isUuid(address.taskId) ? [taskKey(address), aboutKey(address)] : [];
  const [found, about] = keys.length > 0 ? await table.getMany<Task | About>(keys) : [];
  const { value: task } = checkedTask(found as Row<Task> | undefined, face);
  const result = await resultOf(table, address, task);
  return { taskId: address.taskId, task, about: (about?.value ?? {}) as About, result };
}
