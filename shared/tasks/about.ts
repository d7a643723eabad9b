/** What surrounds a task and never changes: what a poll shows besides its state, and what the agent is given. */

import type { Trace } from '../core/trace.ts';
import type { RulesetReference } from '../knowledge/ruleset.ts';
import type { WorkflowStep } from '../knowledge/workflow.ts';
import type { First, Table } from '../ports.ts';
import { longDrafts, readLong } from './long-row.ts';
import { type TaskAddress, taskPartition } from './task-rows.ts';

/** What A's callers asked for, with what their ids stood for. */
export type ChatInput = {
  prompt: string;
  fileIds: string[];
  /** Of all workflows, in their order, as they were when the task was submitted. */
  steps: WorkflowStep[];
  rulesets: RulesetReference[];
  model: string;
};

export type TaskDetails<Input = unknown> = {
  namespace?: string;
  endpoint?: string;
  metadata?: Record<string, string>;
  /** What of the submit had no effect. */
  warnings?: string[];
  /** Who submitted it, as `by` of the caller names them. */
  by?: string;
  /** What the submitter's own tracing calls it. */
  trace?: Trace;
  /** Here while it is short, so that it costs no write of its own; else in INPUT, so that no poll reads it. */
  input?: Input;
};

export const withWarnings = (warnings: readonly string[]): Pick<TaskDetails, 'warnings'> =>
  warnings.length === 0 ? {} : { warnings: [...warnings] };

const SHORT_BYTES = 2_000;
const INPUT = 'INPUT';

export const detailsKey = (address: TaskAddress) => ({ pk: taskPartition(address), sk: 'ABOUT' });

/** Of a task that recurs they stay until it is cancelled. */
export function detailsDrafts(
  address: TaskAddress,
  { input, ...about }: TaskDetails,
  expiresAt: number | undefined,
): First {
  const isShort = Buffer.byteLength(JSON.stringify(input)) <= SHORT_BYTES;
  const value: TaskDetails = isShort ? { ...about, input } : about;
  const expiry = expiresAt === undefined ? {} : { expiresAt };
  const around = { ...detailsKey(address), value, ...expiry };
  if (isShort) return [around];
  return [around, ...longDrafts({ pk: taskPartition(address), name: INPUT, value: input, ...expiry })];
}

export async function inputOf<Input>(
  table: Table,
  address: TaskAddress,
  about: TaskDetails | undefined,
): Promise<Input> {
  const input = about?.input ?? (await readLong<Input>(table, { pk: taskPartition(address), name: INPUT }));
  if (input === undefined) throw new Error('A task has lost its input.');
  return input as Input;
}
