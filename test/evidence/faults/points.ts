/** Crash points of a process: before and after each outside call, within a page of the reconciler, and at its timeout. */
import type { Row, Table } from '../../../shared/ports.ts';
import { isOpen, type Task } from '../../../shared/tasks/task.ts';
import type { TableCall } from '../../shared/tasks/intercepted-table.ts';

export type Role = 'caller' | 'worker' | 'sender' | 'reconciler';

/**
 * `accept`: the rows of a submit. `write`: a change of a task. `result`: a result or checkpoint of an attempt.
 * `hint`: a queue message. `model`: a call of the model. `post`: a webhook. `mark`: the write of a delivery's outcome.
 */
export type Deed = 'accept' | 'write' | 'result' | 'hint' | 'model' | 'post' | 'mark' | 'page' | 'other';

export const POINTS = [
  'before accept',
  'after accept',
  'before write',
  'after write',
  'before result',
  'after result',
  'before hint',
  'after hint',
  'before model',
  'after model',
  'before post',
  'after post',
  'before mark',
  'after mark',
  'in a page',
  'at the time limit',
] as const;
export type Point = (typeof POINTS)[number];

type Written = { value: Task };

export function deedOf(role: Role, { name, isWrite, args }: TableCall): Deed {
  const [row, next] = args as [{ sk?: string }, Written | undefined];
  const sk = row?.sk ?? '';
  if (role === 'caller' && name === 'insert') return 'accept';
  if (role === 'worker' && name === 'insert') return 'result';
  if (role === 'reconciler' && name === 'getMany') return 'page';
  if (!isWrite || !isTask(sk) || !next) return 'other';
  return SENDS.has(role) && isMark(row as Row<Task>, next.value) ? 'mark' : 'write';
}

const SENDS: ReadonlySet<Role> = new Set<Role>(['worker', 'sender']);
/** A write of a delivery's outcome, or of its postponement. */
const isMark = ({ value: before }: Row<Task>, after: Task): boolean =>
  !isOpen(before) && !isOpen(after) && after.hook?.state !== 'sending';

export const isTask = (sk: string): boolean => sk === 'TASK' || sk.startsWith('RUN#');

/** The id of the task that a call concerns, from its partition key; `undefined`: the call concerns no task. */
export function taskOfCall({ name, args }: { name: keyof Table; args: readonly unknown[] }): string | undefined {
  const [first] = args as [{ pk?: string } | { pk?: string }[] | string | number | undefined];
  const of = Array.isArray(first) ? first[0] : first;
  const pk = name === 'rows' ? String(first) : typeof of === 'object' ? of?.pk : undefined;
  return pk?.split('#T#')[1];
}

export const taskOfHint = (body: string): string => (JSON.parse(body) as { taskId: string }).taskId;
