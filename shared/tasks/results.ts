/** The checkpoints and results of attempts, each stored under the number of its attempt. */

import type { First, Table } from '../ports.ts';
import type { Usage } from '../usage/usage.ts';
import type { AgentReport } from './agent.ts';
import type { Archive } from './details.ts';
import { type LongRowLocation, longDrafts, readLong, readLongs, type TaskAddress, taskPartition } from './rows.ts';
import type { FailureCode, Task } from './task.ts';

/** What an attempt brought: kept under the attempt's own number, so that a worker which lost its task spoils nothing. */
export type Result = {
  text?: string;
  /** Of this attempt and those before it. */
  usage?: Usage;
  archive?: Archive;
  /** Of a background agent. */
  report?: AgentReport;
  /** Of an attempt that failed. */
  failure?: { code: FailureCode; message: string };
};

export const resultLocation = (address: TaskAddress, attempt: number): LongRowLocation => ({
  pk: taskPartition(address),
  name: `RESULT#${attempt}`,
});

export const resultDrafts = (address: TaskAddress, o: { attempt: number; result: Result; expiresAt: number }): First =>
  longDrafts({ ...resultLocation(address, o.attempt), value: o.result, expiresAt: o.expiresAt });

export const resultOfAttempt = (table: Table, address: TaskAddress, attempt: number): Promise<Result | undefined> =>
  readLong<Result>(table, resultLocation(address, attempt));

/** Undefined while there is none. */
export const resultOf = async (table: Table, address: TaskAddress, task: Task): Promise<Result | undefined> =>
  task.resultOf === undefined ? undefined : resultOfAttempt(table, address, task.resultOf);

/** Of many tasks at once, in their order. */
export async function resultsOf(table: Table, tasks: { address: TaskAddress; task: Task }[]) {
  const ended = tasks.filter(({ task }) => task.resultOf !== undefined);
  const places = ended.map(({ address, task }) => resultLocation(address, task.resultOf ?? 0));
  const found = await readLongs<Result>(table, places);
  const byTask = new Map(ended.map(({ task }, at) => [task, found[at]]));
  return tasks.map(({ task }) => byTask.get(task));
}

/** For tasks that ended without a word of a worker. */
const MESSAGES: Record<FailureCode, string> = {
  PROCESSING_FAILED: 'The task could not be processed.',
  FILE_UNAVAILABLE: 'A file of the task is no longer available.',
  TASK_TIMEOUT: 'The task took longer than it may; make it smaller or split it.',
  TASK_CANCELLED: 'The task was cancelled.',
  MODEL_UNAVAILABLE: 'The model did not answer; submit the task again later.',
};

export function failureOf(task: Task, result: Result | undefined): { code: FailureCode; message: string } {
  const code = task.code ?? 'PROCESSING_FAILED';
  // A result may tell of another end than the task's: a worker that failed while the task was being cancelled.
  const told = result?.failure?.code === code ? result.failure.message : undefined;
  return { code, message: told ?? MESSAGES[code] };
}

// Where an attempt has come to. Each attempt writes its own, so a worker that lost its task overwrites nobody's.

/** `usage` is of this attempt and those before it, up to here. */
export type CheckpointState = { value: unknown; usage?: Usage | undefined };
type ReachedStage = { checkpoint: number; attempt: number };

export const checkpointLocation = (address: TaskAddress, { checkpoint, attempt }: ReachedStage): LongRowLocation => ({
  pk: taskPartition(address),
  name: `STAGE#${checkpoint}#${attempt}`,
});

type Checkpoint = ReachedStage & { carried: unknown; usage?: Usage | undefined; expiresAt: number };

export const checkpointDrafts = (address: TaskAddress, o: Checkpoint): First =>
  longDrafts({
    ...checkpointLocation(address, o),
    value: { value: o.carried, usage: o.usage } satisfies CheckpointState,
    expiresAt: o.expiresAt,
  });

export async function checkpointBefore(table: Table, address: TaskAddress, reached: ReachedStage): Promise<unknown> {
  const carried = await readLong<CheckpointState>(table, checkpointLocation(address, reached));
  if (!carried) throw new Error('A checkpoint is gone.');
  return carried.value;
}
