/** A task and its deliveries as this API shows them. The webhook sends the same object. */

import { definedFields } from '../../shared/core/optional-fields.ts';
import { toIsoTime } from '../../shared/core/time.ts';
import { type ArchivePorts, archiveAddress } from '../../shared/tasks/archive.ts';
import { type TaskDetails, withWarnings } from '../../shared/tasks/details.ts';
import { failureOf } from '../../shared/tasks/failure-message.ts';
import type { TaskView } from '../../shared/tasks/get-task.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { isOpen, type Task } from '../../shared/tasks/task.ts';
import { waitingFor } from '../../shared/tasks/waiting-for.ts';
import { costUsd, isEstimated, type Usage } from '../../shared/usage/tokens.ts';
import type { Delivery } from '../../shared/webhooks/deliveries.ts';
import type { DeliveryAttempt } from '../../shared/webhooks/delivery-log.ts';
import type { AttemptView, DeliveryView } from './delivery-contract.ts';
import type { PublicTask } from './task-contract.ts';

export type PublicTaskStatus = PublicTask['status'];

/** A task that has started stays active while it waits for a retry. */
const openStatus = ({ state, attempt }: Task) => (state === 'queued' && attempt === 0 ? 'waiting' : 'active');

/** In a list a record shows only whether it is complete, because a page of whole records would be too long. */
type ViewDetail = 'all' | 'brief';

const recordView = (record: Result['record'], detail: ViewDetail) =>
  record && detail === 'brief' ? { complete: record.complete } : record;

/** A list has the last text alone. */
const stepsView = (result: Result | undefined, detail: ViewDetail) =>
  result?.steps && detail === 'all' ? { steps: result.steps } : {};

export async function taskView(
  { taskId, task, about, result, usage }: TaskView,
  ports: ArchivePorts,
  detail: ViewDetail = 'all',
): Promise<PublicTask> {
  const { namespace = '', warnings: submitted = [] } = about as TaskDetails;
  const headOf = <Status extends PublicTaskStatus>(status: Status) => ({
    taskId,
    namespace,
    status,
    createdAt: toIsoTime(task.createdAt),
  });
  if (isOpen(task)) return headOf(openStatus(task));
  const completedAt = toIsoTime(task.endedAt ?? task.createdAt);
  const usageFields = usageView(usage ?? result?.usage);
  const warningFields = withWarnings([...submitted, ...(result?.warnings ?? [])]);
  return task.state === 'succeeded'
    ? {
        ...headOf('success'),
        completedAt,
        output: {
          text: result?.text ?? '',
          ...(result?.isPassagesOnly ? { complete: false } : {}),
          ...stepsView(result, detail),
          ...recordView(result?.record, detail),
          ...(await archiveView(taskId, result, ports)),
        },
        ...(result?.promptVersion ? { promptVersion: result.promptVersion } : {}),
        ...usageFields,
        ...warningFields,
      }
    : {
        ...headOf('failure'),
        completedAt,
        error: failureOf(task, result),
        ...(await partialView(taskId, task, { result, detail }, ports)),
        ...usageFields,
        ...warningFields,
      };
}

/** What an unfinished task waits for, for callers who ask for it. */
export const waitView = ({ task }: Pick<TaskView, 'task'>) => definedFields({ waitingFor: waitingFor(task) });

type PartialView = { result: Result | undefined; detail: ViewDetail };

/** The output of a chat that reached a limit. A result that belongs to another end of the task is not shown. */
async function partialView(taskId: string, { code }: Task, { result, detail }: PartialView, ports: ArchivePorts) {
  const { text, record } = result ?? {};
  if (result?.failure?.code !== code || (text === undefined && !result?.archive)) return {};
  return {
    partial: {
      ...(text === undefined ? {} : { text }),
      ...stepsView(result, detail),
      ...recordView(record, detail),
      ...(await archiveView(taskId, result, ports)),
    },
  };
}

/** Omitted if the task called no model. */
function usageView(usage: Usage | undefined) {
  if (!usage) return {};
  const { model, inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  const counted = { inputTokens, outputTokens, cachedInputTokens, reasoningTokens };
  return { usage: { model, ...counted, estimated: isEstimated(usage), costUsd: costUsd(usage) } };
}

async function archiveView(taskId: string, result: Result | undefined, ports: ArchivePorts) {
  if (!result?.archive) return {};
  const { presignedUrl, expiresAt, sizeBytes } = await archiveAddress(ports, taskId, result.archive);
  return { archive: { presignedUrl, expiresAt: toIsoTime(expiresAt), sizeBytes } };
}

const isoTimeOrNull = (at: number | undefined): string | null => (at === undefined ? null : toIsoTime(at));

export const attemptView = ({ at, ms, status, fault, answer, nextAt }: DeliveryAttempt): AttemptView => ({
  at: isoTimeOrNull(at),
  durationMs: ms,
  status: status ?? null,
  error: fault ?? null,
  answer: answer ?? '',
  nextAttemptAt: isoTimeOrNull(nextAt),
});

export const deliveryView = ({ id, endpoint, state, nextAt, attempts }: Delivery): DeliveryView => ({
  deliveryId: id,
  endpoint,
  state,
  nextAttemptAt: isoTimeOrNull(nextAt),
  attempts: attempts.map(({ number, ...attempt }) => ({ attempt: number, ...attemptView(attempt) })),
});
