/** The keys of a task's rows, and how its item becomes a row. */

import { hash } from 'node:crypto';
import { definedFields } from '../core/optional-fields.ts';
import { DEFAULT_LIMITS, daysMs } from '../core/stage-limits.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Draft, Key, ListEntry, Row } from '../ports.ts';
import { dueAtFor } from './decide.ts';
import { isOpen, isRunEnd, TASK_LIMITS, type Task, type TaskApi } from './task.ts';
import { stateInList } from './visible-state.ts';

/** The address of a task or of one of its ended runs. */
export type TaskAddress = { organization: string; taskId: string; run?: number };

export const taskPartition = ({ organization, taskId }: TaskAddress): string => `O#${organization}#T#${taskId}`;
export const taskKey = (address: TaskAddress): Key => ({
  pk: taskPartition(address),
  sk: address.run === undefined ? 'TASK' : RUNS + String(address.run).padStart(RUN_DIGITS, '0'),
});
/** Padded numbers, so that runs sort in their order. */
export const RUNS = 'RUN#';
const RUN_DIGITS = 8;
export const tasksList = (organization: string, api: TaskApi): string => `O#${organization}#TASKS#${api}`;

export function parseTaskAddress({ pk, sk }: Key): TaskAddress {
  const [, organization = '', , taskId = ''] = pk.split('#');
  const address = { organization, taskId };
  return sk.startsWith(RUNS) ? { ...address, run: Number(sk.slice(RUNS.length)) } : address;
}

/** Task ids as the agent API shows them: a UUID after a prefix. */
const PUBLIC_ID_PREFIX = 'task_';

export const toPublicId = (taskId: string): string => PUBLIC_ID_PREFIX + taskId;

/** Empty for a text that cannot be one of our ids. */
export const taskIdIn = (publicId = ''): string =>
  publicId.startsWith(PUBLIC_ID_PREFIX) ? publicId.slice(PUBLIC_ID_PREFIX.length) : '';

/** A hash that distinguishes namespaces in the index, because every write would carry a name of up to 128 characters. */
export const namespaceMark = (namespace: string): string =>
  `chat#${hash('sha256', namespace, 'base64url').slice(0, 11)}`;

type StoredTask = Pick<Row<Task>, 'dueAt'>;

export function taskDraft(address: TaskAddress, task: Task, now: number, stored?: StoredTask): Draft<Task> {
  const dueAt = dueAtFor(task, stored?.dueAt, now);
  return {
    ...taskKey(address),
    value: task,
    ...(address.run === undefined ? { listed: listPositionOf(address, task) } : {}),
    ...definedFields({ dueAt }),
    ...expiryOf(task, now),
  };
}

/** The ended run, under a key of its own. */
export const runDraft = ({ organization, taskId }: TaskAddress, ended: Task, now: number): Draft<Task> =>
  taskDraft({ organization, taskId, ...(ended.run ? { run: ended.run.number } : {}) }, ended, now);

/** How long a task is kept after its end. */
export const retentionMs = ({ keptDays = DEFAULT_LIMITS.keptDays }: Pick<Task, 'keptDays'>): number => daysMs(keptDays);

/** A task's other rows are written before its end is known, so they last as long as the task could at most. */
export function detailsExpireAt(task: Task): number {
  const { createdAt, queuedAt, startedAt = queuedAt, timeoutMs, recurs } = task;
  const { waitMs, runKeptMs } = TASK_LIMITS;
  const [from, retention] = recurs ? [startedAt, runKeptMs] : [Math.max(createdAt, queuedAt), retentionMs(task)];
  return from + waitMs + timeoutMs + retention + HOUR_MS;
}

function expiryOf(task: Task, now: number): { expiresAt?: number } {
  const { endedAt = now, run } = task;
  if (isOpen(task) || isRunEnd(task)) return {};
  return { expiresAt: endedAt + (run ? TASK_LIMITS.runKeptMs : retentionMs(task)) };
}

function listPositionOf(address: TaskAddress, task: Task): ListEntry {
  const { face: api, type, priority, createdAt: at, endedAt } = task;
  const listed = {
    list: tasksList(address.organization, api),
    at,
    id: address.taskId,
    state: stateInList(task),
    type,
    priority,
  };
  return endedAt === undefined || isRunEnd(task) ? listed : { ...listed, endedAt };
}
