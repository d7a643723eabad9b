/** The rows of a task that are too large for its item: its details and the results of its attempts. */
import { MONTHLY_USD, type Organization } from '../accounts/organizations.ts';
import type { AcceptedStatus, OnMissing } from '../agents/output-schema.ts';
import { isUuid } from '../core/ids.ts';
import type { Trace } from '../core/log.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import type { RulesetReference, WorkflowStep } from '../knowledge/knowledge.ts';
import type { Clock, Downloads, Prerequisites, Row, Table } from '../ports.ts';
import type { TaskBudget } from '../usage/budget.ts';
import type { Usage } from '../usage/usage.ts';
import type { AgentReport } from './agent.ts';
import {
  type LongRowLocation,
  longDrafts,
  readLong,
  readLongs,
  type TaskAddress,
  taskKey,
  taskPartition,
} from './rows.ts';
import type { FailureCode, Task, TaskApi } from './task.ts';

/** How much a model reasons before it answers; models differ in which of these they know. */
export const REASONING_EFFORTS = ['minimal', 'low', 'medium', 'high'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** What A's callers asked for, with what their ids stood for. */
export type ChatInput = {
  prompt: string;
  fileIds: string[];
  /** Of all workflows, in their order, as they were when the task was submitted. */
  steps: WorkflowStep[];
  rulesets: RulesetReference[];
  model: string;
  reasoningEffort?: ReasoningEffort;
  /** The schema of the record to fill from the files, as the caller wrote it, and what it asks of the values. */
  outputSchema?: Record<string, unknown>;
  onMissing?: OnMissing;
  accept?: AcceptedStatus[];
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
  /** Of a long input, which lists do not read. */
  title?: string;
  /** What the models of the task may cost, if the submit says so. */
  budget?: TaskBudget;
  /** Here while it is short, so that it costs no write of its own; else in INPUT, so that no poll reads it. */
  input?: Input;
};

export const withWarnings = (warnings: readonly string[]): Pick<TaskDetails, 'warnings'> =>
  warnings.length === 0 ? {} : { warnings: [...warnings] };

/** What a submit may set as its budget. */
export const BUDGET_LIMITS = { maxTokens: 1_000_000_000, minUsd: 0.01, maxUsd: 10_000 } as const;

type BudgetFields = { [Name in keyof TaskBudget]?: number | null | undefined };

/** Figures that are absent or null set no budget. */
export function withBudget({ maxTokens, maxUsd }: BudgetFields): Pick<TaskDetails, 'budget'> {
  if (!maxTokens && !maxUsd) return {};
  return { budget: { ...(maxTokens ? { maxTokens } : {}), ...(maxUsd ? { maxUsd } : {}) } };
}

/** Whether the cost of a model's calls is known. */
export type HasPrice = (model: string) => boolean;

/** Why a budget in dollars cannot be held, in the words of a field's error; undefined if it can. */
export function faultOfDollars(
  maxUsd: number | null | undefined,
  models: readonly string[],
  hasPrice: HasPrice,
): string | undefined {
  const unpriced = maxUsd ? models.find((model) => !hasPrice(model)) : undefined;
  if (unpriced === undefined) return undefined;
  return `cannot be held, as the price of the model ${unpriced} is not known; limit the tokens, or name another model`;
}

/** The same for the monthly budget that its operator set for an organization. */
export function faultOfMonthlyDollars(
  { limits }: Pick<Organization, 'limits'>,
  models: readonly string[],
  hasPrice: HasPrice,
): string | undefined {
  const unpriced = limits[MONTHLY_USD.name] ? models.find((model) => !hasPrice(model)) : undefined;
  if (unpriced === undefined) return undefined;
  return `cannot be ${unpriced}: its price is not known, and your organization has a monthly budget in dollars; name another model, or ask your operator for the price`;
}

const SHORT_BYTES = 2_000;
const INPUT = 'INPUT';

export const detailsKey = (address: TaskAddress) => ({ pk: taskPartition(address), sk: 'ABOUT' });

/** Of a task that recurs they stay until it is cancelled. */
export function detailsDrafts(
  address: TaskAddress,
  { input, ...about }: TaskDetails,
  expiresAt: number | undefined,
): Prerequisites {
  const isShort = Buffer.byteLength(JSON.stringify(input)) <= SHORT_BYTES;
  const value: TaskDetails = isShort ? { ...about, input } : { ...about, ...definedFields({ title: titleIn(input) }) };
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

/** A task with what surrounds it: one read. */
export type TaskWithDetails = { row: Row<Task> | undefined; about: TaskDetails | undefined };

/** Of an id that is none of ours there is nothing. */
export async function readWithDetails(table: Table, address: TaskAddress): Promise<TaskWithDetails> {
  if (!isUuid(address.taskId)) return { row: undefined, about: undefined };
  const [row, about] = await table.getMany<Task | TaskDetails>([taskKey(address), detailsKey(address)]);
  return { row: row as Row<Task> | undefined, about: (about as Row<TaskDetails> | undefined)?.value };
}

/** Reads what a task was submitted with: two reads, one more for a long input. */
type SubmittedInput<Input> = { task: Task; about: TaskDetails; input: Input };

export async function readInput<Input>(
  { table }: { table: Table },
  address: TaskAddress,
  face: TaskApi,
): Promise<SubmittedInput<Input>> {
  const { row, about } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, face);
  return { task, about: about ?? {}, input: await inputOf<Input>(table, address, about) };
}

/** The archive of a task's files: the key of its bytes, from which callers get a newly signed URL. */
export type Archive = { bytesAt: string; sizeBytes: number };

/** Under one prefix, so that the bucket itself can let old archives go. */
const ARCHIVE_PREFIX = 'results';
const ADDRESS_SECONDS = 3_600;

export const archiveKey = ({ organization, taskId }: TaskAddress, mark: string): string =>
  `${ARCHIVE_PREFIX}/${organization}/${taskId}/${mark}`;

/** What a fresh address takes. */
export type ArchivePorts = { blobs: Downloads; clock: Clock };

type ArchiveAddress = { presignedUrl: string; expiresAt: number; sizeBytes: number };

export async function archiveAddress(
  { blobs, clock }: ArchivePorts,
  taskId: string,
  { bytesAt, sizeBytes }: Archive,
): Promise<ArchiveAddress> {
  // Taken before signing, so that the address never dies before the time we tell.
  const expiresAt = clock.now() + ADDRESS_SECONDS * 1_000;
  const attachment = { fileName: `${taskId}.zip`, contentType: 'application/zip' };
  return { presignedUrl: await blobs.downloadAddress(bytesAt, attachment, ADDRESS_SECONDS), expiresAt, sizeBytes };
}

/** Without a face it may be a task of either API. */
export function checkedTask(row: Row<Task> | undefined, face?: TaskApi): Row<Task> {
  if (row && (face === undefined || row.value.face === face)) return row;
  throw new Problem('notFound', 'Task not found');
}

// The checkpoints and results of attempts, each stored under the number of its attempt.

/** What an attempt brought: kept under the attempt's own number, so that a worker which lost its task spoils nothing. */
export type Result = {
  text?: string;
  /** Of this attempt and those before it. */
  usage?: Usage;
  archive?: Archive;
  /** The version of the prompt of a chat; absent if no language model was asked. */
  promptVersion?: string;
  /** The further fields of the output of a chat with a schema. */
  record?: Record<string, unknown>;
  /** What of the files of a chat is not as it should be. */
  warnings?: string[];
  /** Of a background agent. */
  report?: AgentReport;
  /** Of an attempt that failed. */
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

/** Undefined while there is none. */
export const resultOf = async (table: Table, address: TaskAddress, task: Task): Promise<Result | undefined> =>
  task.resultOf === undefined ? undefined : resultOfAttempt(table, address, task.resultOf);

/** Of many tasks at once, in their order. */
export async function resultsOf(table: Table, tasks: { address: TaskAddress; task: Task }[]) {
  const ended = tasks.filter(({ task }) => task.resultOf !== undefined);
  const locations = ended.map(({ address, task }) => resultLocation(address, task.resultOf ?? 0));
  const found = await readLongs<Result>(table, locations);
  const byTask = new Map(ended.map(({ task }, at) => [task, found[at]]));
  return tasks.map(({ task }) => byTask.get(task));
}

/** For tasks that ended without a word of a worker. */
const MESSAGES: Record<FailureCode, string> = {
  PROCESSING_FAILED: 'The task could not be processed.',
  FILE_UNAVAILABLE: 'A file of the task is no longer available.',
  TASK_TIMEOUT: 'The task exceeded its timeout; make it smaller or split it.',
  TASK_CANCELLED: 'The task was cancelled.',
  MODEL_UNAVAILABLE: 'The model did not respond. Submit the task again later.',
  BUDGET_EXCEEDED: 'The budget of the task or of the organization is used up.',
};

export function failureOf(task: Task, result: Result | undefined): { code: FailureCode; message: string } {
  const code = task.code ?? 'PROCESSING_FAILED';
  // A result may tell of another end than the task's: a worker that failed while the task was being cancelled.
  const message = result?.failure?.code === code ? result.failure.message : undefined;
  return { code, message: message ?? MESSAGES[code] };
}

// Checkpoints are stored under the number of their attempt, so that a worker without its lease overwrites nothing.

/** `usage` is of this attempt and those before it, up to here. */
export type CheckpointState = { value: unknown; usage?: Usage | undefined };
type ReachedStage = { checkpoint: number; attempt: number };

export const checkpointLocation = (address: TaskAddress, { checkpoint, attempt }: ReachedStage): LongRowLocation => ({
  pk: taskPartition(address),
  name: `STAGE#${checkpoint}#${attempt}`,
});

type Checkpoint = ReachedStage & { carried: unknown; usage?: Usage | undefined; expiresAt: number };

export const checkpointDrafts = (address: TaskAddress, o: Checkpoint): Prerequisites =>
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

const MAX_TITLE = 120;

/** The fields of the inputs of all agents that say what a task is about. */
type Titled = {
  prompt?: string;
  asked?: {
    query?: string;
    documents?: { url: string }[];
    notification_type?: string | null;
    content?: { subject?: string | null; message?: string | null };
  };
};

/** Tasks with a long input that were submitted before titles were stored have none. */
export const titleOf = ({ title, input }: { title?: string; input?: unknown }): string | null =>
  title ?? titleIn(input) ?? null;

export function titleIn(input: unknown): string | undefined {
  const { prompt, asked: { query, documents, content, notification_type: type } = {} } = (input ?? {}) as Titled;
  const text = prompt ?? query ?? (documents && namesOf(documents)) ?? content?.subject ?? content?.message ?? type;
  const line = text?.trim().replaceAll(/\s+/g, ' ');
  if (!line) return undefined;
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line;
}

function namesOf([first, ...others]: { url: string }[]): string {
  const path = URL.parse(first?.url ?? '')?.pathname ?? '';
  const name = decoded(path.slice(path.lastIndexOf('/') + 1)) || (first?.url ?? '');
  return others.length === 0 ? name : `${name} and ${others.length} more`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
