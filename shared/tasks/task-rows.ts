/** Where a task's rows lie, and how its item becomes a row. */
import { createHash } from 'node:crypto';
import { daysMs, USUAL_LIMITS } from '../core/stage-limits.ts';
import type { Draft, Key, Listed, Row } from '../ports.ts';
import { stateInList } from './states.ts';
import { isOpen, isRunEnd, TASK_LIMITS, type Task, type TaskApi } from './task.ts';
import { dueAtFor } from './wake-up.ts';

/** Of a task, or of one of the runs behind it. */
export type TaskAddress = { organization: string; taskId: string; run?: number };

export const taskPartition = ({ organization, taskId }: TaskAddress): string => `O#${organization}#T#${taskId}`;
export const taskKey = (address: TaskAddress): Key => ({
  pk: taskPartition(address),
  sk: address.run === undefined ? 'TASK' : RUNS + String(address.run).padStart(RUN_DIGITS, '0'),
});
/** Numbers of the same length lie in their order. */
export const RUNS = 'RUN#';
const RUN_DIGITS = 8;
export const tasksList = (organization: string, face: TaskApi): string => `O#${organization}#TASKS#${face}`;

export function parseTaskAddress({ pk, sk }: Key): TaskAddress {
  const [, organization = '', , taskId = ''] = pk.split('#');
  const address = { organization, taskId };
  return sk.startsWith(RUNS) ? { ...address, run: Number(sk.slice(RUNS.length)) } : address;
}

/** The index tells tasks of one namespace by this: a name of up to 128 characters would be carried by every write. */
export const namespaceMark = (namespace: string): string =>
  `chat#${createHash('sha256').update(namespace).digest('base64url').slice(0, 11)}`;

type StoredTask = Pick<Row<Task>, 'dueAt'>;

export function taskDraft(address: TaskAddress, task: Task, now: number, held?: StoredTask): Draft<Task> {
  const dueAt = dueAtFor(task, held?.dueAt, now);
  return {
    ...taskKey(address),
    value: task,
    ...(address.run === undefined ? { listed: listPositionOf(address, task) } : {}),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...expiryOf(task, now),
  };
}

/** The one that ended, in a place of its own. */
export const runDraft = ({ organization, taskId }: TaskAddress, ended: Task, now: number): Draft<Task> =>
  taskDraft({ organization, taskId, ...(ended.run ? { run: ended.run.number } : {}) }, ended, now);

function expiryOf(task: Task, now: number): { expiresAt?: number } {
  const { endedAt = now, run } = task;
  if (isOpen(task) || isRunEnd(task)) return {};
  return { expiresAt: endedAt + (run ? TASK_LIMITS.runKeptMs : retentionMs(task)) };
}

function listPositionOf(address: TaskAddress, task: Task): Listed {
  const { face, type, priority, createdAt: at, endedAt } = task;
  const listed = {
    list: tasksList(address.organization, face),
    at,
    id: address.taskId,
    state: stateInList(task),
    type,
    priority,
  };
  return endedAt === undefined || isRunEnd(task) ? listed : { ...listed, endedAt };
}

/** Behind its end. */
export const retentionMs = ({ keptDays = USUAL_LIMITS.keptDays }: Pick<Task, 'keptDays'>): number => daysMs(keptDays);

/** The rows around a task are written before its end is known: they stay as long as it could at most. */
export function detailsExpireAt(task: Task): number {
  const { createdAt, queuedAt, startedAt = queuedAt, timeoutMs, recurs } = task;
  const { waitMs, runKeptMs } = TASK_LIMITS;
  const [from, kept] = recurs ? [startedAt, runKeptMs] : [Math.max(createdAt, queuedAt), retentionMs(task)];
  return from + waitMs + timeoutMs + kept + 3_600_000;
}
