/** `GET /tasks`: filtered, sorted and counted exactly within the newest 10,000. */

import { TASK_TYPES } from '../../shared/agents/agent-input.ts';
import { STATUSES } from '../../shared/agents/agent-task.ts';
import { sameWord } from '../../shared/agents/fields.ts';
import { type AgentTaskFilter, listAgentTasks, SORT_FIELDS } from '../../shared/agents/list-agent-tasks.ts';
import { shownId } from '../../shared/core/ids.ts';
import { titleOf } from '../../shared/tasks/details.ts';
import { isRunEnd } from '../../shared/tasks/task.ts';
import { type Query, route } from '../http/route.ts';
import type { TasksContext } from './context.ts';
import { LISTS } from './limits.ts';
import { invalidFields } from './problems.ts';
import { minutesOf, statusOf, timeOf } from './task-view.ts';

export const DEFAULT_PAGE = 20;
export const MAX_PAGE = 100;
export const MAX_OFFSET = 10_000;
export const ORDERS = ['desc', 'asc'] as const;

type Page = Awaited<ReturnType<typeof listAgentTasks>>;

export const listTasks = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks',
  about: "Lists the organization's tasks, filtered and sorted.",
  caller: 'viewer',
  limit: LISTS,
  replies: { 200: 'One page of the tasks that match.' },
  async run({ caller: { organization }, query }, context) {
    const wanted = wantedIn(query, organization);
    const page = await listAgentTasks(context, wanted);
    return { status: 200, body: pageShown(page, wanted) };
  },
});

type Shown = { limit: number; include: 'title' | undefined };

const pageShown = ({ tasks, total, isCapped, offset, hasNext, next = undefined }: Page, { limit, include }: Shown) => ({
  tasks: tasks.map((each) => ({ ...itemShown(each), ...(include ? { title: titleOf(each.about) } : {}) })),
  pagination: {
    total_count: total,
    total_count_capped: isCapped,
    offset,
    limit,
    has_next: hasNext,
    next_cursor: next ?? null,
  },
});

function itemShown({ taskId, task, about }: Page['tasks'][number]) {
  const { type, priority, progress, createdAt, startedAt } = task;
  // A run that ended makes room for the next one.
  const endedAt = isRunEnd(task) ? undefined : task.endedAt;
  return {
    task_id: shownId(taskId),
    status: statusOf(task),
    task_type: type,
    priority,
    progress_percentage: progress,
    created_at: timeOf(createdAt),
    completed_at: timeOf(endedAt),
    duration_minutes: endedAt === undefined ? null : minutesOf(endedAt - (startedAt ?? endedAt)),
    metadata: about.metadata ?? {},
  };
}

/** Checks every parameter, so that all errors are returned at once. */
function wantedIn(query: Query, organization: string): AgentTaskFilter & Pick<Shown, 'include'> {
  const faults: Record<string, string> = {};
  const offset = wholeIn(query, { name: 'offset', defaultValue: 0, min: 0, max: MAX_OFFSET, faults });
  const limit = wholeIn(query, { name: 'limit', defaultValue: DEFAULT_PAGE, min: 1, max: MAX_PAGE, faults });
  const sortBy = wordIn(query, { name: 'sort_by', known: SORT_FIELDS, faults }) ?? 'created_at';
  const order = wordIn(query, { name: 'sort_order', known: ORDERS, faults }) ?? 'desc';
  const type = wordIn(query, { name: 'task_type', known: TASK_TYPES, faults });
  const include = wordIn(query, { name: 'include', known: ['title'], faults });
  const states = statesIn(query, faults);
  const cursor = query.get('cursor');
  if (cursor !== null && query.has('offset')) faults.cursor = 'goes without offset';
  if (Object.keys(faults).length > 0) throw invalidFields(faults);
  return {
    organization,
    fits: (entry) => type === undefined || entry.type === type,
    states,
    sortBy,
    descending: order === 'desc',
    limit,
    from: cursor === null ? { offset } : { cursor },
    include,
  };
}

type Faults = { faults: Record<string, string> };
type Whole = { name: string; defaultValue: number; min: number; max: number } & Faults;

function wholeIn(query: Query, { name, defaultValue, min, max, faults }: Whole): number {
  const text = query.get(name);
  const value = text === null ? defaultValue : Number(text);
  if (text === null || (/^\d{1,5}$/.test(text) && value >= min && value <= max)) return value;
  faults[name] = `must be a whole number from ${min} to ${max}`;
  return defaultValue;
}

function wordIn<T extends string>(
  query: Query,
  { name, known, faults }: { name: string; known: readonly T[] } & Faults,
): T | undefined {
  const text = query.get(name);
  const found = text === null ? undefined : sameWord(known, text);
  if (text !== null && found === undefined) faults[name] = `must be one of ${known.join(', ')}`;
  return found;
}

const BY_STATUS = Map.groupBy(Object.keys(STATUSES) as (keyof typeof STATUSES)[], (state) => STATUSES[state]);

/** `accepted` is what the answer to a submit calls a task that is pending. */
export const STATES = new Map<string, string[]>([...BY_STATUS, ['accepted', BY_STATUS.get('pending') ?? []]]);

function statesIn(query: Query, faults: Record<string, string>): Set<string> | undefined {
  const words = query
    .get('status')
    ?.split(',')
    .map((word) => word.trim().toLowerCase());
  if (words?.some((word) => !STATES.has(word)))
    faults.status = `must be one or more of ${[...STATES.keys()].join(', ')}`;
  return words && new Set(words.flatMap((word) => STATES.get(word) ?? []));
}
