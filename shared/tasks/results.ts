/** The results of a task's attempts, each stored under the number of its attempt. */

import { type LongRowLocation, longDrafts, readLong, readLongs } from '../core/long-values.ts';
import type { Prerequisites, Table } from '../ports.ts';
import type { Usage } from '../usage/tokens.ts';
import type { AgentReport } from './agent-report.ts';
import type { Archive } from './archive.ts';
import { type TaskAddress, taskPartition } from './rows.ts';
import type { FailureCode, Task } from './task.ts';

/** The result of a workflow step. `truncated`: the archive has the whole text. */
export type StepOutput = { number: number; name: string; text: string; truncated?: true };

/** The result of an attempt, stored under its number, so that a worker that lost its task overwrites nothing. */
export type Result = {
  text?: string;
  /** Of this attempt and earlier ones. */
  usage?: Usage;
  archive?: Archive;
  /** Of a chat with several workflow steps: those that were done. */
  steps?: StepOutput[];
  /** The prompt version of a chat; absent if no language model was called. */
  promptVersion?: string;
  /** The additional output fields of a chat with a schema. */
  record?: Record<string, unknown>;
  /** Problems with the files of a chat. */
  warnings?: string[];
  /** No language model was configured: what was asked is not complete. */
  isPassagesOnly?: true;
  /** For a background agent. */
  report?: AgentReport;
  /** For a failed attempt. */
  failure?: { code: FailureCode; message: string };
};

export const resultLocation = (address: TaskAddress, attempt: number): LongRowLocation => ({
  pk: taskPartition(address),
  name: `RESULT#${attempt}`,
});

export const resultDrafts = (
  address: TaskAddress,
  o: { attempt: number; result: Result; expiresAt: number },
): Prerequisites => longDrafts({ ...resultLocation(address, o.attempt), value: o.result, expiresAt: o.expiresAt });

export const resultOfAttempt = (table: Table, address: TaskAddress, attempt: number): Promise<Result | undefined> =>
  readLong<Result>(table, resultLocation(address, attempt));

/** `undefined`: the task has no result yet. */
export const resultOf = async (table: Table, address: TaskAddress, task: Task): Promise<Result | undefined> =>
  task.resultOf === undefined ? undefined : resultOfAttempt(table, address, task.resultOf);

/** For several tasks at once, in their order. */
export async function resultsOf(table: Table, tasks: { address: TaskAddress; task: Task }[]) {
  const ended = tasks.filter(({ task }) => task.resultOf !== undefined);
  const locations = ended.map(({ address, task }) => resultLocation(address, task.resultOf ?? 0));
  const results = await readLongs<Result>(table, locations);
  const byTask = new Map(ended.map(({ task }, at) => [task, results[at]]));
  return tasks.map(({ task }) => byTask.get(task));
}
