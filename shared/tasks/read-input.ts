/** Reads what a task was submitted with: two reads, one more for a long input. */
import type { Table } from '../ports.ts';
import { type About, inputOf } from './about.ts';
import { checkedTask } from './find-task.ts';
import type { Task, TaskFace } from './task.ts';
import type { TaskAddress } from './task-rows.ts';
import { withAbout } from './with-about.ts';

export type Submitted<Input> = { task: Task; about: About; input: Input };

export async function readInput<Input>(
  { table }: { table: Table },
  address: TaskAddress,
  face: TaskFace,
): Promise<Submitted<Input>> {
  const { row, about } = await withAbout(table, address);
  const { value: task } = checkedTask(row, face);
  return { task, about: about ?? {}, input: await inputOf<Input>(table, address, about) };
}
