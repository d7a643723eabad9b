/**
 * What a caller reads before submitting a task: `GET /usage` with the limits and the last thirty days, and `GET /sources`
 * with the sources that a task may name.
 */
import { limitOf } from '../../shared/accounts/caps.ts';
import { validSources } from '../../shared/agents/agent-input.ts';
import { tasksByDay } from '../../shared/agents/list-agent-tasks.ts';
import { countUnfinished, maxUnfinished } from '../../shared/lanes/admission.ts';
import { type Limit, limitsLeft, type Window } from '../../shared/limits/rate-limit.ts';
import { AGENTS_API } from '../../shared/tasks/task.ts';
import { tokensByDay } from '../../shared/usage/daily-usage.ts';
import { TESTS } from '../../shared/webhooks/test-webhook.ts';
import { route } from '../http/route.ts';
import { AGENT_LIMITS, type TasksContext } from './context.ts';
import { badCredential } from './problems.ts';

const LIMITS: [calls: string, limit: Limit][] = [
  ['POST /tasks', AGENT_LIMITS.submits],
  ['POST /notifications/preview', AGENT_LIMITS.submits],
  ['GET /tasks', AGENT_LIMITS.lists],
  ['GET /tasks/{task_id}', AGENT_LIMITS.statusReads],
  ['POST /tasks/{task_id}/cancel', AGENT_LIMITS.cancels],
  ['GET /tasks/{task_id}/results', AGENT_LIMITS.resultReads],
  ['GET /tasks/{task_id}/results/sources/{source}', AGENT_LIMITS.snapshotReads],
  ['GET /tasks/{task_id}/input', AGENT_LIMITS.inputReads],
  ['GET /tasks/{task_id}/events', AGENT_LIMITS.eventReads],
  ['GET /tasks/{task_id}/deliveries', AGENT_LIMITS.deliveryReads],
  ['POST /tasks/{task_id}/deliveries/{delivery_id}/redeliver', AGENT_LIMITS.redeliveries],
  ['POST /webhooks/test', TESTS],
  ['GET /sources', AGENT_LIMITS.sourceReads],
  ['GET /usage', AGENT_LIMITS.usageReads],
  ['POST /websocket-auth', AGENT_LIMITS.socketTokens],
];

export const usage = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/usage',
  about: "Returns the organization's limits, what is left of them, and its tasks and tokens by day.",
  caller: 'viewer',
  limit: AGENT_LIMITS.usageReads,
  replies: { 200: 'The limits, and the usage of the last 30 days.' },
  async run({ caller: { organization: id } }, context) {
    const { table, clock } = context;
    const organization = await context.organizationOf(id);
    if (!organization) throw badCredential();
    const ownLimits = LIMITS.map(([, limit]) => limitOf(organization, limit));
    const max = maxUnfinished(organization);
    const [windowsOfLimits, unfinished, tasks, tokens] = await Promise.all([
      limitsLeft(context, id, ownLimits),
      countUnfinished(table, id, max),
      tasksByDay(table, id, AGENTS_API),
      tokensByDay(table, id, clock.now()),
    ]);
    return {
      status: 200,
      body: {
        limits: LIMITS.map(([calls], at) => ({ calls, ...windowsView(windowsOfLimits[at] ?? []) })),
        unfinished_tasks: { count: unfinished, most: max },
        days: tokens.map((day) => ({
          date: day.date,
          tasks: tasks.get(day.date) ?? 0,
          input_tokens: day.inputTokens,
          output_tokens: day.outputTokens,
          cached_input_tokens: day.cachedInputTokens,
          reasoning_tokens: day.reasoningTokens,
          estimated_input_tokens: day.estimatedInputTokens,
          estimated_output_tokens: day.estimatedOutputTokens,
          cost_usd: day.costUsd,
        })),
      },
    };
  },
});

const windowsView = (windows: Window[]) =>
  Object.fromEntries(
    windows.map(({ name, max, remaining, resetSeconds }) => [
      name,
      { most: max, left: remaining, resets_in_seconds: resetSeconds },
    ]),
  );

export const sources = route<TasksContext, 'viewer'>({
  method: 'GET',
  path: '/api/v1/sources',
  about: "Lists the sources that a task may name: the built-in ones, and the organization's own.",
  caller: 'viewer',
  limit: AGENT_LIMITS.sourceReads,
  replies: { 200: 'The sources by name, the built-in ones first.' },
  async run({ caller: { organization: id } }, context) {
    const organization = await context.organizationOf(id);
    if (!organization) throw badCredential();
    const ownSources = new Set(organization.sources);
    const views = validSources(organization).map((name) => ({ name, custom: ownSources.has(name) }));
    return { status: 200, body: { sources: views } };
  },
});
