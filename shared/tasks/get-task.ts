/** A task as a poll shows it: two reads, and a third after it has ended. */

import type { Table } from '../ports.ts';
import type { Usage } from '../usage/tokens.ts';
import { usageOf } from './attempt-usage.ts';
import { usageAtCheckpoint } from './checkpoints.ts';
import { checkedTask, readWithDetails, type TaskDetails } from './details.ts';
import { type Result, resultOf } from './results.ts';
import type { TaskAddress } from './rows.ts';
import { isOpen, type Task, type TaskApi } from './task.ts';

/** `usage` covers all attempts; if absent, the usage in the result is shown. */
export type TaskView = {
  taskId: string;
  task: Task;
  about: TaskDetails;
  result: Result | undefined;
  usage?: Usage | undefined;
};

export async function getTask({ table }: { table: Table }, address: TaskAddress, api: TaskApi): Promise<TaskView> {
  const { row, about } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, api);
  const result = await resultOf(table, address, task);
  const usage = await readUsage(table, address, task, result);
  return { taskId: address.taskId, task, about: about ?? {}, result, usage };
}

/** Without a result, the last checkpoint may know more than the rows of the attempts: its worker was killed before it wrote. */
export async function readUsage(table: Table, address: TaskAddress, task: Task, result: Result | undefined) {
  const isInCheckpoint = task.resultOf === undefined && (!isOpen(task) || task.past !== undefined);
  const stored = isInCheckpoint ? await usageAtCheckpoint(table, address, task) : result?.usage;
  return usageOf(table, address, task, stored);
}
