/** A task as this API shows it: accepted, in progress, cancelled, listed, with its results, files and runs. */

import { STAGES, type TaskType } from '../../shared/agents/agent-input.ts';
import { type AgentTask, nextRunAt } from '../../shared/agents/agent-task.ts';
import { STATUSES, type Status } from '../../shared/agents/agent-task-status.ts';
import { beginOf, remainingMs } from '../../shared/agents/remaining-time.ts';
import type { ResultFile } from '../../shared/agents/results/every-agent.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { toIsoTime } from '../../shared/core/time.ts';
import type { Clock, Downloads } from '../../shared/ports.ts';
import type { NumberedEvent } from '../../shared/tasks/activity.ts';
import type { ReportFile } from '../../shared/tasks/agent-report.ts';
import type { TaskDetails } from '../../shared/tasks/details.ts';
import { failureOf } from '../../shared/tasks/failure-message.ts';
import { toPublicId } from '../../shared/tasks/rows.ts';
import { type FinalState, isBetweenRuns, isOpen, type Task } from '../../shared/tasks/task.ts';
import { lastMovedAt, visibleState } from '../../shared/tasks/visible-state.ts';
import { waitingFor } from '../../shared/tasks/waiting-for.ts';
import { costUsd, isEstimated, type Usage } from '../../shared/usage/tokens.ts';
import type { EventView } from '../../shared/webhooks/attempt-delivery.ts';
import type { AcceptedView, ActivityView, ResultsView, StatusView, TaskEventBody, UsageView } from './task-answers.ts';

/** How long the download URL of a result file is valid. */
const ADDRESS_SECONDS = 3_600;

export function resultFiles(
  { blobs, clock }: { blobs: Downloads; clock: Clock },
  files: ReportFile[],
): Promise<ResultFile[]> {
  // Read before signing, so that no URL expires before the time that we report.
  const expiresAt = new Date(clock.now() + ADDRESS_SECONDS * 1_000).toISOString();
  return Promise.all(
    files.map(async ({ name, contentType, bytesAt, sizeBytes }) => ({
      name,
      content_type: contentType,
      size_bytes: sizeBytes,
      url: await blobs.downloadAddress(bytesAt, { fileName: name, contentType }, ADDRESS_SECONDS),
      expires_at: expiresAt,
    })),
  );
}

const HUNDREDTH_OF_MINUTE_MS = 600;

export const isoTimeOrNull = (at: number | undefined): string | null => (at === undefined ? null : toIsoTime(at));
/** Rounded to two decimal places. */
export const minutesOf = (ms: number): number => Math.round(ms / HUNDREDTH_OF_MINUTE_MS) / 100;

export const statusOf = (task: Task): Status => STATUSES[visibleState(task)];

const headOf = <Shown extends string>(taskId: string, { type, priority }: Task, status: Shown) => ({
  task_id: toPublicId(taskId),
  status,
  task_type: type as TaskType,
  priority,
});

/** A task that never started took no time. */
export const workMinutes = ({ startedAt, endedAt = 0 }: Task): number =>
  startedAt === undefined ? 0 : minutesOf(endedAt - startedAt);

/** Whether there is a value, a text or a file; also for a task that failed after a stage had produced some. */
export function hasResults({ task, ...outputs }: Pick<AgentTask, 'task' | 'result' | 'reached'>): boolean {
  const { state, checkpoint, recurs } = task;
  if (state === 'succeeded' || (recurs !== undefined && recurs.run > 1)) return true;
  const report = reportOf(outputs);
  return (report?.files ?? []).length > 0 || (report?.hasContent ?? checkpoint > 0);
}

type AcceptedTask = { taskId: string; task: Task; about: TaskDetails };

export const acceptedView = ({ taskId, task, about }: AcceptedTask, typicalMs: number): AcceptedView => ({
  ...headOf(taskId, task, 'accepted'),
  estimated_completion: isoTimeOrNull(beginOf(task) + typicalMs),
  created_at: isoTimeOrNull(task.createdAt),
  webhook_configured: about.endpoint !== undefined,
  metadata: about.metadata ?? {},
  warnings: about.warnings ?? [],
});

export function statusView(agentTask: AgentTask, { typicalMs, now }: { typicalMs: number; now: number }): StatusView {
  const { taskId, task, about, lastRun } = agentTask;
  return {
    ...headOf(taskId, task, statusOf(task)),
    progress: {
      percentage: task.progress,
      current_stage: currentStage(agentTask),
      stages_completed: [...stagesCompleted(agentTask)],
      estimated_remaining_minutes: minutesOf(remainingMs(task, typicalMs, now)),
      ...(isOpen(task) ? definedFields({ tokens: task.tokens, waiting_for: waitingFor(task) }) : {}),
    },
    created_at: isoTimeOrNull(task.createdAt),
    started_at: isoTimeOrNull(task.startedAt),
    last_updated: isoTimeOrNull(lastRun?.endedAt ?? lastMovedAt(task, now)),
    completed_at: isoTimeOrNull(task.endedAt),
    output_preview: { ...reportOf(agentTask)?.preview, ...nextRunView(task) },
    webhook_configured: about.endpoint !== undefined,
    metadata: about.metadata ?? {},
    warnings: warningsView(agentTask),
    usage: usageView(agentTask.usage),
    ...errorView(agentTask),
  };
}

/** The warnings of the submission and of the work. */
const warningsView = (agentTask: AgentTask): string[] => [
  ...(agentTask.about.warnings ?? []),
  ...(reportOf(agentTask)?.warnings ?? []),
];

/** Always a string, as the specification requires: the first stage's name before it starts, the last stage reached after the end. */
function currentStage(agentTask: AgentTask): string {
  const { task } = agentTask;
  const [firstStage] = STAGES[task.type as TaskType];
  if (isBetweenRuns(task)) return firstStage;
  const last = task.state === 'succeeded' ? stagesCompleted(agentTask).at(-1) : undefined;
  const failed = task.state === 'failed' ? reportOf(agentTask)?.failedStage : undefined;
  return last ?? failed ?? task.stage ?? firstStage;
}

/** The next run of a scheduled or recurring task. */
function nextRunView(task: Task) {
  const at = task.recurs || task.queuedAt > task.createdAt ? nextRunAt(task) : undefined;
  return at === undefined ? {} : { next_run_at: isoTimeOrNull(at) };
}

function stagesCompleted(agentTask: AgentTask): readonly string[] {
  const { type, state, checkpoint } = agentTask.task;
  if (isBetweenRuns(agentTask.task)) return [];
  const reported = reportOf(agentTask)?.stages;
  if (reported) return reported;
  const stages: readonly string[] = STAGES[type as TaskType] ?? [];
  return stages.slice(0, state === 'succeeded' ? stages.length : checkpoint);
}

/** The final report, or the one that the last finished stage handed on. */
export const reportOf = ({ result, reached }: Pick<AgentTask, 'result' | 'reached'>) =>
  result?.report ?? reached?.report;

/** Omits the models until one has been called. */
export function usageView(usage: Partial<Usage> = {}): UsageView {
  return {
    model: usage.model ?? null,
    input_tokens: usage.inputTokens ?? 0,
    output_tokens: usage.outputTokens ?? 0,
    cached_input_tokens: usage.cachedInputTokens ?? 0,
    reasoning_tokens: usage.reasoningTokens ?? 0,
    estimated: isEstimated(usage),
    cost_usd: costUsd(usage),
  };
}

const errorView = ({ task, result }: AgentTask) =>
  task.state === 'failed' || task.state === 'cancelled' ? { error: failureOf(task, result) } : {};

export function resultsView(agentTask: AgentTask, files: ResultFile[]): ResultsView {
  const { taskId, task, about, lastRun = task } = agentTask;
  const report = reportOf(agentTask);
  const { confidence } = report ?? {};
  return {
    task_id: toPublicId(taskId),
    status: statusOf(task),
    results: { ...report?.results, ...(files.length > 0 ? { files } : {}) },
    processing_details: {
      sources_processed: report?.sources ?? 0,
      processing_time_minutes: workMinutes(lastRun),
      service_engine_queries: report?.queries ?? 0,
      confidence_scores: {
        data_quality: confidence?.dataQuality ?? 0,
        analysis_completeness: confidence?.analysisCompleteness ?? 0,
        source_reliability: confidence?.sourceReliability ?? 0,
      },
      ...(report?.effort ? { research: report.effort } : {}),
    },
    completed_at: isoTimeOrNull(task.endedAt),
    usage: { ...usageView(agentTask.usage), ...(report?.byRole ? { by_role: report.byRole } : {}) },
    metadata: about.metadata ?? {},
    warnings: warningsView(agentTask),
    ...errorView(agentTask),
    ...(task.state === 'succeeded' ? {} : { partial: true }),
  };
}

/** One step of the activity of a task. */
export function eventView({ n, at, ...activity }: NumberedEvent): ActivityView {
  return { n, at: toIsoTime(at), ...activity };
}

/** What the background-agent API sends to a task's `webhook_url`. */
export function webhookBody({ taskId, task, about, result, reached }: EventView): TaskEventBody {
  const status = STATUSES[task.state as FinalState];
  return {
    event_type: task.run ? `task_run_${status}` : `task_${status}`,
    task_id: toPublicId(taskId),
    timestamp: toIsoTime(task.endedAt ?? task.createdAt),
    data: {
      status,
      duration_minutes: workMinutes(task),
      results_available: hasResults({ task, result, reached }),
      // For a recurring task: which run this is.
      ...(task.run ? { run: task.run.number, slot_at: isoTimeOrNull(task.run.slotAt) } : {}),
      results_url: `/api/v1/tasks/${toPublicId(taskId)}/results`,
      ...(task.state === 'failed' ? { error: failureOf(task, result) } : {}),
    },
    metadata: about.metadata ?? {},
  };
}
