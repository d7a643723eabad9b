/** A task with all that a poll of A shows: two reads, one more when it has ended. */
import type { Table } from '../ports.ts';
import { usageOf } from '../usage/attempt-usage.ts';
import type { Usage } from '../usage/tokens.ts';
import type { TaskDetails } from './about.ts';
import { checkedTask } from './find-task.ts';
import { type Result, resultOf } from './result.ts';
import type { Task, TaskApi } from './task.ts';
import type { TaskAddress } from './task-rows.ts';
import { readWithDetails } from './with-about.ts';

/** `usage` is of all attempts; without it, what the result says is shown. */
export type TaskView = {
  taskId: string;
  task: Task;
  about: TaskDetails;
  result: Result | undefined;
  usage?: Usage | undefined;
};

export async function getTask({ table }: { table: Table }, address: TaskAddress, face: TaskApi): Promise<TaskView> {
  const { row, about } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, face);
  const result = await resultOf(table, address, task);
  const usage = await usageOf(table, address, task, result?.usage);
  return { taskId: address.taskId, task, about: about ?? {}, result, usage };
}
