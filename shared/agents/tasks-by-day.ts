/** How many tasks an organization submitted to one API on each day, among its newest ones. */
import type { Table } from '../ports.ts';
import type { TaskApi } from '../tasks/task.ts';
import { tasksList } from '../tasks/task-rows.ts';
import { dateOf } from '../usage/tokens.ts';
import { MOST_LISTED } from './list-agent-tasks.ts';

export async function tasksByDay(table: Table, organization: string, face: TaskApi): Promise<Map<string, number>> {
  const { rows } = await table.listed(tasksList(organization, face), { limit: MOST_LISTED, newestFirst: true });
  const days = Map.groupBy(rows, ({ at }) => dateOf(at));
  return new Map([...days].map(([date, places]) => [date, places.length]));
}
