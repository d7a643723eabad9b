/** The details and input of a task, which never change after it was submitted. */

import { isUuid } from '../core/ids.ts';
import type { Trace } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { RulesetReference, WorkflowStep } from '../knowledge/knowledge.ts';
import type { Clock, Downloads, First, Row, Table } from '../ports.ts';

import { longDrafts, readLong, type TaskAddress, taskKey, taskPartition } from './rows.ts';
import type { Task, TaskApi } from './task.ts';

// The details of a task: what a poll shows in addition to its state, and the input of the agent. They never change.

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
