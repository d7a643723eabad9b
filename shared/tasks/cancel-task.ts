/** Cancelling, with an id that may be of anybody. Agents have more to store first: see `shared/agents/cancel-agent-task.ts`. */

import { isUuid } from '../core/ids.ts';
import type { Row, Table } from '../ports.ts';
import { checkedTask } from './details.ts';
import { type TaskAddress, taskKey } from './rows.ts';
import type { Task, TaskApi } from './task.ts';
import { type MoveOutcome, type MovePorts, moveTask } from './transition.ts';

/** Reads a task of one API. Unknown, foreign, malformed and expired ids all return 404 (no existence oracle). */
async function findTask({ table }: { table: Table }, address: TaskAddress, api: TaskApi): Promise<Row<Task>> {
  const row = isUuid(address.taskId) ? await table.get<Task>(taskKey(address)) : undefined;
  return checkedTask(row, api);
}

/** Cancels a task: at once while it waits, or when forced; else at the next safe point of its worker. */
export async function cancelTask(
  ports: MovePorts,
  address: TaskAddress,
  { api, force }: { api: TaskApi; force: boolean },
): Promise<MoveOutcome> {
  const row = await findTask(ports, address, api);
  return (await moveTask(ports, address, { type: 'cancel', force }, { cachedRow: row })) ?? { row };
}
