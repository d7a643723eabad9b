/** The rows of a task: their keys, the item of its index, and the runs of a recurring one. */

import { hash } from 'node:crypto';
import { definedFields } from '../core/optional-fields.ts';
import { DEFAULT_LIMITS, daysMs } from '../core/stage-limits.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Draft, Key, Listed, Prerequisites, Row, Table } from '../ports.ts';
import { parseSchedule, slotAfter } from '../schedules/schedule.ts';
import { dueAtFor } from './decide.ts';
import {
  isBetweenRuns,
  isOpen,
  isRunEnd,
  type Missed,
  type Moved,
  type ShownState,
  TASK_LIMITS,
  type Task,
  type TaskApi,
} from './task.ts';

/** The address of a task or of one of its ended runs. */
export type TaskAddress = { organization: string; taskId: string; run?: number };

export const taskPartition = ({ organization, taskId }: TaskAddress): string => `O#${organization}#T#${taskId}`;
export const taskKey = (address: TaskAddress): Key => ({
  pk: taskPartition(address),
  sk: address.run === undefined ? 'TASK' : RUNS + String(address.run).padStart(RUN_DIGITS, '0'),
});
/** Padded numbers, so that runs sort in their order. */
const RUNS = 'RUN#';
const RUN_DIGITS = 8;
export const tasksList = (organization: string, face: TaskApi): string => `O#${organization}#TASKS#${face}`;

export function parseTaskAddress({ pk, sk }: Key): TaskAddress {
  const [, organization = '', , taskId = ''] = pk.split('#');
  const address = { organization, taskId };
  return sk.startsWith(RUNS) ? { ...address, run: Number(sk.slice(RUNS.length)) } : address;
}

/** Task ids as the agent API shows them: a UUID after a prefix. */
const SHOWN_PREFIX = 'task_';

export const shownId = (taskId: string): string => SHOWN_PREFIX + taskId;

/** Empty for a text that cannot be one of our ids. */
export const taskIdIn = (shown = ''): string =>
  shown.startsWith(SHOWN_PREFIX) ? shown.slice(SHOWN_PREFIX.length) : '';

/** A hash that distinguishes namespaces in the index, because every write would carry a name of up to 128 characters. */
export const namespaceMark = (namespace: string): string =>
  `chat#${hash('sha256', namespace, 'base64url').slice(0, 11)}`;

type StoredTask = Pick<Row<Task>, 'dueAt'>;

export function taskDraft(address: TaskAddress, task: Task, now: number, held?: StoredTask): Draft<Task> {
  const dueAt = dueAtFor(task, held?.dueAt, now);
  return {
    ...taskKey(address),
    value: task,
    ...(address.run === undefined ? { listed: listPositionOf(address, task) } : {}),
    ...definedFields({ dueAt }),
    ...expiryOf(task, now),
  };
}

/** The ended run, under a key of its own. */
const runDraft = ({ organization, taskId }: TaskAddress, ended: Task, now: number): Draft<Task> =>
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

/** How long a task is kept after its end. */
export const retentionMs = ({ keptDays = DEFAULT_LIMITS.keptDays }: Pick<Task, 'keptDays'>): number => daysMs(keptDays);

/** A task's other rows are written before its end is known, so they last as long as the task could at most. */
export function detailsExpireAt(task: Task): number {
  const { createdAt, queuedAt, startedAt = queuedAt, timeoutMs, recurs } = task;
  const { waitMs, runKeptMs } = TASK_LIMITS;
  const [from, kept] = recurs ? [startedAt, runKeptMs] : [Math.max(createdAt, queuedAt), retentionMs(task)];
  return from + waitMs + timeoutMs + kept + HOUR_MS;
}

/** A task that has started counts as running, even while it waits for its next attempt. */
export function stateShown(task: Task): ShownState {
  const { state, startedAt, recurs, cancelAt } = task;
  if (isRunEnd(task) || (recurs && isBetweenRuns(task))) return 'recurring';
  if (state === 'queued') return startedAt === undefined ? state : 'running';
  return state === 'running' && cancelAt !== undefined ? 'cancelling' : state;
}

/** The states of open tasks that callers see; the index contains only the first one. */
export const OPEN: readonly ShownState[] = ['queued', 'running', 'cancelling'];
const IN_LIST: ShownState = 'queued';

function stateInList(task: Task): ShownState {
  const shown = stateShown(task);
  return isOpen(task) && shown !== 'recurring' ? IN_LIST : shown;
}

export const isListedOpen = ({ state }: Pick<Listed, 'state'>): boolean => state === IN_LIST;

/** When a task last changed, derived from its item; never before its creation, even if the clock was set back. */
export const lastMovedAt = (task: Task, now: number): number => Math.max(task.createdAt, movedAt(task, now));

function movedAt(task: Task, now: number): number {
  const { createdAt, queuedAt, leaseUntil, cancelAt = 0, endedAt, past } = task;
  if (endedAt !== undefined) return endedAt;
  // A lease starts at its last heartbeat or claim.
  if (leaseUntil !== undefined) return Math.max(leaseUntil - TASK_LIMITS.leaseMs, cancelAt);
  const [, , endOfLast = 0] = past?.at(-1) ?? [];
  // During the backoff after a failed attempt, `queuedAt` is in the future.
  return queuedAt <= now ? queuedAt : createdAt + endOfLast;
}

const MISSED = 'MISSED#';
const INSTANT_DIGITS = 14;
/** The most stretches of missed slots that are read. Each one stands for an overlap or a standstill of a day or more. */
const MAX_STRETCHES = 50;

/** Written before the task's own change; every writer writes the same rows. */
export function endedRunDrafts(address: TaskAddress, { ended, missed }: Moved, now: number): Prerequisites {
  return [...(ended ? [runDraft(address, ended, now)] : []), ...(missed ? [missedDraft(address, missed)] : [])];
}

/** The key contains both ends, because an earlier reader may have seen fewer slots. */
const missedDraft = (address: TaskAddress, missed: Missed): Draft<Missed> => ({
  pk: taskPartition(address),
  sk: MISSED + [missed.from, missed.to].map((at) => String(at).padStart(INSTANT_DIGITS, '0')).join('#'),
  value: missed,
  expiresAt: missed.to + TASK_LIMITS.runKeptMs,
});

/** Newest first. */
export async function runsOf(table: Table, address: TaskAddress, max: number): Promise<Row<Task>[]> {
  const { rows } = await table.rows<Task>(taskPartition(address), RUNS, { limit: max, newestFirst: true });
  return rows;
}

/** The newest slots without a run, newest first. */
export async function missedSlots(table: Table, address: TaskAddress, { by, max }: { by: string; max: number }) {
  const { rows } = await table.rows<Missed>(taskPartition(address), MISSED, {
    limit: MAX_STRETCHES,
    newestFirst: true,
  });
  const slots = new Set(rows.flatMap(({ value }) => slotsIn(value, by)));
  return [...slots].sort((a, b) => b - a).slice(0, max);
}

/** Longer than any standstill. */
const MAX_SLOTS = 400;

function slotsIn({ from, to }: Missed, by: string): number[] {
  const schedule = parseSchedule(by);
  const slots: number[] = [];
  for (let slot = from; slot <= to && slots.length < MAX_SLOTS; slot = slotAfter(schedule, slot)) slots.push(slot);
  return slots;
}
