/** A task as this API shows it: when it is accepted, while it is watched, cancelled, listed, and what came out. */

import { STAGES, type TaskType } from '../../shared/agents/agent-input.ts';
import {
  type AgentTask,
  beginOf,
  nextRunAt,
  remainingMs,
  STATUSES,
  type Status,
} from '../../shared/agents/agent-task.ts';
import { toIsoTime } from '../../shared/core/time.ts';
import type { TaskDetails } from '../../shared/tasks/details.ts';
import { failureOf } from '../../shared/tasks/results.ts';
import { lastMovedAt, stateShown } from '../../shared/tasks/states.ts';
import { isBetweenRuns, type Task } from '../../shared/tasks/task.ts';
import { isEstimated, type Usage } from '../../shared/usage/usage.ts';
import type { ResultFile } from './result-files.ts';
import { shownId } from './task-id.ts';

const HUNDREDTH_OF_MINUTE_MS = 600;

export const timeOf = (at: number | undefined): string | null => (at === undefined ? null : toIsoTime(at));
/** To two places. */
export const minutesOf = (ms: number): number => Math.round(ms / HUNDREDTH_OF_MINUTE_MS) / 100;

export const statusOf = (task: Task): Status => STATUSES[stateShown(task)];

const headOf = (taskId: string, { type, priority }: Task, status: string) => ({
  task_id: shownId(taskId),
  status,
  task_type: type,
  priority,
});

/** What was never begun took none. */
export const workedMinutes = ({ startedAt, endedAt = 0 }: Task): number =>
  startedAt === undefined ? 0 : minutesOf(endedAt - startedAt);

/** Also of a task that did not succeed: what its finished stages brought. */
export const hasResults = ({ state, checkpoint, recurs }: Task): boolean =>
  state === 'succeeded' || checkpoint > 0 || (recurs !== undefined && recurs.run > 1);

type AcceptedTask = { taskId: string; task: Task; about: TaskDetails };

export const acceptedView = ({ taskId, task, about }: AcceptedTask, usualMs: number) => ({
  ...headOf(taskId, task, 'accepted'),
  estimated_completion: timeOf(beginOf(task) + usualMs),
  created_at: timeOf(task.createdAt),
  webhook_configured: about.endpoint !== undefined,
  metadata: about.metadata ?? {},
  warnings: about.warnings ?? [],
});

export function statusView(found: AgentTask, { usualMs, now }: { usualMs: number; now: number }) {
  const { taskId, task, about, lastRun } = found;
  return {
    ...headOf(taskId, task, statusOf(task)),
    progress: {
      percentage: task.progress,
      current_stage: currentStage(found),
      stages_completed: stagesCompleted(found),
      estimated_remaining_minutes: minutesOf(remainingMs(task, usualMs, now)),
    },
    created_at: timeOf(task.createdAt),
    started_at: timeOf(task.startedAt),
    last_updated: timeOf(lastRun?.endedAt ?? lastMovedAt(task, now)),
    completed_at: timeOf(task.endedAt),
    output_preview: { ...reportOf(found)?.preview, ...nextRunView(task) },
    webhook_configured: about.endpoint !== undefined,
    metadata: about.metadata ?? {},
    warnings: warningsView(found),
    usage: usageView(found.usage),
    ...errorView(found),
  };
}

/** Of the submit, and of the work. */
const warningsView = (found: AgentTask): string[] => [
  ...(found.about.warnings ?? []),
  ...(reportOf(found)?.warnings ?? []),
];

/** Always a string, as the specification says: before the first stage its name, after the end the last stage reached. */
function currentStage(found: AgentTask): string {
  const { task } = found;
  const [first] = STAGES[task.type as TaskType];
  if (isBetweenRuns(task)) return first;
  const last = task.state === 'succeeded' ? stagesCompleted(found).at(-1) : undefined;
  return last ?? task.stage ?? first;
}

/** Of what has a time to begin at. */
function nextRunView(task: Task) {
  const at = task.recurs || task.queuedAt > task.createdAt ? nextRunAt(task) : undefined;
  return at === undefined ? {} : { next_run_at: timeOf(at) };
}

function stagesCompleted(found: AgentTask): readonly string[] {
  const { type, state, checkpoint } = found.task;
  if (isBetweenRuns(found.task)) return [];
  const told = reportOf(found)?.stages;
  if (told) return told;
  const stages: readonly string[] = STAGES[type as TaskType] ?? [];
  return stages.slice(0, state === 'succeeded' ? stages.length : checkpoint);
}

/** The task's own, or what its last finished stage handed on. */
export const reportOf = ({ result, reached }: AgentTask) => result?.report ?? reached?.report;

/** No model is named before one was asked. */
export function usageView(usage: Partial<Usage> = {}) {
  return {
    model: usage.model ?? null,
    input_tokens: usage.inputTokens ?? 0,
    output_tokens: usage.outputTokens ?? 0,
    cached_input_tokens: usage.cachedInputTokens ?? 0,
    reasoning_tokens: usage.reasoningTokens ?? 0,
    estimated: isEstimated(usage),
  };
}

const errorView = ({ task, result }: AgentTask) =>
  task.state === 'failed' || task.state === 'cancelled' ? { error: failureOf(task, result) } : {};

export function resultsView(found: AgentTask, files: ResultFile[]) {
  const { taskId, task, about, lastRun = task } = found;
  const report = reportOf(found);
  const { confidence } = report ?? {};
  return {
    task_id: shownId(taskId),
    status: statusOf(task),
    results: { ...report?.results, ...(files.length > 0 ? { files } : {}) },
    processing_details: {
      sources_processed: report?.sources ?? 0,
      processing_time_minutes: workedMinutes(lastRun),
      service_engine_queries: report?.queries ?? 0,
      confidence_scores: {
        data_quality: confidence?.dataQuality ?? 0,
        analysis_completeness: confidence?.analysisCompleteness ?? 0,
        source_reliability: confidence?.sourceReliability ?? 0,
      },
    },
    completed_at: timeOf(task.endedAt),
    usage: usageView(found.usage),
    metadata: about.metadata ?? {},
    warnings: warningsView(found),
    ...errorView(found),
    ...(task.state === 'succeeded' ? {} : { partial: true }),
  };
}
