/** A background agent's task with what its finished stages brought: one read, and one more once there is any of that. */
import type { Clock, Table } from '../ports.ts';
import { parseSchedule } from '../schedules/schedule.ts';
import { slotAfter } from '../schedules/slot-after.ts';
import type { TaskDetails } from '../tasks/about.ts';
import { type CheckpointState, checkpointLocation } from '../tasks/checkpoint.ts';
import { renewed } from '../tasks/decide-run.ts';
import { checkedTask } from '../tasks/find-task.ts';
import { type LongRowLocation, readLongs } from '../tasks/long-row.ts';
import { type Result, resultLocation } from '../tasks/result.ts';
import { runsOf } from '../tasks/run-rows.ts';
import { isBetweenRuns, isOpen, isRunEnd, type Recurrence, type Task } from '../tasks/task.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { readWithDetails } from '../tasks/with-about.ts';
import { usageOf } from '../usage/attempt-usage.ts';
import type { Usage } from '../usage/tokens.ts';

export const AGENTS_FACE = 'agents';

/** `result` is the ended task's own; `reached` what its last finished stage handed on; `usage` is of all attempts. */
export type AgentTask = {
  taskId: string;
  task: Task;
  about: TaskDetails;
  result: Result | undefined;
  reached: Result | undefined;
  usage: Usage | undefined;
  /** Of a task that recurs, while it waits: the run behind it, which `result` is of then. */
  lastRun?: Task;
};

/** When the next run is, or was to begin while it waits for a worker; undefined for what will not run again. */
export const nextRunAt = (task: Task): number | undefined =>
  isBetweenRuns(task) ? task.queuedAt : isOpen(task) && task.recurs ? slotAfterRun(task.recurs) : undefined;

const slotAfterRun = ({ by, slotAt, extraAt }: Recurrence): number =>
  extraAt === undefined ? slotAfter(parseSchedule(by), slotAt) : slotAt;

/** A run that has only just ended is behind the task already. */
const withoutEndedRun = (task: Task, now: number): Task => (isRunEnd(task) ? (renewed(task, now)?.next ?? task) : task);

type AgentTaskPorts = { table: Table; clock: Clock };

export async function readAgentTask({ table, clock }: AgentTaskPorts, address: TaskAddress): Promise<AgentTask> {
  const { row, about } = await readWithDetails(table, address);
  const { value } = checkedTask(row, AGENTS_FACE);
  const task = withoutEndedRun(value, clock.now());
  const lastRun = task.recurs && isBetweenRuns(task) ? (await runsOf(table, address, 1))[0]?.value : undefined;
  const { result, reached, known } = await readResults(table, address, lastRun ?? task);
  const usage = await usageOf(table, address, lastRun ?? task, known);
  const common = { taskId: address.taskId, task, about: about ?? {}, result, reached, usage };
  return lastRun ? { ...common, lastRun } : common;
}

async function readResults(table: Table, address: TaskAddress, { state, resultOf, checkpoint, checkpointOf }: Task) {
  const result = resultOf === undefined ? undefined : resultLocation(address, resultOf);
  // A task that succeeded has all of it in its result.
  const reached =
    checkpointOf === undefined || state === 'succeeded'
      ? undefined
      : checkpointLocation(address, { checkpoint, attempt: checkpointOf });
  const places = [result, reached].filter((place): place is LongRowLocation => place !== undefined);
  const values = await readLongs<Result | CheckpointState>(table, places);
  const valueAt = (place: LongRowLocation | undefined) => (place ? values[places.indexOf(place)] : undefined);
  const ownResult = valueAt(result) as Result | undefined;
  const carried = valueAt(reached) as CheckpointState | undefined;
  return {
    result: ownResult,
    reached: carried?.value as Result | undefined,
    known: ownResult?.usage ?? carried?.usage,
  };
}
