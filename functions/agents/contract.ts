/** The answers of this API as schemas, for its documents. No bundle holds it. */

import * as v from 'valibot';
import { TASK_TYPES } from '../../shared/agents/agent-input.ts';
import { SORT_FIELDS } from '../../shared/agents/list-agent-tasks.ts';
import { deliveryState, postFault } from '../files-and-tasks/contract.ts';
import {
  count,
  document,
  health,
  type Operations,
  type Parameter,
  SERVICE,
  time,
  timeOrNull,
} from '../http/contract.ts';
import { DEFAULT_PAGE, MAX_OFFSET, MAX_PAGE, ORDERS, STATES } from './list-tasks.ts';
import { KINDS } from './problems.ts';
import * as tasks from './task-answers.ts';

const accessToken = v.object({ access_token: v.string(), token_type: v.literal('Bearer'), expires_in: count });
const websocketToken = v.object({ websocket_token: v.string(), expires_in: count });

const attempt = v.object({
  at: timeOrNull,
  duration_ms: count,
  status: v.nullable(count),
  error: v.nullable(postFault),
  answer: v.string(),
  next_attempt_at: timeOrNull,
});
const delivery = v.object({
  delivery_id: v.string(),
  webhook_url: v.string(),
  state: deliveryState,
  next_attempt_at: timeOrNull,
  attempts: v.array(v.object({ attempt: count, ...attempt.entries })),
});
const deliveries = v.object({ deliveries: v.array(delivery) });
const taskInput = v.object({
  task_id: v.string(),
  task_type: v.picklist(TASK_TYPES),
  model: v.string(),
  input: v.record(v.string(), v.unknown()),
  webhook_url: v.nullable(v.string()),
  priority: count,
  metadata: v.record(v.string(), v.string()),
});

const window = v.object({ most: count, left: count, resets_in_seconds: count });
const usageShown = v.object({
  limits: v.array(v.object({ calls: v.string(), minute: window, hour: v.exactOptional(window) })),
  unfinished_tasks: v.object({ count, most: count }),
  days: v.array(
    v.object({
      date: v.pipe(v.string(), v.isoDate()),
      tasks: count,
      input_tokens: count,
      output_tokens: count,
      cached_input_tokens: count,
      reasoning_tokens: count,
      estimated_input_tokens: count,
      estimated_output_tokens: count,
    }),
  ),
});

const sources = v.object({ sources: v.array(v.object({ name: v.string(), custom: v.boolean() })) });

const codes = [...new Set(Object.values(KINDS).map(([, code]) => code))] as [string, ...string[]];
const error = v.object({
  error: v.object({
    code: v.picklist(codes),
    message: v.string(),
    details: v.looseObject({
      invalid_fields: v.exactOptional(v.array(v.string())),
      valid_task_types: v.exactOptional(v.array(v.string())),
      valid_sources: v.exactOptional(v.array(v.string())),
      reasons: v.exactOptional(v.record(v.string(), v.string())),
      retry_after_seconds: v.exactOptional(count),
    }),
    request_id: v.string(),
    timestamp: time,
  }),
});

/** By the name they have in the documents. */
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
  ResultFile: tasks.resultFile,
  TaskResults: tasks.results,
  Cancellation: tasks.cancelled,
  TaskInList: tasks.listItem,
  TaskPage: tasks.taskPage,
  TaskInput: taskInput,
  WebhookAttempt: attempt,
  Delivery: delivery,
  Deliveries: deliveries,
  Sources: sources,
  Usage: usageShown,
  TaskEvent: tasks.taskEvent,
  Error: error,
};

const listed: Record<string, Parameter> = {
  status: {
    description: `One or more of ${[...STATES.keys()].join(', ')}, separated by commas.`,
    schema: { type: 'string', examples: ['completed,failed'] },
  },
  task_type: { description: 'Only tasks of this type.', schema: { type: 'string', enum: [...TASK_TYPES] } },
  limit: {
    description: 'How many a page holds at most.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE },
  },
  offset: {
    description: 'How many are skipped.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0 },
  },
  cursor: {
    description: 'The `next_cursor` of the page before, in place of `offset`.',
    schema: { type: 'string', minLength: 1 },
  },
  sort_by: {
    description: 'What has not ended comes last when sorted by its end.',
    schema: { type: 'string', enum: [...SORT_FIELDS], default: 'created_at' },
  },
  include: {
    description: 'Adds to each task the beginning of its query, its documents or its subject.',
    schema: { type: 'string', enum: ['title'] },
  },
  sort_order: { description: 'Falling or rising.', schema: { type: 'string', enum: [...ORDERS], default: 'desc' } },
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
  'GET /api/v1/tasks/:taskId/input': { id: 'getTaskInput', tag: 'Tasks', answers: { 200: taskInput } },
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
  'GET /api/v1/usage': { id: 'getUsage', tag: 'Usage', answers: { 200: usageShown } },
  'GET /unsubscribe/:token': { id: 'askUnsubscribe', tag: 'Mails', answers: { 200: 'page', 404: 'page' } },
  'POST /unsubscribe/:token': { id: 'unsubscribe', tag: 'Mails', answers: { 200: 'page', 404: 'page' } },
  'POST /api/v1/websocket-auth': { id: 'getWebsocketToken', tag: 'WebSocket', answers: { 200: websocketToken } },
};
