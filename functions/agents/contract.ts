/** The answers of this API as schemas, and what its documents tell besides the route tables. No bundle holds it. */
import * as v from 'valibot';
import { SORT_FIELDS } from '../../shared/agents/list-agent-tasks.ts';
import type { Status } from '../../shared/agents/task-status.ts';
import { TASK_TYPES } from '../../shared/agents/task-types.ts';
import type { FailureCode } from '../../shared/tasks/task.ts';
import { deliveryState, postFault } from '../files-and-tasks/contract.ts';
import {
  count,
  document,
  health,
  type Operations,
  oneOfAll,
  type Parameter,
  SERVICE,
  time,
  timeOrNull,
} from '../http/contract.ts';
import { MOST_OFFSET, MOST_PAGE, ORDERS, STATES, USUAL_PAGE } from './list-tasks.ts';
import { KINDS } from './problems.ts';
import type { ResultFile } from './result-files.ts';
import type { acceptedShown, resultsShown, statusShown } from './task-view.ts';
import type { webhookBody } from './webhook-body.ts';

const amount = v.pipe(v.number(), v.minValue(0));
const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

export const taskId = v.pipe(
  v.string(),
  v.regex(/^task_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  v.examples(['task_01a1fc1f-dc5b-7062-a1d5-0ff65b8f6e23']),
);
const taskType = v.picklist(TASK_TYPES);
const status = oneOfAll<Status>({
  pending: true,
  processing: true,
  cancelling: true,
  completed: true,
  failed: true,
  cancelled: true,
});
const failureCode = oneOfAll<FailureCode>({
  PROCESSING_FAILED: true,
  FILE_UNAVAILABLE: true,
  TASK_TIMEOUT: true,
  TASK_CANCELLED: true,
  MODEL_UNAVAILABLE: true,
});
export const failure = v.object({ code: failureCode, message: v.string() });
const priority = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10));
export const metadata = v.record(v.string(), v.string());
const head = { task_id: taskId, task_type: taskType, priority };

const accessToken = v.object({ access_token: v.string(), token_type: v.literal('Bearer'), expires_in: count });
const websocketToken = v.object({ websocket_token: v.string(), expires_in: count });

const accepted = v.object({
  ...head,
  status: v.literal('accepted'),
  estimated_completion: timeOrNull,
  created_at: timeOrNull,
  webhook_configured: v.boolean(),
  metadata,
}) satisfies v.GenericSchema<unknown, ReturnType<typeof acceptedShown>>;

const progress = v.object({
  percentage: percent,
  current_stage: v.nullable(v.string()),
  stages_completed: v.array(v.string()),
  estimated_remaining_minutes: amount,
});
const usage = v.object({ model: v.nullable(v.string()), input_tokens: count, output_tokens: count });
const taskStatus = v.object({
  ...head,
  status,
  progress,
  created_at: timeOrNull,
  started_at: timeOrNull,
  last_updated: timeOrNull,
  completed_at: timeOrNull,
  output_preview: v.looseObject({}),
  webhook_configured: v.boolean(),
  metadata,
  usage,
  error: v.exactOptional(failure),
}) satisfies v.GenericSchema<unknown, Omit<ReturnType<typeof statusShown>, 'error'>>;

const resultFile = v.object({
  name: v.string(),
  content_type: v.string(),
  size_bytes: count,
  url: v.pipe(v.string(), v.url()),
  expires_at: time,
}) satisfies v.GenericSchema<unknown, ResultFile>;

const results = v.object({
  task_id: taskId,
  status,
  results: v.looseObject({ files: v.exactOptional(v.array(resultFile)) }),
  processing_details: v.object({
    sources_processed: count,
    processing_time_minutes: amount,
    service_engine_queries: count,
    confidence_scores: v.object({
      data_quality: v.nullable(share),
      analysis_completeness: v.nullable(share),
      source_reliability: v.nullable(share),
    }),
  }),
  completed_at: timeOrNull,
  usage,
  metadata,
  error: v.exactOptional(failure),
  partial: v.exactOptional(v.boolean()),
}) satisfies v.GenericSchema<unknown, Omit<ReturnType<typeof resultsShown>, 'error' | 'partial'>>;

const cancelled = v.object({
  task_id: taskId,
  status,
  previous_status: v.picklist(['pending', 'processing']),
  reason: v.nullable(v.string()),
  force: v.boolean(),
  requested_at: timeOrNull,
  results_available: v.boolean(),
  metadata,
});

const listItem = v.object({
  ...head,
  status,
  progress_percentage: percent,
  created_at: timeOrNull,
  completed_at: timeOrNull,
  duration_minutes: v.nullable(amount),
  metadata,
});
const pagination = v.object({
  total_count: count,
  total_count_capped: v.boolean(),
  offset: count,
  limit: count,
  has_next: v.boolean(),
  next_cursor: v.nullable(v.string()),
});
const taskPage = v.object({ tasks: v.array(listItem), pagination });

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

const window = v.object({ most: count, left: count, resets_in_seconds: count });
const usageShown = v.object({
  limits: v.array(v.object({ calls: v.string(), minute: window, hour: v.exactOptional(window) })),
  unfinished_tasks: v.object({ count, most: count }),
  days: v.array(
    v.object({ date: v.pipe(v.string(), v.isoDate()), tasks: count, input_tokens: count, output_tokens: count }),
  ),
});

const taskEvent = v.object({
  event_type: v.picklist([
    'task_completed',
    'task_failed',
    'task_cancelled',
    'task_run_completed',
    'task_run_failed',
    'task_run_cancelled',
  ]),
  task_id: taskId,
  timestamp: time,
  data: v.object({
    status: v.picklist(['completed', 'failed', 'cancelled']),
    duration_minutes: amount,
    results_available: v.boolean(),
    run: v.exactOptional(count),
    slot_at: v.exactOptional(timeOrNull),
    results_url: v.string(),
    error: v.exactOptional(failure),
  }),
  metadata,
}) satisfies v.GenericSchema<unknown, ReturnType<typeof webhookBody>>;

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
  AcceptedTask: accepted,
  Progress: progress,
  TokenUsage: usage,
  TaskFailure: failure,
  TaskStatus: taskStatus,
  ResultFile: resultFile,
  TaskResults: results,
  Cancellation: cancelled,
  TaskInList: listItem,
  TaskPage: taskPage,
  WebhookAttempt: attempt,
  Delivery: delivery,
  Deliveries: deliveries,
  Usage: usageShown,
  TaskEvent: taskEvent,
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
    schema: { type: 'integer', minimum: 1, maximum: MOST_PAGE, default: USUAL_PAGE },
  },
  offset: {
    description: 'How many are skipped.',
    schema: { type: 'integer', minimum: 0, maximum: MOST_OFFSET, default: 0 },
  },
  cursor: {
    description: 'The `next_cursor` of the page before, in place of `offset`.',
    schema: { type: 'string', minLength: 1 },
  },
  sort_by: {
    description: 'What has not ended comes last when sorted by its end.',
    schema: { type: 'string', enum: [...SORT_FIELDS], default: 'created_at' },
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
    bodyNote: 'Either `username` and `password`, or `sso_token`: the ID token of the organization’s own sign-on.',
    answers: { 200: accessToken },
    problems: ['unauthorized', 'rateLimited'],
  },
  'POST /api/v1/tasks': {
    id: 'submitTask',
    tag: 'Tasks',
    body: 'Submission',
    answers: { 202: accepted },
    problems: ['atCapacity'],
  },
  'GET /api/v1/tasks/:taskId': { id: 'getTaskStatus', tag: 'Tasks', answers: { 200: taskStatus }, isPolled: true },
  'GET /api/v1/tasks': { id: 'listTasks', tag: 'Tasks', query: listed, answers: { 200: taskPage } },
  'POST /api/v1/tasks/:taskId/cancel': {
    id: 'cancelTask',
    tag: 'Tasks',
    body: 'CancelWish',
    isBodyOptional: true,
    answers: { 200: cancelled, 202: cancelled },
    problems: ['notCancellable'],
  },
  'GET /api/v1/tasks/:taskId/results': {
    id: 'getTaskResults',
    tag: 'Tasks',
    answers: { 200: results },
    problems: ['notCompleted'],
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
  'GET /api/v1/usage': { id: 'getUsage', tag: 'Usage', answers: { 200: usageShown } },
  'GET /unsubscribe/:token': { id: 'askUnsubscribe', tag: 'Mails', answers: { 200: 'page', 404: 'page' } },
  'POST /unsubscribe/:token': { id: 'unsubscribe', tag: 'Mails', answers: { 200: 'page', 404: 'page' } },
  'POST /api/v1/websocket-auth': { id: 'getWebsocketToken', tag: 'WebSocket', answers: { 200: websocketToken } },
};
