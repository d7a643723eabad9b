/** A background agent's task as callers read it, with the results of its completed stages. */

import { type LongRowLocation, readLongs } from '../core/long-values.ts';
import type { Clock, Table } from '../ports.ts';
import { parseSchedule } from '../schedules/schedule.ts';
import { slotAfter } from '../schedules/slots.ts';
import { usageOf } from '../tasks/attempt-usage.ts';
import { type CheckpointState, checkpointLocation } from '../tasks/checkpoints.ts';
import { toNextRun } from '../tasks/decide.ts';
import { checkedTask, readWithDetails, type TaskDetails } from '../tasks/details.ts';
import { type Result, resultLocation } from '../tasks/results.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { runsOf } from '../tasks/runs.ts';
import { AGENTS_API, isBetweenRuns, isOpen, isRunEnd, type Recurrence, type Task } from '../tasks/task.ts';
import type { Usage } from '../usage/tokens.ts';

/**
 * A background agent's task with the results of its completed stages: one read, and another one once there are results.
 * `result` is the ended task's own; `reached` is the checkpoint of its last completed stage; `usage` covers all attempts.
 */
export type AgentTask = {
  taskId: string;
  task: Task;
  about: TaskDetails;
  result: Result | undefined;
  reached: Result | undefined;
  usage: Usage | undefined;
  /** For a recurring task between runs: the last run, to which `result` belongs. */
  lastRun?: Task;
};

/** When the next run starts, or should have started if it waits for a worker. `undefined` after the last run. */
export const nextRunAt = (task: Task): number | undefined =>
  isBetweenRuns(task) ? task.queuedAt : isOpen(task) && task.recurs ? slotAfterRun(task.recurs) : undefined;

type AgentTaskPorts = { table: Table; clock: Clock };

export async function readAgentTask({ table, clock }: AgentTaskPorts, address: TaskAddress): Promise<AgentTask> {
  const { row, about } = await readWithDetails(table, address);
  const { value } = checkedTask(row, AGENTS_API);
  const task = withoutEndedRun(value, clock.now());
  const lastRun = task.recurs && isBetweenRuns(task) ? (await runsOf(table, address, 1))[0]?.value : undefined;
  const { result, reached, storedUsage } = await readResults(table, address, lastRun ?? task);
  const usage = await usageOf(table, address, lastRun ?? task, storedUsage);
  const common = { taskId: address.taskId, task, about: about ?? {}, result, reached, usage };
  return lastRun ? { ...common, lastRun } : common;
}

const slotAfterRun = ({ by, slotAt, extraAt }: Recurrence): number =>
  extraAt === undefined ? slotAfter(parseSchedule(by), slotAt) : slotAt;

/** The task as it is after a run that has just ended and has no row of its own yet. */
const withoutEndedRun = (task: Task, now: number): Task =>
  isRunEnd(task) ? (toNextRun(task, now)?.next ?? task) : task;

async function readResults(table: Table, address: TaskAddress, { state, resultOf, checkpoint, checkpointOf }: Task) {
  const result = resultOf === undefined ? undefined : resultLocation(address, resultOf);
  // The result of a succeeded task contains everything.
  const reached =
    checkpointOf === undefined || state === 'succeeded'
      ? undefined
      : checkpointLocation(address, { checkpoint, attempt: checkpointOf });
  const locations = [result, reached].filter((location): location is LongRowLocation => location !== undefined);
  const values = await readLongs<Result | CheckpointState>(table, locations);
  const valueAt = (location: LongRowLocation | undefined) =>
    location ? values[locations.indexOf(location)] : undefined;
  const ownResult = valueAt(result) as Result | undefined;
  const carried = valueAt(reached) as CheckpointState | undefined;
  return {
    result: ownResult,
    reached: carried?.value as Result | undefined,
    storedUsage: ownResult?.usage ?? carried?.usage,
  };
}
