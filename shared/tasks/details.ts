/** What a caller submitted: the details of a task and its input. */

import { isUuid } from '../core/ids.ts';
import { longDrafts, readLong } from '../core/long-values.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import type { Trace } from '../core/trace.ts';
import type { RulesetReference } from '../knowledge/rulesets.ts';
import type { WorkflowStep } from '../knowledge/workflows.ts';
import type { Prerequisites, Row, Table } from '../ports.ts';
import type { TaskBudget } from './budget.ts';
import type { AcceptedStatus, OnMissing } from './output-schema.ts';
import { type TaskAddress, taskKey, taskPartition } from './rows.ts';
import type { Task, TaskApi } from './task.ts';
import { titleIn } from './title.ts';

/** How much a model reasons before it answers; models differ in the levels they support. */
export const REASONING_EFFORTS = ['minimal', 'low', 'medium', 'high'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** The input of a chat task, with the content behind its ids. */
export type ChatInput = {
  prompt: string;
  fileIds: string[];
  /** The workflows that the steps come from; absent if there are none, and in older tasks. */
  workflowIds?: string[];
  /** The steps of all workflows, in their order, as they were at submission. */
  steps: WorkflowStep[];
  rulesets: RulesetReference[];
  model: string;
  reasoningEffort?: ReasoningEffort;
  /** Answers while the model is away for long. */
  standbyModel?: string;
  /** Looks a second time at what the model answers. */
  verifyModel?: string;
  /** The caller's schema of the record to extract from the files, and the rules on its values. */
  outputSchema?: Record<string, unknown>;
  onMissing?: OnMissing;
  accept?: AcceptedStatus[];
};

export type TaskDetails<Input = unknown> = {
  namespace?: string;
  endpoint?: string;
  /** The endpoint is the service's own, to which nothing is sent: the event counts as delivered at the end. */
  discards?: true;
  metadata?: Record<string, string>;
  /** Parts of the submit that had no effect. */
  warnings?: string[];
  /** Who submitted the task: the field `by` of the caller. */
  by?: string;
  /** The trace context of the submit. */
  trace?: Trace;
  /** The title of a long input, so that lists need not read the input, and of one that names stored files. */
  title?: string;
  /** The budget for model calls, if the submit sets one. */
  budget?: TaskBudget;
  /** A short input, so that it costs no write of its own; a long one is in INPUT, so that no poll reads it. */
  input?: Input;
};

export const withWarnings = (warnings: readonly string[]): Pick<TaskDetails, 'warnings'> =>
  warnings.length === 0 ? {} : { warnings: [...warnings] };

const SHORT_BYTES = 2_000;
const INPUT = 'INPUT';

export const detailsKey = (address: TaskAddress) => ({ pk: taskPartition(address), sk: 'ABOUT' });

/** For a recurring task they are kept until it is cancelled. */
export function detailsDrafts(
  address: TaskAddress,
  { input, ...about }: TaskDetails,
  expiresAt: number | undefined,
): Prerequisites {
  const isShort = Buffer.byteLength(JSON.stringify(input)) <= SHORT_BYTES;
  const value: TaskDetails = isShort
    ? { ...about, input }
    : { ...about, ...definedFields({ title: about.title ?? titleIn(input) }) };
  const expiry = expiresAt === undefined ? {} : { expiresAt };
  const detailsDraft = { ...detailsKey(address), value, ...expiry };
  if (isShort) return [detailsDraft];
  return [detailsDraft, ...longDrafts({ pk: taskPartition(address), name: INPUT, value: input, ...expiry })];
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

/** A task and its details, in one read. */
export type TaskWithDetails = { row: Row<Task> | undefined; about: TaskDetails | undefined };

/** Returns nothing for an id that cannot be ours. */
export async function readWithDetails(table: Table, address: TaskAddress): Promise<TaskWithDetails> {
  if (!isUuid(address.taskId)) return { row: undefined, about: undefined };
  const [row, about] = await table.getMany<Task | TaskDetails>([taskKey(address), detailsKey(address)]);
  return { row: row as Row<Task> | undefined, about: (about as Row<TaskDetails> | undefined)?.value };
}

type SubmittedInput<Input> = { task: Task; about: TaskDetails; input: Input };

/** Reads a task and its input: two reads, and a third for a long input. */
export async function readInput<Input>(
  { table }: { table: Table },
  address: TaskAddress,
  api: TaskApi,
): Promise<SubmittedInput<Input>> {
  const { row, about } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, api);
  return { task, about: about ?? {}, input: await inputOf<Input>(table, address, about) };
}

/** Without `api` the task may be of either API. */
export function checkedTask(row: Row<Task> | undefined, api?: TaskApi): Row<Task> {
  if (row && (api === undefined || row.value.face === api)) return row;
  throw new Problem('notFound', 'Task not found');
}
