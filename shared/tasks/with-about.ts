/** A task with what surrounds it: one read. */
import { isUuid } from '../core/uuid.ts';
import type { Row, Table } from '../ports.ts';
import { type About, aboutKey } from './about.ts';
import type { Task } from './task.ts';
import { type TaskAddress, taskKey } from './task-rows.ts';

export type WithAbout = { row: Row<Task> | undefined; about: About | undefined };

/** Of an id that is none of ours there is nothing. */
export async function withAbout(table: Table, address: TaskAddress): Promise<WithAbout> {
  if (!isUuid(address.taskId)) return { row: undefined, about: undefined };
  const [row, about] = await table.getMany<Task | About>([taskKey(address), aboutKey(address)]);
  return { row: row as Row<Task> | undefined, about: (about as Row<About> | undefined)?.value };
}
