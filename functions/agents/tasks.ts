/** The routes of tasks: list, status, input, events, results, cancel. The list is exact within the newest 10,000. */

import * as v from 'valibot';
import { limitOf } from '../../shared/accounts/caps.ts';
import { type AgentInput, TASK_TYPES, type TaskType } from '../../shared/agents/agent-input.ts';
import { type EndedRun, type MissedRun, readRuns } from '../../shared/agents/agent-runs.ts';
import { type AgentTask, nextRunAt, readAgentTask } from '../../shared/agents/agent-task.ts';
import { STATUSES } from '../../shared/agents/agent-task-status.ts';
import { type CancelledTask, cancelAgentTask } from '../../shared/agents/cancel-agent-task.ts';
import { sameWord, words } from '../../shared/agents/field-schemas.ts';
import { type AgentTaskFilter, listAgentTasks, SORT_FIELDS } from '../../shared/agents/list-agent-tasks.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import { HOUR, type Limit, MINUTE } from '../../shared/limits/rate-limit.ts';
import { laterReports, withLaterReports } from '../../shared/mail/mail-outcomes.ts';
import type { Table } from '../../shared/ports.ts';
import { MAX_EVENTS, readActivity } from '../../shared/tasks/activity.ts';
import { spentBefore } from '../../shared/tasks/attempt-usage.ts';
import { usageAtCheckpoint } from '../../shared/tasks/checkpoints.ts';
import { readInput, type TaskDetails } from '../../shared/tasks/details.ts';
import { failureOf } from '../../shared/tasks/failure-message.ts';
import { resultsOf } from '../../shared/tasks/results.ts';
import { type TaskAddress, taskIdIn, toPublicId } from '../../shared/tasks/rows.ts';
import type { FinalState } from '../../shared/tasks/task.ts';
import { AGENTS_API, isBetweenRuns, isOpen, isRunEnd, type Recurrence, type Task } from '../../shared/tasks/task.ts';
import { titleIn, titleOf } from '../../shared/tasks/title.ts';
import { type Query, type Route, route, SANDBOX } from '../http/route.ts';
import { AGENT_LIMITS, type TasksContext } from './context.ts';
import { invalidFields } from './problems.ts';
import type { CancelledView, ListItemView, RunView, TaskPageView } from './task-answers.ts';
import {
  eventView,
  hasResults,
  isoTimeOrNull,
  minutesOf,
  reportOf,
  resultFiles,
  resultsView,
  statusOf,
  statusView,
  usageView,
  workMinutes,
} from './task-view.ts';

type ResultsBody = Record<string, unknown>;

const MAX_REASON = 500;

const status = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId',
  about: 'Returns the status and the progress of a task.',
  caller: 'viewer',
  limit: AGENT_LIMITS.statusReads,
  replies: { 200: 'The status, the progress and what was produced so far.' },
  async run({ caller: { organization }, params: { taskId } }, context) {
    const agentTask = await readAgentTask(context, { organization, taskId: taskIdIn(taskId) });
    const body = await statusIn(agentTask, organization, context);
    if (!isOpen(agentTask.task)) return { status: 200, body };
    const seconds = await pollAgainSeconds(context, {
      organization,
      task: agentTask.task,
      limit: AGENT_LIMITS.statusReads,
    });
    return { status: 200, body, headers: { 'retry-after': String(seconds) } };
  },
});

async function statusIn(agentTask: AgentTask, organization: string, { typicalDuration, clock }: TasksContext) {
  const { task } = agentTask;
  const typicalMs = isOpen(task) ? await typicalDuration(organization, task.type as TaskType) : 0;
  return statusView(agentTask, { typicalMs, now: clock.now() });
}

const input = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/input',
  about: 'Returns what a task was submitted with.',
  caller: 'viewer',
  limit: AGENT_LIMITS.inputReads,
  replies: { 200: 'The task type, the model and the input with its defaults.' },
  async run({ caller: { organization }, params: { taskId } }, context) {
    const address = { organization, taskId: taskIdIn(taskId) };
    const { task, about, input } = await readInput<AgentInput>(context, address, AGENTS_API);
    return {
      status: 200,
      body: {
        task_id: toPublicId(address.taskId),
        task_type: task.type,
        model: input.model,
        input: input.asked,
        webhook_url: about.endpoint ?? null,
        priority: task.priority,
        timeout_minutes: task.timeoutMs / MINUTE_MS,
        budget: about.budget
          ? { max_tokens: about.budget.maxTokens ?? null, max_usd: about.budget.maxUsd ?? null }
          : null,
        metadata: about.metadata ?? {},
        ...definedFields({ preview: input.preview }),
      },
    };
  },
});

const events = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/events',
  about: 'Lists what a research did so far, in order: queries, hits, pages, notes and what was rejected.',
  caller: 'viewer',
  limit: AGENT_LIMITS.eventReads,
  replies: { 200: 'The events behind the number `after`; empty for tasks of other types.' },
  async run({ caller: { organization }, params: { taskId }, query }, context) {
    const faults: Record<string, string> = {};
    const after = wholeIn(query, { name: 'after', defaultValue: 0, min: 0, max: MAX_EVENTS, faults });
    const bounds = { defaultValue: MAX_PAGE, min: 1, max: MAX_PAGE };
    const limit = wholeIn(query, { name: 'limit', ...bounds, faults });
    if (Object.keys(faults).length > 0) throw invalidFields(faults);
    const address = { organization, taskId: taskIdIn(taskId) };
    const page = await readActivity(context, address, { api: AGENTS_API, after, limit });
    const body = {
      task_id: toPublicId(address.taskId),
      status: statusOf(page.task),
      events: page.events.map(eventView),
      next_after: page.events.at(-1)?.n ?? after,
      has_more: page.hasMore,
      left_out: page.leftOut,
    };
    if (!isOpen(page.task)) return { status: 200, body };
    const seconds = await pollAgainSeconds(context, { organization, task: page.task, limit: AGENT_LIMITS.eventReads });
    return { status: 200, body, headers: { 'retry-after': String(seconds) } };
  },
});

const results = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/results',
  about: 'Returns the results of a finished task; of one that did not complete, the output of its finished stages.',
  caller: 'viewer',
  limit: AGENT_LIMITS.resultReads,
  replies: { 200: 'The results; partial ones if the task failed, was cancelled or recurs.' },
  async run({ caller: { organization }, params: { taskId } }, context) {
    const address = { organization, taskId: taskIdIn(taskId) };
    const agentTask = await readAgentTask(context, address);
    const body = await resultsIn(agentTask, address, context);
    if (body)
      return {
        status: 200,
        body: { ...body, results: await addLaterReports(agentTask, address, context, body.results) },
      };
    throw await notCompletedProblem(agentTask, organization, context);
  },
});

async function notCompletedProblem(
  agentTask: AgentTask,
  organization: string,
  context: TasksContext,
): Promise<Problem> {
  const { task } = agentTask;
  const { status: word, progress } = await statusIn(agentTask, organization, context);
  const subject = task.recurs ? 'its first run' : 'it';
  return new Problem('notCompleted', `The task is ${word}; its results are there when ${subject} has ended.`, {
    details: { status: word, progress },
    retryAfterSeconds: await pollAgainSeconds(context, { organization, task, limit: AGENT_LIMITS.resultReads }),
  });
}

const source = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/results/sources/:source',
  about: 'Returns the text of a source that the results cite, as it was when it was read.',
  caller: 'viewer',
  limit: AGENT_LIMITS.snapshotReads,
  replies: { 200: 'The text as an attachment; its URL, its time and its hash are in headers.' },
  async run({ caller: { organization }, params: { taskId, source } }, context) {
    const agentTask = await readAgentTask(context, { organization, taskId: taskIdIn(taskId) });
    if (isOpen(agentTask.task)) throw await notCompletedProblem(agentTask, organization, context);
    const answer = await context.readSnapshot(reportOf(agentTask)?.snapshots, source ?? '');
    if ('problem' in answer) throw new Problem(answer.problem, answer.message);
    return { ...answer, headers: { ...SANDBOX, ...answer.headers } };
  },
});

/** Returns `undefined` while there are no results. */
async function resultsIn(agentTask: AgentTask, address: TaskAddress, context: TasksContext) {
  const { recurs } = agentTask.task;
  if (recurs && recurs.run > 1) return runsView(context, address, agentTask, recurs);
  if (isOpen(agentTask.task)) return undefined;
  return resultsView(agentTask, await resultFiles(context, reportOf(agentTask)?.files ?? []));
}

/** Adds later reports, because mails may bounce long after their run has ended. */
async function addLaterReports(
  { task }: AgentTask,
  address: TaskAddress,
  { table }: TasksContext,
  results: ResultsBody,
) {
  return task.type === 'notification_agent' ? withLaterReports(results, await laterReports(table, address)) : results;
}

const cancelBody = v.object({
  reason: v.nullish(words(MAX_REASON)),
  force: v.nullish(v.boolean('must be true or false'), false),
});

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const cancelTexts = () => ({
  reason: `Why you cancel, which the answer repeats; at most ${MAX_REASON} characters, default none.`,
  force: 'True ends a running task at once; by default it stops at its next safe point, within 60 s.',
});

const cancel = route<TasksContext, 'member', v.InferOutput<typeof cancelBody>>({
  method: 'POST',
  path: '/api/v1/tasks/:taskId/cancel',
  about:
    'Cancels a task. A waiting one ends at once, a running one at its next safe point. Members cancel their own, admins any.',
  caller: 'member',
  limit: AGENT_LIMITS.cancels,
  body: cancelBody,
  replies: {
    200: 'The task is cancelled and will not change.',
    202: 'The task stops at its next safe point, within a minute.',
  },
  async run({ caller, params: { taskId }, body: { reason, force } }, context) {
    const address = { organization: caller.organization, taskId: taskIdIn(taskId) };
    const options = { force, ...(reason ? { reason } : {}) };
    const cancelled = await cancelAgentTask(context, address, { caller, options });
    const { task } = cancelled;
    const produced = task.checkpoint > 0 ? await readAgentTask(context, address) : NOTHING;
    const usage = task.attempt === 0 ? undefined : await spentSoFar(context.table, address, task);
    return {
      status: isOpen(task) ? 202 : 200,
      body: {
        ...cancellationView(cancelled, produced),
        stopped_at: isoTimeOrNull(task.endedAt),
        usage: usageView(usage),
      },
    };
  },
});

const spentSoFar = async (table: Table, address: TaskAddress, task: Task) =>
  spentBefore(table, address, task, await usageAtCheckpoint(table, address, task));

type TaskOutputs = Pick<AgentTask, 'result' | 'reached'>;
const NOTHING: TaskOutputs = { result: undefined, reached: undefined };

function cancellationView(
  { taskId, task, about, options: { reason, force } }: CancelledTask,
  produced: TaskOutputs,
): Omit<CancelledView, 'stopped_at' | 'usage'> {
  return {
    task_id: toPublicId(taskId),
    status: statusOf(task),
    previous_status: task.startedAt === undefined ? 'pending' : 'processing',
    reason: reason ?? null,
    force,
    requested_at: isoTimeOrNull(task.cancelAt ?? task.endedAt),
    results_available: hasResults({ ...produced, task }),
    metadata: about.metadata ?? {},
  };
}

export const taskRoutes: Route<TasksContext>[] = [status, input, events, results, source, cancel];

/** The results of a recurring task: its newest runs and the time of the next one. */
async function runsView(context: TasksContext, address: TaskAddress, agentTask: AgentTask, recurs: Recurrence) {
  const runs = await readRuns(context, address, recurs);
  return {
    ...resultsView(agentTask, []),
    results: {
      next_run_at: isoTimeOrNull(nextRunAt(agentTask.task)),
      runs: await Promise.all(runs.map((run) => ('run' in run ? endedRunView(context, run) : missedRunView(run)))),
    },
    partial: true,
  };
}

async function endedRunView(context: TasksContext, { run, task, result, reached, usage }: EndedRun): Promise<RunView> {
  const report = result?.report ?? reached?.report;
  const files = await resultFiles(context, report?.files ?? []);
  const { startedAt, endedAt } = task;
  return {
    run: run.number,
    slot_at: isoTimeOrNull(run.slotAt),
    status: STATUSES[task.state as FinalState],
    started_at: isoTimeOrNull(startedAt),
    completed_at: isoTimeOrNull(endedAt),
    duration_minutes: workMinutes(task),
    results: { ...report?.results, ...(files.length > 0 ? { files } : {}) },
    usage: usageView(usage),
    ...(task.state === 'failed' ? { error: failureOf(task, result) } : {}),
  };
}

const missedRunView = ({ slotAt }: MissedRun): RunView => ({
  run: null,
  slot_at: isoTimeOrNull(slotAt),
  status: 'missed',
  started_at: null,
  completed_at: null,
  duration_minutes: minutesOf(0),
  results: {},
});

/** A client that polls at this interval stays within the limit. A scheduled task is polled again at its time, or after an hour. */
async function pollAgainSeconds(
  { organizationOf, clock }: Pick<TasksContext, 'organizationOf' | 'clock'>,
  { organization: id, task, limit }: PolledTask,
): Promise<number> {
  const organization = await organizationOf(id);
  const { minute, hour } = organization ? limitOf(organization, limit) : limit;
  const waitsMs = isBetweenRuns(task) ? task.queuedAt - clock.now() : 0;
  const seconds = Math.max(MIN_SECONDS, waitsMs / 1_000, MINUTE / minute, hour === undefined ? 0 : HOUR / hour);
  return Math.min(HOUR, Math.ceil(seconds));
}

/** The shortest polling interval for an unfinished task. */
const MIN_SECONDS = 3;

type PolledTask = { organization: string; task: Task; limit: Limit };

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
  limit: AGENT_LIMITS.lists,
  replies: { 200: 'One page of the tasks that match.' },
  async run({ caller: { organization }, query }, context) {
    const filter = parseListQuery(query, organization);
    const page = await listAgentTasks(context, filter);
    const titles = filter.include ? await titlesOf(context, organization, page.tasks) : undefined;
    return { status: 200, body: pageView(page, { ...filter, titles }) };
  },
});

/** Most titles are a part of the input; a notification without a subject has the one that the agent wrote. */
async function titlesOf(
  { table }: TasksContext,
  organization: string,
  tasks: Page['tasks'],
): Promise<(string | null)[]> {
  const composed = tasks.filter(({ task, about }) => task.state === 'succeeded' && lacksSubject(task, about));
  const addressed = composed.map(({ taskId, task }) => ({ address: { organization, taskId }, task }));
  const results = await resultsOf(table, addressed);
  const subjects = new Map(composed.map(({ taskId }, at) => [taskId, results[at]?.report?.preview.subject]));
  return tasks.map(({ taskId, about }) => {
    const subject = subjects.get(taskId);
    const { preview } = (about.input ?? {}) as Partial<AgentInput>;
    const written = typeof subject === 'string' ? titleIn({ preview, asked: { content: { subject } } }) : undefined;
    return written ?? titleOf(about);
  });
}

/** A long input is not read for this: its title is stored. */
function lacksSubject({ type }: Task, { input }: TaskDetails): boolean {
  if (type !== 'notification_agent' || input === undefined) return false;
  const { asked: request } = input as Partial<AgentInput<'notification_agent'>>;
  return request !== undefined && request.content.subject == null;
}

type PageOptions = { limit: number; titles: (string | null)[] | undefined };

const pageView = (
  { tasks, total, isCapped, offset, hasNext, next = undefined }: Page,
  { limit, titles }: PageOptions,
): TaskPageView => ({
  tasks: tasks.map((task, at) => ({ ...taskItemView(task), ...(titles ? { title: titles[at] ?? null } : {}) })),
  pagination: {
    total_count: total,
    total_count_capped: isCapped,
    offset,
    limit,
    has_next: hasNext,
    next_cursor: next ?? null,
  },
});

function taskItemView({ taskId, task, about }: Page['tasks'][number]): ListItemView {
  const { type, priority, progress, createdAt, startedAt } = task;
  // The end of a run is not the end of a recurring task.
  const endedAt = isRunEnd(task) ? undefined : task.endedAt;
  return {
    task_id: toPublicId(taskId),
    status: statusOf(task),
    task_type: type as TaskType,
    priority,
    progress_percentage: progress,
    created_at: isoTimeOrNull(createdAt),
    completed_at: isoTimeOrNull(endedAt),
    duration_minutes: endedAt === undefined ? null : minutesOf(endedAt - (startedAt ?? endedAt)),
    metadata: about.metadata ?? {},
  };
}

/** Checks every parameter, so that all errors are returned at once. */
function parseListQuery(query: Query, organization: string): AgentTaskFilter & { include: 'title' | undefined } {
  const faults: Record<string, string> = {};
  const offset = wholeIn(query, { name: 'offset', defaultValue: 0, min: 0, max: MAX_OFFSET, faults });
  const limit = wholeIn(query, { name: 'limit', defaultValue: DEFAULT_PAGE, min: 1, max: MAX_PAGE, faults });
  const sortBy = wordIn(query, { name: 'sort_by', choices: SORT_FIELDS, faults }) ?? 'created_at';
  const order = wordIn(query, { name: 'sort_order', choices: ORDERS, faults }) ?? 'desc';
  const type = wordIn(query, { name: 'task_type', choices: TASK_TYPES, faults });
  const include = wordIn(query, { name: 'include', choices: ['title'], faults });
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
  { name, choices, faults }: { name: string; choices: readonly T[] } & Faults,
): T | undefined {
  const text = query.get(name);
  const choice = text === null ? undefined : sameWord(choices, text);
  if (text !== null && choice === undefined) faults[name] = `must be one of ${choices.join(', ')}`;
  return choice;
}

const BY_STATUS = Map.groupBy(Object.keys(STATUSES) as (keyof typeof STATUSES)[], (state) => STATUSES[state]);

/** `accepted` is the status of a pending task in the response to its submission. */
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
