/** Reads and cancels tasks for callers and operators: one task, pages of tasks, and the history of attempts. */

import { isUuid } from '../core/ids.ts';
import { definedFields } from '../core/optional-fields.ts';
import { getInBatches } from '../core/table-access.ts';
import type { Listed, Page, Row, Table } from '../ports.ts';
import type { Usage } from '../usage/tokens.ts';
import { usageOf } from './attempt-usage.ts';
import {
  checkedTask,
  detailsKey,
  type Result,
  readWithDetails,
  resultOf,
  resultOfAttempt,
  resultsOf,
  type TaskDetails,
  usageAtCheckpoint,
} from './details.ts';
import { isListedOpen, OPEN, stateShown, type TaskAddress, taskKey, tasksList } from './rows.ts';
import { type Interruption, isOpen, type ShownState, type Task, type TaskApi } from './task.ts';
import { type MoveOutcome, type MovePorts, moveTask } from './transition.ts';

/** Reads a task of one API. Unknown, foreign, malformed and expired ids all return 404 (no existence oracle). */
async function findTask({ table }: { table: Table }, address: TaskAddress, face: TaskApi): Promise<Row<Task>> {
  const row = isUuid(address.taskId) ? await table.get<Task>(taskKey(address)) : undefined;
  return checkedTask(row, face);
}

// A task as a poll shows it: two reads, and a third after it has ended.

/** `usage` covers all attempts; if absent, the usage in the result is shown. */
export type TaskView = {
  taskId: string;
  task: Task;
  about: TaskDetails;
  result: Result | undefined;
  usage?: Usage | undefined;
};

export async function getTask({ table }: { table: Table }, address: TaskAddress, face: TaskApi): Promise<TaskView> {
  const { row, about } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, face);
  const result = await resultOf(table, address, task);
  const usage = await usageShown(table, address, task, result);
  return { taskId: address.taskId, task, about: about ?? {}, result, usage };
}

/** Without a result, the last checkpoint may know more than the rows of the attempts: its worker was killed before it wrote. */
async function usageShown(table: Table, address: TaskAddress, task: Task, result: Result | undefined) {
  const isInCheckpoint = task.resultOf === undefined && (!isOpen(task) || task.past !== undefined);
  const stored = isInCheckpoint ? await usageAtCheckpoint(table, address, task) : result?.usage;
  return usageOf(table, address, task, stored);
}

/** Index entries of an organization's tasks. */
type ListPositions = { organization: string; entries: Listed[] };

/** Filters entries by state. Reads items only of open tasks, and only if some open states are wanted and others not. */
export async function tasksInStates(
  table: Table,
  { organization, entries }: ListPositions,
  states: ReadonlySet<string> | undefined,
): Promise<Listed[]> {
  if (!states) return entries;
  const openStates = OPEN.filter((state) => states.has(state)).length;
  const isAllOrNone = openStates === 0 || openStates === OPEN.length;
  const open = isAllOrNone ? [] : entries.filter(isListedOpen);
  const rows = await getInBatches<Task>(
    table,
    open.map(({ id: taskId }) => taskKey({ organization, taskId })),
  );
  const shown = new Map(open.map((entry, at) => [entry, shownStates(rows[at])]));
  return entries.filter((place) => {
    const state = shown.has(place) ? shown.get(place) : place.state;
    return isAllOrNone && isListedOpen(place) ? openStates > 0 : state !== undefined && states.has(state);
  });
}

const shownStates = (row: Row<Task> | undefined): ShownState | undefined => row && stateShown(row.value);

/** Pages of an organization's tasks, newest first, optionally of one state or namespace. */
type TaskFilter = {
  organization: string;
  face: TaskApi;
  limit: number;
  after?: string;
  fits(listed: Listed): boolean;
  /** `undefined`: all states. */
  states: ReadonlySet<string> | undefined;
};

/** The most index entries that a page reads; for a rare state or namespace the next page continues. */
const MAX_READ = 5_000;
const LOOK = 500;

export async function listTasks({ table }: { table: Table }, wanted: TaskFilter): Promise<Page<TaskView>> {
  const { rows: entries, next } = await matchingPositions(table, wanted);
  const addresses = entries.map(({ id }): TaskAddress => ({ organization: wanted.organization, taskId: id }));
  const [tasks, abouts] = await Promise.all([
    table.getMany<Task>(addresses.map(taskKey)),
    table.getMany<TaskDetails>(addresses.map(detailsKey)),
  ]);
  // The index may lag behind the rows, so its entries are read from the table.
  const there = tasks.flatMap((row, at) => {
    const address = addresses[at];
    return row && address ? [{ address, task: row.value, about: abouts[at]?.value ?? {} }] : [];
  });
  const results = await resultsOf(table, there);
  const rows = await Promise.all(
    there.map(async ({ address, task, about }, at) => {
      const result = results[at];
      const usage = await usageShown(table, address, task, result);
      return { taskId: address.taskId, task, about, result, usage };
    }),
  );
  return { rows, ...nextOf(next) };
}

async function matchingPositions(table: Table, wanted: TaskFilter): Promise<Page<Listed>> {
  const { organization, face, limit, after, fits, states } = wanted;
  const list = tasksList(organization, face);
  const found: Listed[] = [];
  // Starts with the requested number, because without a filter every entry fits.
  let max = limit;
  let position = after;
  for (let looked = 0; looked < MAX_READ && found.length < limit; looked += max, max = LOOK) {
    const paging = { limit: max, newestFirst: true, ...definedFields({ after: position }) };
    const page = await table.listed(list, paging);
    const inAny = await tasksInStates(table, { organization, entries: page.rows.filter(fits) }, states);
    const fitting = inAny.slice(0, limit - found.length);
    found.push(...fitting);
    const last = fitting.at(-1);
    if (found.length === limit && last && last !== page.rows.at(-1)) {
      // The next page starts after the last entry that fits; only the table knows that cursor.
      const upToLast = await table.listed(list, { ...paging, limit: page.rows.indexOf(last) + 1 });
      return { rows: found, ...nextOf(upToLast.next) };
    }
    position = page.next;
    if (position === undefined) break;
  }
  return { rows: found, ...nextOf(position) };
}

const nextOf = (next: string | undefined) => (next === undefined ? {} : { next });

/** The history of a task for the operator: every attempt, and how it ended. */
type TaskAttempt = {
  attempt: number;
  from: number;
  to?: number;
  how: Interruption | 'running' | Task['state'];
  message?: string;
};

/** Oldest first. Of the attempts that did not end the task, only the newest few are stored. */
export async function taskHistory(table: Table, address: TaskAddress, task: Task): Promise<TaskAttempt[]> {
  const past = (task.past ?? []).map(
    ([attempt, fromMs, toMs, how]): TaskAttempt => ({
      attempt,
      from: task.createdAt + fromMs,
      to: task.createdAt + toMs,
      how,
    }),
  );
  const attempts = [...past, ...latest(task)];
  return Promise.all(attempts.map(async (each) => ({ ...each, ...(await messageOf(table, address, each.attempt)) })));
}

/** The attempt that is running or that ended the task. */
function latest(task: Task): TaskAttempt[] {
  const { state, claimedAt, endedAt, past = [] } = task;
  const attempt = isFenced(task) ? task.attempt - 1 : task.attempt;
  if (claimedAt === undefined || state === 'queued' || past.some(([number]) => number === attempt)) return [];
  return [{ attempt, from: claimedAt, how: state, ...definedFields({ to: endedAt }) }];
}

/**
 * A forced cancel raises the attempt number once more without a run, which leaves a gap after the last attempt. A cancelled
 * recurring task stores no past attempts; its cancel was forced unless a cooperative one was requested first.
 */
function isFenced({ state, attempt, cancelAt, recurs, past = [] }: Task): boolean {
  if (state !== 'cancelled') return false;
  const [before = 0] = past.at(-1) ?? [];
  return recurs ? cancelAt === undefined : attempt > before + 1;
}

async function messageOf(table: Table, address: TaskAddress, attempt: number): Promise<{ message?: string }> {
  const result = await resultOfAttempt(table, address, attempt);
  return result?.failure ? { message: result.failure.message } : {};
}

/** Cancels a task: at once while it waits, or when forced; else at the next safe point of its worker. */
export async function cancelTask(
  ports: MovePorts,
  address: TaskAddress,
  { face, force }: { face: TaskApi; force: boolean },
): Promise<MoveOutcome> {
  const row = await findTask(ports, address, face);
  return (await moveTask(ports, address, { type: 'cancel', force }, { held: row })) ?? { row };
}
