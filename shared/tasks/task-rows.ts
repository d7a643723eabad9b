/** Where a task's rows lie, and how its item becomes a row. */
import { createHash } from 'node:crypto';
import { daysMs, USUAL_LIMITS } from '../core/stage-limits.ts';
import type { Draft, Key, Row } from '../ports.ts';
import { isOpen, type ListedState, TASK_LIMITS, type Task, type TaskFace } from './task.ts';
import { dueAtFor } from './wake-up.ts';

export type TaskAddress = { organization: string; taskId: string };

export const taskPartition = ({ organization, taskId }: TaskAddress): string => `O#${organization}#T#${taskId}`;
export const taskKey = (address: TaskAddress): Key => ({ pk: taskPartition(address), sk: 'TASK' });
export const tasksList = (organization: string, face: TaskFace): string => `O#${organization}#TASKS#${face}`;

export function addressIn({ pk }: Key): TaskAddress {
  const [, organization = '', , taskId = ''] = pk.split('#');
  return { organization, taskId };
}

/** The index tells tasks of one namespace by this: a name of up to 128 characters would be carried by every write. */
export const namespaceMark = (namespace: string): string =>
  `chat#${createHash('sha256').update(namespace).digest('base64url').slice(0, 11)}`;

type Held = Pick<Row<Task>, 'dueAt'>;

/** As callers see it: what was begun once stays begun, also while it waits for its next attempt. */
export function stateInList({ state, attempt, cancelAt }: Task): ListedState {
  if (state === 'queued') return attempt > 0 ? 'running' : state;
  return state === 'running' && cancelAt !== undefined ? 'cancelling' : state;
}

export function taskDraft(address: TaskAddress, task: Task, now: number, held?: Held): Draft<Task> {
  const { face, type, priority, createdAt: at, endedAt } = task;
  const dueAt = dueAtFor(task, held?.dueAt, now);
  const listed = {
    list: tasksList(address.organization, face),
    at,
    id: address.taskId,
    state: stateInList(task),
    type,
    priority,
  };
  return {
    ...taskKey(address),
    value: task,
    listed: endedAt === undefined ? listed : { ...listed, endedAt },
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(isOpen(task) ? {} : { expiresAt: (endedAt ?? now) + keptMs(task) }),
  };
}

const keptMs = ({ keptDays = USUAL_LIMITS.keptDays }: Pick<Task, 'keptDays'>): number => daysMs(keptDays);

/** The rows around a task are written before its end is known: they stay as long as it could at most. */
type Lasting = Pick<Task, 'createdAt' | 'timeoutMs' | 'keptDays'>;

export const aroundExpiresAt = (task: Lasting): number =>
  task.createdAt + TASK_LIMITS.waitMs + task.timeoutMs + keptMs(task) + 3_600_000;
