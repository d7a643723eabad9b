/** The answers about a task of this API, and its event, as schemas. No bundle holds it. */
import * as v from 'valibot';
import { TASK_TYPES } from '../../shared/agents/agent-input.ts';
import type { Status } from '../../shared/agents/agent-task.ts';
import { failureCode } from '../files-and-tasks/contract.ts';
import { count, oneOfAll, time, timeOrNull } from '../http/contract.ts';
import type { acceptedView, ResultFile, resultsView, statusView, webhookBody } from './task-view.ts';

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
export const failure = v.object({ code: failureCode, message: v.string() });
const priority = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10));
export const metadata = v.record(v.string(), v.string());
const warnings = v.array(v.string());
const head = { task_id: taskId, task_type: taskType, priority };

export const accepted = v.object({
  ...head,
  status: v.literal('accepted'),
  estimated_completion: timeOrNull,
  created_at: timeOrNull,
  webhook_configured: v.boolean(),
  metadata,
  warnings,
}) satisfies v.GenericSchema<unknown, ReturnType<typeof acceptedView>>;

export const progress = v.object({
  percentage: percent,
  current_stage: v.string(),
  stages_completed: v.array(v.string()),
  estimated_remaining_minutes: amount,
});
export const usage = v.object({
  model: v.nullable(v.string()),
  input_tokens: count,
  output_tokens: count,
  cached_input_tokens: count,
  reasoning_tokens: count,
  estimated: v.boolean(),
});
export const taskStatus = v.object({
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
  warnings,
  usage,
  error: v.exactOptional(failure),
}) satisfies v.GenericSchema<unknown, Omit<ReturnType<typeof statusView>, 'error'>>;

export const resultFile = v.object({
  name: v.string(),
  content_type: v.string(),
  size_bytes: count,
  url: v.pipe(v.string(), v.url()),
  expires_at: time,
}) satisfies v.GenericSchema<unknown, ResultFile>;

export const results = v.object({
  task_id: taskId,
  status,
  results: v.looseObject({ files: v.exactOptional(v.array(resultFile)) }),
  processing_details: v.object({
    sources_processed: count,
    processing_time_minutes: amount,
    service_engine_queries: count,
    confidence_scores: v.object({
      data_quality: share,
      analysis_completeness: share,
      source_reliability: share,
    }),
  }),
  completed_at: timeOrNull,
  usage,
  metadata,
  warnings,
  error: v.exactOptional(failure),
  partial: v.exactOptional(v.boolean()),
}) satisfies v.GenericSchema<unknown, Omit<ReturnType<typeof resultsView>, 'error' | 'partial'>>;

export const cancelled = v.object({
  task_id: taskId,
  status,
  previous_status: v.picklist(['pending', 'processing']),
  reason: v.nullable(v.string()),
  force: v.boolean(),
  requested_at: timeOrNull,
  results_available: v.boolean(),
  metadata,
});

export const listItem = v.object({
  ...head,
  status,
  progress_percentage: percent,
  created_at: timeOrNull,
  completed_at: timeOrNull,
  duration_minutes: v.nullable(amount),
  metadata,
  title: v.exactOptional(v.nullable(v.string())),
});
const pagination = v.object({
  total_count: count,
  total_count_capped: v.boolean(),
  offset: count,
  limit: count,
  has_next: v.boolean(),
  next_cursor: v.nullable(v.string()),
});
export const taskPage = v.object({ tasks: v.array(listItem), pagination });

export const taskEvent = v.object({
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
