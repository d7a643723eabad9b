/** A task with what surrounds it: one read. */
import { isUuid } from '../core/uuid.ts';
import type { Row, Table } from '../ports.ts';
import { detailsKey, type TaskDetails } from './about.ts';
import type { Task } from './task.ts';
import { type TaskAddress, taskKey } from './task-rows.ts';

export type TaskWithDetails = { row: Row<Task> | undefined; about: TaskDetails | undefined };

/** Of an id that is none of ours there is nothing. */
export async function readWithDetails(table: Table, address: TaskAddress): Promise<TaskWithDetails> {
  if (!isUuid(address.taskId)) return { row: undefined, about: undefined };
  const [row, about] = await table.getMany<Task | TaskDetails>([taskKey(address), detailsKey(address)]);
  return { row: row as Row<Task> | undefined, about: (about as Row<TaskDetails> | undefined)?.value };
}
