/** The responses of this API as schemas, for its documents. Not part of any bundle. */
import * as v from 'valibot';
import { TASK_TYPES } from '../../shared/agents/agent-input.ts';
import { SORT_FIELDS } from '../../shared/agents/list-agent-tasks.ts';
import { notificationTexts } from '../../shared/agents/notification-input.ts';
import { processingTexts } from '../../shared/agents/processing-input.ts';
import { researchTexts } from '../../shared/agents/research-input.ts';
import { resultFile } from '../../shared/agents/results/every-agent.ts';
import { notificationResults } from '../../shared/agents/results/notification.ts';
import {
  failedDocument,
  pendingDocument,
  processedDocument,
  processingResults,
} from '../../shared/agents/results/processing.ts';
import { researchResults } from '../../shared/agents/results/research.ts';
import { amount, count, field, optionalTrue, time } from '../../shared/core/answer-fields.ts';
import { MAX_EVENTS } from '../../shared/tasks/activity.ts';
import { USAGE_DAY } from '../files-and-tasks/contract.ts';
import {
  document,
  type FieldTexts,
  health,
  type Operations,
  type Parameter,
  prefixed,
  SERVICE,
} from '../http/contract.ts';
import { submissionTexts } from './add-task.ts';
import { attempt, deliveries, delivery } from './delivery-contract.ts';
import { credentialTexts } from './login.ts';
import { KINDS } from './problems.ts';
import * as tasks from './task-answers.ts';
import { cancelTexts, DEFAULT_PAGE, MAX_OFFSET, MAX_PAGE, ORDERS, STATES } from './tasks.ts';
import { webhookTestTexts } from './webhooks.ts';

const accessToken = v.object({
  access_token: field(v.string(), 'Send it as `Authorization: Bearer <token>` with every call.'),
  token_type: field(v.literal('Bearer'), 'Always `Bearer`, as OAuth 2.0 names this kind.'),
  expires_in: field(count, 'Seconds until the token expires; 3600. Log in again before.'),
});
const websocketToken = v.object({
  websocket_token: field(v.string(), 'Send it in the `authenticate` message; it opens one connection, once.'),
  expires_in: field(count, 'Seconds until the token expires; 60. The connection itself lives longer.'),
});

const taskInput = v.object({
  task_id: field(v.string(), 'The id of the task that this input belongs to.'),
  task_type: field(v.picklist(TASK_TYPES), 'The agent that works on the task; it decides the shape of `input`.'),
  model: field(v.string(), 'The model that the agent may use: the first one of the organization.'),
  input: field(v.record(v.string(), v.unknown()), 'The `input` as it was submitted, with the defaults filled in.'),
  webhook_url: field(v.nullable(v.string()), 'The URL that is called at the end; null without one.'),
  priority: field(count, 'The urgency from 1 to 10 that was submitted; 5 by default.'),
  timeout_minutes: field(count, 'How long the task may run in minutes, as submitted; 60 by default.'),
  budget: field(
    v.nullable(
      v.object({
        max_tokens: field(v.nullable(count), 'Tokens of input and answers together; null if not given.'),
        max_usd: field(v.nullable(v.number()), 'US dollars that its model calls may cost; null if not given.'),
      }),
    ),
    'What the calls of language models may cost, as submitted; null if not given.',
  ),
  metadata: tasks.metadata,
  preview: optionalTrue('Always true: the task shows the e-mail of a notification, and sends it to nobody.'),
});

const window = v.object({
  most: field(count, 'How many calls the organization may make in one window.'),
  left: field(count, 'How many calls are left until the window ends.'),
  resets_in_seconds: field(count, 'Seconds until the window ends and `left` is full again.'),
});
const usageReport = v.object({
  limits: field(
    v.array(
      v.object({
        calls: field(v.string(), 'The calls that share this limit, such as `POST /tasks`.'),
        minute: field(window, 'The window of one minute, for the whole organization.'),
        hour: v.exactOptional(field(window, 'The window of one hour; absent for calls without an hourly limit.')),
      }),
    ),
    'The rate limits of this API and what is left of them now.',
  ),
  unfinished_tasks: field(
    v.object({
      count: field(count, 'How many tasks wait or run now, over both APIs.'),
      most: field(count, 'How many may wait or run; a submit above that returns 503.'),
    }),
    'The tasks that have not finished, and their limit.',
  ),
  days: field(
    v.array(
      v.object({
        date: field(v.pipe(v.string(), v.isoDate()), USAGE_DAY.date),
        tasks: field(count, USAGE_DAY.tasks),
        input_tokens: field(count, USAGE_DAY.input),
        output_tokens: field(count, USAGE_DAY.output),
        cached_input_tokens: field(count, USAGE_DAY.cached),
        reasoning_tokens: field(count, USAGE_DAY.reasoning),
        estimated_input_tokens: field(count, USAGE_DAY.estimatedInput),
        estimated_output_tokens: field(count, USAGE_DAY.estimatedOutput),
        cost_usd: field(v.nullable(amount), USAGE_DAY.cost),
      }),
    ),
    USAGE_DAY.days,
  ),
});

const sources = v.object({
  sources: field(
    v.array(
      v.object({
        name: field(v.string(), 'What `input.sources` and `content.data_sources` may list.'),
        custom: field(v.boolean(), 'True if the operator configured it; false for one that comes with Errand.'),
      }),
    ),
    'The sources that tasks of the organization may read.',
  ),
});

const codes = [...new Set(Object.values(KINDS).map(([, code]) => code))] as [string, ...string[]];
const invalidFields = 'The names of all invalid fields, with dots, such as `input.query`.';
const error = v.object({
  error: field(
    v.object({
      code: field(v.picklist(codes), 'The kind of error, for a program; it never changes its meaning.'),
      message: field(v.string(), 'What is wrong and what to do, for a person to read.'),
      details: field(
        v.looseObject({
          invalid_fields: v.exactOptional(field(v.array(v.string()), invalidFields)),
          valid_task_types: v.exactOptional(field(v.array(v.string()), 'The values that `task_type` may have.')),
          valid_sources: v.exactOptional(field(v.array(v.string()), 'The sources that your tasks may name.')),
          reasons: v.exactOptional(
            field(v.record(v.string(), v.string()), 'For each invalid field what is expected of it.'),
          ),
          retry_after_seconds: v.exactOptional(field(count, 'In how many seconds to send the call again.')),
        }),
        'More about the error, depending on its code; may be empty.',
      ),
      request_id: field(v.string(), 'Quote it to the operator; it is also the header `x-request-id`.'),
      timestamp: field(time, 'When the error occurred, in UTC.'),
    }),
    'Why the call failed: always these five fields.',
  ),
});

/** The schemas by their names in the documents. */
export const schemas = {
  Health: health,
  Document: document,
  AccessToken: accessToken,
  WebsocketToken: websocketToken,
  AcceptedTask: tasks.accepted,
  Progress: tasks.progress,
  TokenUsage: tasks.usage,
  TaskFailure: tasks.failure,
  TaskStatus: tasks.taskStatus,
  ResultFile: resultFile,
  ResearchResults: researchResults,
  ProcessedDocument: processedDocument,
  PendingDocument: pendingDocument,
  FailedDocument: failedDocument,
  ProcessingResults: processingResults,
  NotificationResults: notificationResults,
  RecurringResults: tasks.recurringResults,
  NoResults: tasks.none,
  TaskResults: tasks.results,
  Cancellation: tasks.cancelled,
  TaskInList: tasks.listItem,
  TaskPage: tasks.taskPage,
  TaskInput: taskInput,
  TaskEvents: tasks.taskEvents,
  QueryActivity: tasks.activities.query,
  HitsActivity: tasks.activities.hits,
  PageOpenedActivity: tasks.activities.pageOpened,
  PageRefusedActivity: tasks.activities.pageRefused,
  NoteActivity: tasks.activities.note,
  ClaimRejectedActivity: tasks.activities.claimRejected,
  CoverageActivity: tasks.activities.coverage,
  BudgetActivity: tasks.activities.budget,
  WebhookAttempt: attempt,
  Delivery: delivery,
  Deliveries: deliveries,
  Sources: sources,
  Usage: usageReport,
  TaskEvent: tasks.taskEvent,
  Error: error,
};

const eventsPage: Record<string, Parameter> = {
  after: {
    description: 'The `next_after` of the page before: only events with a higher `n` are listed.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_EVENTS, default: 0 },
  },
  limit: {
    description: 'How many events a page holds at most.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: MAX_PAGE },
  },
};

const listed: Record<string, Parameter> = {
  status: {
    description: `Lists only tasks in these states: one or more of ${[...STATES.keys()].join(', ')}, separated by commas.`,
    schema: { type: 'string', examples: ['completed,failed'] },
  },
  task_type: {
    description: 'Lists only the tasks of this agent; default: all three.',
    schema: { type: 'string', enum: [...TASK_TYPES] },
  },
  limit: {
    description: 'How many tasks a page holds at most.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE },
  },
  offset: {
    description: 'How many matching tasks are skipped before the page; not together with `cursor`.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0 },
  },
  cursor: {
    description: 'The `next_cursor` of the previous page, instead of `offset`.',
    schema: { type: 'string', minLength: 1 },
  },
  sort_by: {
    description: 'What the tasks are sorted by; unfinished ones come last when sorted by `completed_at`.',
    schema: { type: 'string', enum: [...SORT_FIELDS], default: 'created_at' },
  },
  include: {
    description: '`title` adds to each task the beginning of its query, its documents or its subject.',
    schema: { type: 'string', enum: ['title'] },
  },
  sort_order: {
    description: '`desc` has the newest or most urgent first, `asc` the oldest or least urgent.',
    schema: { type: 'string', enum: [...ORDERS], default: 'desc' },
  },
};

/** Descriptions of the fields of request bodies; they are not part of any bundle. */
export const bodyTexts: Record<string, FieldTexts> = {
  Credentials: credentialTexts(),
  CancelWish: cancelTexts(),
  WebhookTest: webhookTestTexts(),
  ResearchSubmission: { ...submissionTexts(), ...prefixed('input', researchTexts()) },
  ProcessingSubmission: { ...submissionTexts(), ...prefixed('input', processingTexts()) },
  NotificationSubmission: { ...submissionTexts(), ...prefixed('input', notificationTexts()) },
  NotificationPreview: {
    ...submissionTexts(),
    task_type: 'May be left out: only notifications have previews.',
    ...prefixed('input', notificationTexts()),
    'input.schedule': 'Tells which items count as new: those of its last day, week or month. The preview runs at once.',
    'input.content.recipients': 'As in the notification. Nobody gets an e-mail; the preview counts who would.',
  },
};

export const operations: Operations = {
  ...SERVICE,
  'GET /asyncapi.json': { id: 'getAsyncApi', tag: 'Service', answers: { 200: document } },
  'POST /auth/login': {
    id: 'logIn',
    tag: 'Login',
    body: 'Credentials',
    bodyNote: 'Either `username` and `password`, or `sso_token`: the ID token of the organization’s SSO.',
    answers: { 200: accessToken },
    problems: ['unauthorized', 'rateLimited'],
  },
  'POST /api/v1/tasks': {
    id: 'submitTask',
    tag: 'Tasks',
    body: 'Submission',
    answers: { 202: tasks.accepted },
    problems: ['atCapacity'],
  },
  'POST /api/v1/notifications/preview': {
    id: 'previewNotification',
    tag: 'Tasks',
    body: 'NotificationPreview',
    answers: { 202: tasks.accepted },
    problems: ['atCapacity'],
  },
  'GET /api/v1/tasks/:taskId': {
    id: 'getTaskStatus',
    tag: 'Tasks',
    answers: { 200: tasks.taskStatus },
    isPolled: true,
  },
  'GET /api/v1/tasks': { id: 'listTasks', tag: 'Tasks', query: listed, answers: { 200: tasks.taskPage } },
  'POST /api/v1/tasks/:taskId/cancel': {
    id: 'cancelTask',
    tag: 'Tasks',
    body: 'CancelWish',
    isBodyOptional: true,
    answers: { 200: tasks.cancelled, 202: tasks.cancelled },
    problems: ['notCancellable'],
  },
  'GET /api/v1/tasks/:taskId/results': {
    id: 'getTaskResults',
    tag: 'Tasks',
    answers: { 200: tasks.results },
    problems: ['notCompleted'],
  },
  'GET /api/v1/tasks/:taskId/results/sources/:source': {
    id: 'getSourceText',
    tag: 'Tasks',
    answers: { 200: 'text' },
    problems: ['notCompleted'],
  },
  'GET /api/v1/tasks/:taskId/input': { id: 'getTaskInput', tag: 'Tasks', answers: { 200: taskInput } },
  'GET /api/v1/tasks/:taskId/events': {
    id: 'listTaskEvents',
    tag: 'Tasks',
    query: eventsPage,
    answers: { 200: tasks.taskEvents },
    isPolled: true,
  },
  'GET /api/v1/tasks/:taskId/deliveries': { id: 'listDeliveries', tag: 'Webhooks', answers: { 200: deliveries } },
  'POST /api/v1/tasks/:taskId/deliveries/:deliveryId/redeliver': {
    id: 'redeliver',
    tag: 'Webhooks',
    answers: { 202: delivery },
  },
  'POST /api/v1/webhooks/test': {
    id: 'testWebhook',
    tag: 'Webhooks',
    body: 'WebhookTest',
    answers: { 200: attempt },
  },
  'GET /api/v1/sources': { id: 'listSources', tag: 'Tasks', answers: { 200: sources } },
  'GET /api/v1/usage': { id: 'getUsage', tag: 'Usage', answers: { 200: usageReport } },
  'GET /unsubscribe/:token': { id: 'askUnsubscribe', tag: 'Mails', answers: { 200: 'page', 404: 'page' } },
  'POST /unsubscribe/:token': { id: 'unsubscribe', tag: 'Mails', answers: { 200: 'page', 404: 'page' } },
  'POST /api/v1/websocket-auth': { id: 'getWebsocketToken', tag: 'WebSocket', answers: { 200: websocketToken } },
};
