/** Reads what a task was submitted with: two reads, one more for a long input. */
import type { Table } from '../ports.ts';
import { inputOf, type TaskDetails } from './about.ts';
import { checkedTask } from './find-task.ts';
import type { Task, TaskApi } from './task.ts';
import type { TaskAddress } from './task-rows.ts';
import { readWithDetails } from './with-about.ts';

export type SubmittedInput<Input> = { task: Task; about: TaskDetails; input: Input };

export async function readInput<Input>(
  { table }: { table: Table },
  address: TaskAddress,
  face: TaskApi,
): Promise<SubmittedInput<Input>> {
  const { row, about } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, face);
  return { task, about: about ?? {}, input: await inputOf<Input>(table, address, about) };
}
