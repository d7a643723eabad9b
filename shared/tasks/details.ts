/** The rows of a task that are too large for its item: its details and the results of its attempts. */
import { MONTHLY_USD, modelInRole, type Organization } from '../accounts/organizations.ts';
import { isUuid } from '../core/ids.ts';
import { type LongRowLocation, longDrafts, readLong, readLongs } from '../core/long-values.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import type { Trace } from '../core/trace.ts';
import type { RulesetReference, WorkflowStep } from '../knowledge/knowledge.ts';
import type { Clock, Downloads, Prerequisites, Row, Table } from '../ports.ts';
import type { Usage } from '../usage/tokens.ts';
import type { AgentReport } from './agent.ts';
import type { ReachedUsage } from './attempt-usage.ts';
import type { TaskBudget } from './budget.ts';
import type { AcceptedStatus, OnMissing } from './output-schema.ts';
import { type TaskAddress, taskKey, taskPartition } from './rows.ts';
import { type FailureCode, isSuspect, type Task, type TaskApi } from './task.ts';

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

/** The limits of the budget in a submit. */
export const BUDGET_LIMITS = { maxTokens: 1_000_000_000, minUsd: 0.01, maxUsd: 10_000 } as const;

type BudgetFields = { [Name in keyof TaskBudget]?: number | null | undefined };

/** Absent or null values set no budget. */
export function withBudget({ maxTokens, maxUsd }: BudgetFields): Pick<TaskDetails, 'budget'> {
  if (!maxTokens && !maxUsd) return {};
  return { budget: { ...(maxTokens ? { maxTokens } : {}), ...(maxUsd ? { maxUsd } : {}) } };
}

/** Whether the price of a model is known. */
export type HasPrice = (model: string) => boolean;

/** Why a budget in dollars cannot be enforced, as the text of a field error; `undefined` if it can. */
export function faultOfDollars(
  maxUsd: number | null | undefined,
  models: readonly string[],
  hasPrice: HasPrice,
): string | undefined {
  const unpriced = maxUsd ? models.find((model) => !hasPrice(model)) : undefined;
  if (unpriced === undefined) return undefined;
  return `cannot be held, as the price of the model ${unpriced} is not known; limit the tokens, or name another model`;
}

type RoleLimits = { model: string; maxUsd: number | null | undefined; hasPrice: HasPrice };

/**
 * The models of an organization that stand in for another one, or look a second time, unless a budget in dollars could not be
 * enforced with them.
 */
export function roleModelsFor(organization: Organization | undefined, { model, maxUsd, hasPrice }: RoleLimits) {
  const inRole = (role: 'standby' | 'verify'): string | undefined => {
    const own = organization && modelInRole(organization, role);
    if (!organization || own === undefined || own === model) return undefined;
    const fault = faultOfDollars(maxUsd, [own], hasPrice) ?? faultOfMonthlyDollars(organization, [own], hasPrice);
    return fault === undefined ? own : undefined;
  };
  return definedFields({ standbyModel: inRole('standby'), verifyModel: inRole('verify') });
}

/** The same for an organization's monthly budget, which the operator sets. */
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

/** A task and its details, in one read. */
export type TaskWithDetails = { row: Row<Task> | undefined; about: TaskDetails | undefined };

/** Returns nothing for an id that cannot be ours. */
export async function readWithDetails(table: Table, address: TaskAddress): Promise<TaskWithDetails> {
  if (!isUuid(address.taskId)) return { row: undefined, about: undefined };
  const [row, about] = await table.getMany<Task | TaskDetails>([taskKey(address), detailsKey(address)]);
  return { row: row as Row<Task> | undefined, about: (about as Row<TaskDetails> | undefined)?.value };
}

/** Reads a task and its input: two reads, and a third for a long input. */
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

/** The archive of a task's files: the key of its bytes, from which callers receive a signed URL. */
export type Archive = { bytesAt: string; sizeBytes: number };

/** Under one prefix, so that a lifecycle rule of the bucket can delete old archives. */
const ARCHIVE_PREFIX = 'results';
const ADDRESS_SECONDS = 3_600;

export const archiveKey = ({ organization, taskId }: TaskAddress, mark: string): string =>
  `${ARCHIVE_PREFIX}/${organization}/${taskId}/${mark}`;

/** What signing a new URL needs. */
export type ArchivePorts = { blobs: Downloads; clock: Clock };

type ArchiveAddress = { presignedUrl: string; expiresAt: number; sizeBytes: number };

export async function archiveAddress(
  { blobs, clock }: ArchivePorts,
  taskId: string,
  { bytesAt, sizeBytes }: Archive,
): Promise<ArchiveAddress> {
  // Computed before signing, so that the URL never expires before the time we report.
  const expiresAt = clock.now() + ADDRESS_SECONDS * 1_000;
  const attachment = { fileName: `${taskId}.zip`, contentType: 'application/zip' };
  return { presignedUrl: await blobs.downloadAddress(bytesAt, attachment, ADDRESS_SECONDS), expiresAt, sizeBytes };
}

/** Without `face` the task may be of either API. */
export function checkedTask(row: Row<Task> | undefined, face?: TaskApi): Row<Task> {
  if (row && (face === undefined || row.value.face === face)) return row;
  throw new Problem('notFound', 'Task not found');
}

// Checkpoints and results, each stored under the number of its attempt.

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
  const found = await readLongs<Result>(table, locations);
  const byTask = new Map(ended.map(({ task }, at) => [task, found[at]]));
  return tasks.map(({ task }) => byTask.get(task));
}

/** For tasks that ended without a message from a worker. */
const MESSAGES: Record<FailureCode, string> = {
  PROCESSING_FAILED: 'The task could not be processed.',
  FILE_UNAVAILABLE: 'A file of the task is no longer available.',
  TASK_TIMEOUT: 'The task exceeded its timeout; make it smaller or split it.',
  TASK_CANCELLED: 'The task was cancelled.',
  MODEL_UNAVAILABLE: 'The model did not respond. Submit the task again later.',
  BUDGET_EXCEEDED: 'The budget of the task or of the organization is used up.',
};

const ENDED_ITS_PROCESS =
  'Each process that worked on the task ended before the task did. The task may be submitted again.';

const waitedInVain = ({ code, waitsFor }: Task): string | undefined =>
  code === 'TASK_TIMEOUT' && waitsFor !== undefined
    ? `The task waited for its model until its timeout (${waitsFor}); submit it again later, or name another model.`
    : undefined;

export function failureOf(task: Task, result: Result | undefined): { code: FailureCode; message: string } {
  const code = task.code ?? 'PROCESSING_FAILED';
  // A result may not match the task's end: a worker may fail while the task is being cancelled.
  const message = result?.failure?.code === code ? result.failure.message : undefined;
  // Whatever else fails a task with this code stores a result.
  const isAtFault = code === 'PROCESSING_FAILED' && isSuspect(task) && task.resultOf === undefined;
  const ofEnd = isAtFault ? ENDED_ITS_PROCESS : waitedInVain(task);
  return { code, message: message ?? ofEnd ?? MESSAGES[code] };
}

// Checkpoints are stored under the number of their attempt, so that a worker without a lease overwrites nothing.

/** Of checkpoints without a version, which 0.2.0 and earlier releases wrote, and of agents that declare none. */
export const FIRST_CHECKPOINT_VERSION = 1;

/** `usage` and `notes`: of this attempt and earlier ones, up to this checkpoint. `version`: of the agent that stored it. */
export type CheckpointState = { value: unknown; usage?: ReachedUsage | undefined; version?: number; notes?: string[] };
type ReachedStage = { checkpoint: number; attempt: number };

export const checkpointLocation = (address: TaskAddress, { checkpoint, attempt }: ReachedStage): LongRowLocation => ({
  pk: taskPartition(address),
  name: `STAGE#${checkpoint}#${attempt}`,
});

type Checkpoint = ReachedStage & {
  carried: unknown;
  usage?: ReachedUsage | undefined;
  version?: number;
  notes?: readonly string[];
  expiresAt: number;
};

export const checkpointDrafts = (address: TaskAddress, o: Checkpoint): Prerequisites => {
  const { usage, version = FIRST_CHECKPOINT_VERSION } = o;
  return longDrafts({
    ...checkpointLocation(address, o),
    value: {
      value: o.carried,
      usage,
      version,
      ...(o.notes && o.notes.length > 0 ? { notes: [...o.notes] } : {}),
    } satisfies CheckpointState,
    // Release 0.2.0 goes on from checkpoints of the first version, so those stay as they are.
    ...(version === FIRST_CHECKPOINT_VERSION ? {} : { toOlderReleases: UNREADABLE }),
    expiresAt: o.expiresAt,
  });
};

/** For a release that reads no packed checkpoints, this one is of another version, so that it begins the task anew. */
const UNREADABLE = { value: null, version: 0 } satisfies CheckpointState;

/** Where an attempt begins: at the last checkpoint, or anew if there is none of the agent's version. */
export async function beginningOf(
  table: Table,
  address: TaskAddress,
  { task: { checkpoint, checkpointOf: attempt }, version }: { task: Task; version: number },
): Promise<{ completed: number; carried: unknown; notes?: string[] | undefined }> {
  const anew = { completed: 0, carried: undefined };
  if (attempt === undefined) return anew;
  const stored = await readLong<CheckpointState>(table, checkpointLocation(address, { checkpoint, attempt }));
  if (!stored) throw new Error('A checkpoint is gone.');
  const isKnown = (stored.version ?? FIRST_CHECKPOINT_VERSION) === version;
  return isKnown ? { completed: checkpoint, carried: stored.value, notes: stored.notes } : anew;
}

/** The tokens of all attempts up to the task's last checkpoint. */
export async function usageAtCheckpoint(
  table: Table,
  address: TaskAddress,
  { checkpoint, checkpointOf: attempt }: Task,
): Promise<ReachedUsage | undefined> {
  if (attempt === undefined) return undefined;
  return (await readLong<CheckpointState>(table, checkpointLocation(address, { checkpoint, attempt })))?.usage;
}

const MAX_TITLE = 120;

type TitledDocument = { url?: string | null | undefined; file_id?: string | null | undefined };

type TitledMail = { subject?: string | null; message?: string | null; recipients?: string[] };

/** The fields that contain the subject of a task in the inputs of all agents. */
type Titled = {
  prompt?: string;
  preview?: true;
  asked?: {
    query?: string;
    documents?: TitledDocument[];
    notification_type?: string | null;
    content?: TitledMail;
  };
};

/** Long inputs that were stored before titles existed have none. */
export const titleOf = ({ title, input }: { title?: string; input?: unknown }): string | null =>
  title ?? titleIn(input) ?? null;

/** `fileNames`: the names of the stored files among the documents, by id. */
export function titleIn(input: unknown, fileNames: ReadonlyMap<string, string> = new Map()): string | undefined {
  const { prompt, asked = {}, preview } = (input ?? {}) as Titled;
  const { query, documents, content, notification_type: type } = asked;
  const text = prompt ?? query ?? (documents && namesOf(documents, fileNames)) ?? (content && mailTitle(content, type));
  const line = text?.trim().replaceAll(/\s+/g, ' ');
  if (!line) return undefined;
  const title = preview ? `Preview: ${line}` : line;
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1).toWellFormed()}…` : title;
}

/** What its sender called an e-mail, or else whom it goes to: the agent writes the subject later. */
function mailTitle({ subject, message, recipients = [] }: TitledMail, type: string | null | undefined): string {
  const [first = '', ...others] = recipients;
  const readers = others.length === 0 ? first : `${first} and ${others.length} more`;
  const kind = type?.replaceAll(/[_-]+/g, ' ') ?? 'digest';
  return subject ?? message ?? `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} to ${readers}`;
}

function namesOf([first = {}, ...others]: TitledDocument[], fileNames: ReadonlyMap<string, string>): string {
  const name = first.url ? nameInUrl(first.url) : (fileNames.get(first.file_id ?? '') ?? 'A stored file');
  return others.length === 0 ? name : `${name} and ${others.length} more`;
}

function nameInUrl(url: string): string {
  const path = URL.parse(url)?.pathname ?? '';
  return decoded(path.slice(path.lastIndexOf('/') + 1)) || url;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
