/** The routes of one task: status, input, results, cancel. */

import * as v from 'valibot';
import type { AgentInput, TaskType } from '../../shared/agents/agent-input.ts';
import { AGENTS_FACE, type AgentTask, readAgentTask } from '../../shared/agents/agent-task.ts';
import { type CancelledTask, cancelAgentTask } from '../../shared/agents/cancel-agent-task.ts';
import { words } from '../../shared/agents/fields.ts';
import { shownId, taskIdIn } from '../../shared/core/ids.ts';
import { Problem } from '../../shared/core/problem.ts';
import { laterReports, withLaterReports } from '../../shared/mail/mail.ts';
import { readInput } from '../../shared/tasks/details.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { isOpen } from '../../shared/tasks/task.ts';
import { spentBefore } from '../../shared/usage/usage.ts';
import { type Route, route, SANDBOX } from '../http/route.ts';
import type { TasksContext } from './context.ts';
import { CANCELS, INPUT_READS, RESULT_READS, SNAPSHOT_READS, STATUS_READS } from './limits.ts';
import {
  hasResults,
  pollAgainSeconds,
  reportOf,
  resultFiles,
  resultsView,
  runsView,
  statusOf,
  statusView,
  timeOf,
  usageView,
} from './task-view.ts';

type Shown = Record<string, unknown>;

const MAX_REASON = 500;

const status = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId',
  about: 'Returns the status and the progress of a task.',
  caller: 'viewer',
  limit: STATUS_READS,
  replies: { 200: 'The status, the progress and what was produced so far.' },
  async run({ caller: { organization }, params: { taskId } }, context) {
    const found = await readAgentTask(context, { organization, taskId: taskIdIn(taskId) });
    const body = await statusIn(found, organization, context);
    if (!isOpen(found.task)) return { status: 200, body };
    const seconds = await pollAgainSeconds(context, { organization, task: found.task, limit: STATUS_READS });
    return { status: 200, body, headers: { 'retry-after': String(seconds) } };
  },
});

async function statusIn(found: AgentTask, organization: string, { typicalDuration, clock }: TasksContext) {
  const { task } = found;
  const typicalMs = isOpen(task) ? await typicalDuration(organization, task.type as TaskType) : 0;
  return statusView(found, { typicalMs, now: clock.now() });
}

const input = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/input',
  about: 'Returns what a task was submitted with.',
  caller: 'viewer',
  limit: INPUT_READS,
  replies: { 200: 'The task type, the model and the input with its defaults.' },
  async run({ caller: { organization }, params: { taskId } }, context) {
    const address = { organization, taskId: taskIdIn(taskId) };
    const { task, about, input } = await readInput<AgentInput>(context, address, AGENTS_FACE);
    return {
      status: 200,
      body: {
        task_id: shownId(address.taskId),
        task_type: task.type,
        model: input.model,
        input: input.asked,
        webhook_url: about.endpoint ?? null,
        priority: task.priority,
        metadata: about.metadata ?? {},
      },
    };
  },
});

const results = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/results',
  about: 'Returns the results of a finished task; of one that did not complete, the output of its finished stages.',
  caller: 'viewer',
  limit: RESULT_READS,
  replies: { 200: 'The results; partial ones if the task failed, was cancelled or recurs.' },
  async run({ caller: { organization }, params: { taskId } }, context) {
    const address = { organization, taskId: taskIdIn(taskId) };
    const found = await readAgentTask(context, address);
    const body = await resultsIn(found, address, context);
    if (body) return { status: 200, body: { ...body, results: await changed(found, address, context, body.results) } };
    throw await notCompleted(found, organization, context);
  },
});

async function notCompleted(found: AgentTask, organization: string, context: TasksContext): Promise<Problem> {
  const { status: word, progress } = await statusIn(found, organization, context);
  const it = found.task.recurs ? 'its first run' : 'it';
  return new Problem('notCompleted', `The task is ${word}; its results are there when ${it} has ended.`, {
    details: { status: word, progress },
    retryAfterSeconds: await pollAgainSeconds(context, { organization, task: found.task, limit: RESULT_READS }),
  });
}

const source = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/tasks/:taskId/results/sources/:source',
  about: 'Returns the text of a source that the results cite, as it was when it was read.',
  caller: 'viewer',
  limit: SNAPSHOT_READS,
  replies: { 200: 'The text as an attachment; its URL, its time and its hash are in headers.' },
  async run({ caller: { organization }, params: { taskId, source } }, context) {
    const found = await readAgentTask(context, { organization, taskId: taskIdIn(taskId) });
    if (isOpen(found.task)) throw await notCompleted(found, organization, context);
    const answer = await context.readSnapshot(reportOf(found)?.snapshots, source ?? '');
    if ('problem' in answer) throw new Problem(answer.problem, answer.message);
    return { ...answer, headers: { ...SANDBOX, ...answer.headers } };
  },
});

/** Undefined while there are none. */
async function resultsIn(found: AgentTask, address: TaskAddress, context: TasksContext) {
  const { recurs } = found.task;
  if (recurs && recurs.run > 1) return runsView(context, address, found, recurs);
  if (isOpen(found.task)) return undefined;
  return resultsView(found, await resultFiles(context, reportOf(found)?.files ?? []));
}

/** Mails may come back long after their run has ended. */
async function changed({ task }: AgentTask, address: TaskAddress, { table }: TasksContext, results: Shown) {
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
  limit: CANCELS,
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
    const usage = task.attempt === 0 ? undefined : await spentBefore(context.table, address, task);
    return {
      status: isOpen(task) ? 202 : 200,
      body: { ...cancelShown(cancelled), stopped_at: timeOf(task.endedAt), usage: usageView(usage) },
    };
  },
});

function cancelShown({ taskId, task, about, options: { reason, force } }: CancelledTask) {
  return {
    task_id: shownId(taskId),
    status: statusOf(task),
    previous_status: task.startedAt === undefined ? 'pending' : 'processing',
    reason: reason ?? null,
    force,
    requested_at: timeOf(task.cancelAt ?? task.endedAt),
    results_available: hasResults(task),
    metadata: about.metadata ?? {},
  };
}

export const taskRoutes: Route<TasksContext>[] = [status, input, results, source, cancel];
