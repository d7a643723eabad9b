/** A background agent's task with what its finished stages brought: one read, and one more once there is any of that. */
import { isUuid } from '../core/uuid.ts';
import type { Row, Table } from '../ports.ts';
import { type About, aboutKey } from '../tasks/about.ts';
import { type Carried, checkpointPlace } from '../tasks/checkpoint.ts';
import { checkedTask } from '../tasks/find-task.ts';
import { type LongPlace, readLongs } from '../tasks/long-row.ts';
import { type Result, resultPlace } from '../tasks/result.ts';
import type { Task } from '../tasks/task.ts';
import { type TaskAddress, taskKey } from '../tasks/task-rows.ts';

export const AGENTS_FACE = 'agents';

/** `result` is the ended task's own; `reached` what its last finished stage handed on. */
export type AgentTask = {
  taskId: string;
  task: Task;
  about: About;
  result: Result | undefined;
  reached: Result | undefined;
};

export async function readAgentTask({ table }: { table: Table }, address: TaskAddress): Promise<AgentTask> {
  const keys = isUuid(address.taskId) ? [taskKey(address), aboutKey(address)] : [];
  const [found, about] = keys.length > 0 ? await table.getMany<Task | About>(keys) : [];
  const { value: task } = checkedTask(found as Row<Task> | undefined, AGENTS_FACE);
  const [result, reached] = await brought(table, address, task);
  return { taskId: address.taskId, task, about: (about?.value ?? {}) as About, result, reached };
}

async function brought(table: Table, address: TaskAddress, { state, resultOf, checkpoint, checkpointOf }: Task) {
  const result = resultOf === undefined ? undefined : resultPlace(address, resultOf);
  // A task that succeeded has all of it in its result.
  const reached =
    checkpointOf === undefined || state === 'succeeded'
      ? undefined
      : checkpointPlace(address, { checkpoint, attempt: checkpointOf });
  const places = [result, reached].filter((place): place is LongPlace => place !== undefined);
  const values = await readLongs<Result | Carried>(table, places);
  const valueAt = (place: LongPlace | undefined) => (place ? values[places.indexOf(place)] : undefined);
  return [
    valueAt(result) as Result | undefined,
    (valueAt(reached) as Carried | undefined)?.value as Result | undefined,
  ];
}
