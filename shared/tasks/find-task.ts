/** Reads a task of one face. Unknown, foreign, malformed and expired ids are never told apart. */
import { Problem } from '../core/problem.ts';
import { isUuid } from '../core/uuid.ts';
import type { Row, Table } from '../ports.ts';
import type { Task, TaskApi } from './task.ts';
import { type TaskAddress, taskKey } from './task-rows.ts';

export async function findTask({ table }: { table: Table }, address: TaskAddress, face: TaskApi): Promise<Row<Task>> {
  const row = isUuid(address.taskId) ? await table.get<Task>(taskKey(address)) : undefined;
  return checkedTask(row, face);
}

/** Without a face it may be a task of either API. */
export function checkedTask(row: Row<Task> | undefined, face?: TaskApi): Row<Task> {
  if (row && (face === undefined || row.value.face === face)) return row;
  throw new Problem('notFound', 'Task not found');
}
