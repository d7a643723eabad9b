/** Pages of an organization's tasks, newest first, optionally of one state or namespace. */

import { definedFields } from '../core/optional-fields.ts';
import { getInBatches } from '../core/table-access.ts';
import type { ListEntry, Page, Row, Table } from '../ports.ts';
import { detailsKey, type TaskDetails } from './details.ts';
import { readUsage, type TaskView } from './get-task.ts';
import { resultsOf } from './results.ts';
import { type TaskAddress, taskKey, tasksList } from './rows.ts';
import type { Task, TaskApi, VisibleState } from './task.ts';
import { isListedOpen, OPEN, visibleState } from './visible-state.ts';

/** Index entries of an organization's tasks. */
type ListPositions = { organization: string; entries: ListEntry[] };

/** Filters entries by state. Reads items only of open tasks, and only if some open states are wanted and others not. */
export async function tasksInStates(
  table: Table,
  { organization, entries }: ListPositions,
  states: ReadonlySet<string> | undefined,
): Promise<ListEntry[]> {
  if (!states) return entries;
  const openStates = OPEN.filter((state) => states.has(state)).length;
  const isAllOrNone = openStates === 0 || openStates === OPEN.length;
  const open = isAllOrNone ? [] : entries.filter(isListedOpen);
  const rows = await getInBatches<Task>(
    table,
    open.map(({ id: taskId }) => taskKey({ organization, taskId })),
  );
  const stateByEntry = new Map(open.map((entry, at) => [entry, visibleStateOf(rows[at])]));
  return entries.filter((entry) => {
    const state = stateByEntry.has(entry) ? stateByEntry.get(entry) : entry.state;
    return isAllOrNone && isListedOpen(entry) ? openStates > 0 : state !== undefined && states.has(state);
  });
}

type TaskFilter = {
  organization: string;
  api: TaskApi;
  limit: number;
  after?: string;
  fits(listed: ListEntry): boolean;
  /** `undefined`: all states. */
  states: ReadonlySet<string> | undefined;
};

/** The most index entries that a page reads; for a rare state or namespace the next page continues. */
const MAX_READ = 5_000;
const PAGE_SIZE = 500;

export async function listTasks({ table }: { table: Table }, filter: TaskFilter): Promise<Page<TaskView>> {
  const { rows: entries, next } = await matchingPositions(table, filter);
  const addresses = entries.map(({ id }): TaskAddress => ({ organization: filter.organization, taskId: id }));
  const [tasks, abouts] = await Promise.all([
    table.getMany<Task>(addresses.map(taskKey)),
    table.getMany<TaskDetails>(addresses.map(detailsKey)),
  ]);
  // The index may lag behind the rows, so its entries are read from the table.
  const existingTasks = tasks.flatMap((row, at) => {
    const address = addresses[at];
    return row && address ? [{ address, task: row.value, about: abouts[at]?.value ?? {} }] : [];
  });
  const results = await resultsOf(table, existingTasks);
  const rows = await Promise.all(
    existingTasks.map(async ({ address, task, about }, at) => {
      const result = results[at];
      const usage = await readUsage(table, address, task, result);
      return { taskId: address.taskId, task, about, result, usage };
    }),
  );
  return { rows, ...nextOf(next) };
}

const visibleStateOf = (row: Row<Task> | undefined): VisibleState | undefined => row && visibleState(row.value);

async function matchingPositions(table: Table, filter: TaskFilter): Promise<Page<ListEntry>> {
  const { organization, api, limit, after, fits, states } = filter;
  const list = tasksList(organization, api);
  const matches: ListEntry[] = [];
  // Starts with the requested number, because without a filter every entry fits.
  let max = limit;
  let position = after;
  for (let looked = 0; looked < MAX_READ && matches.length < limit; looked += max, max = PAGE_SIZE) {
    const paging = { limit: max, newestFirst: true, ...definedFields({ after: position }) };
    const page = await table.listed(list, paging);
    const inStates = await tasksInStates(table, { organization, entries: page.rows.filter(fits) }, states);
    const fitting = inStates.slice(0, limit - matches.length);
    matches.push(...fitting);
    const last = fitting.at(-1);
    if (matches.length === limit && last && last !== page.rows.at(-1)) {
      // The next page starts after the last entry that fits; only the table knows that cursor.
      const upToLast = await table.listed(list, { ...paging, limit: page.rows.indexOf(last) + 1 });
      return { rows: matches, ...nextOf(upToLast.next) };
    }
    position = page.next;
    if (position === undefined) break;
  }
  return { rows: matches, ...nextOf(position) };
}

const nextOf = (next: string | undefined) => (next === undefined ? {} : { next });
