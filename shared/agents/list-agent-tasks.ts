/** Pages and daily counts of an organization's agent tasks. */
import { cursorOf, parseCursor } from '../core/cursor.ts';
import { getInBatches } from '../core/table-access.ts';
import type { ListEntry, Row, Table } from '../ports.ts';
import { detailsKey, type TaskDetails } from '../tasks/details.ts';
import { tasksInStates } from '../tasks/list-tasks.ts';
import { type TaskAddress, taskKey, tasksList } from '../tasks/rows.ts';
import { AGENTS_API, type Task, type TaskApi } from '../tasks/task.ts';
import { dateOf } from '../usage/daily-usage.ts';

export const MAX_LISTED = 10_000;

export const SORT_FIELDS = ['created_at', 'completed_at', 'priority'] as const;
type SortField = (typeof SORT_FIELDS)[number];

export type AgentTaskFilter = {
  organization: string;
  fits(entry: ListEntry): boolean;
  /** `undefined`: all states. */
  states: ReadonlySet<string> | undefined;
  sortBy: SortField;
  descending: boolean;
  limit: number;
  /** Where the page begins: after `offset` tasks, or after the last task of the previous page. */
  from: { offset: number } | { cursor: string };
};

/** Found in the index, which may lag briefly; `task` and `about` are read from the table. */
type ListedTask = { taskId: string; task: Task; about: TaskDetails };
type TaskPage = {
  tasks: ListedTask[];
  total: number;
  isCapped: boolean;
  offset: number;
  hasNext: boolean;
  next?: string;
};

/** Pages of an organization's agent tasks: filtered, sorted and counted exactly, among the newest ones. */
export async function listAgentTasks({ table }: { table: Table }, filter: AgentTaskFilter): Promise<TaskPage> {
  const { organization, limit } = filter;
  const list = tasksList(organization, AGENTS_API);
  const { rows, next } = await table.listed(list, { limit: MAX_LISTED, newestFirst: true });
  const fitting = await tasksInStates(table, { organization, entries: rows.filter(filter.fits) }, filter.states);
  const sorted = fitting.sort(compareTasks(filter));
  const offset = offsetOf(filter, sorted);
  const entries = sorted.slice(offset, offset + limit);
  const last = entries.at(-1);
  const hasNext = offset + entries.length < sorted.length;
  return {
    tasks: await withRows(table, organization, entries),
    total: sorted.length,
    isCapped: next !== undefined,
    offset,
    hasNext,
    ...(hasNext && last ? { next: cursorOf(positionIn(filter, last)) } : {}),
  };
}

/** How many tasks an organization submitted to one API per day, among its newest ones. */
export async function tasksByDay(table: Table, organization: string, api: TaskApi): Promise<Map<string, number>> {
  const { rows } = await table.listed(tasksList(organization, api), { limit: MAX_LISTED, newestFirst: true });
  const days = Map.groupBy(rows, ({ at }) => dateOf(at));
  return new Map([...days].map(([date, entries]) => [date, entries.length]));
}

const VALUES: Record<SortField, (entry: ListEntry) => number | undefined> = {
  created_at: ({ at }) => at,
  completed_at: ({ endedAt }) => endedAt,
  priority: ({ priority }) => priority,
};

type Order = Pick<AgentTaskFilter, 'sortBy' | 'descending'>;

/** Tasks without a value come last in both directions; equal tasks are sorted by id. */
function compareTasks({ sortBy, descending }: Order): (a: ListEntry, b: ListEntry) => number {
  const value = VALUES[sortBy];
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x !== y && (x === undefined || y === undefined)) return x === undefined ? 1 : -1;
    return sign * ((x ?? 0) - (y ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  };
}

const positionIn = ({ sortBy, descending }: Order, entry: ListEntry): string =>
  [sortBy, descending ? 'desc' : 'asc', VALUES[sortBy](entry) ?? '', entry.id].join(' ');

/** The cursor works even if its task is gone or has moved: the page starts after its old position. */
function offsetOf(filter: AgentTaskFilter, sorted: ListEntry[]): number {
  if ('offset' in filter.from) return filter.from.offset;
  const { sortBy, descending } = filter;
  const head = `${sortBy} ${descending ? 'desc' : 'asc'} `;
  const isOwnCursor = (position: string) =>
    position.startsWith(head) && /^\d{0,16} [\w-]+$/.test(position.slice(head.length));
  const [value = '', id = ''] = parseCursor(filter.from.cursor, isOwnCursor).slice(head.length).split(' ');
  const number = value === '' ? undefined : Number(value);
  const last = { id, at: number, endedAt: number, priority: number } as ListEntry;
  const order = compareTasks(filter);
  const behind = sorted.findIndex((entry) => order(entry, last) > 0);
  return behind < 0 ? sorted.length : behind;
}

/** Omits tasks that were deleted meanwhile. */
async function withRows(table: Table, organization: string, entries: ListEntry[]): Promise<ListedTask[]> {
  const addresses = entries.map(({ id }): TaskAddress => ({ organization, taskId: id }));
  const keys = [...addresses.map(taskKey), ...addresses.map(detailsKey)];
  const rows = await getInBatches<Task | TaskDetails>(table, keys);
  return entries.flatMap(({ id: taskId }, at) => {
    const task = rows[at] as Row<Task> | undefined;
    const about = rows[at + entries.length] as Row<TaskDetails> | undefined;
    return task ? [{ taskId, task: task.value, about: about?.value ?? {} }] : [];
  });
}
