/** Submits a task: writes its details and input first, then the task itself. That insert accepts the task. */

import type { StageLimited } from '../core/stage-limits.ts';
import type { Clock, Row, Table } from '../ports.ts';
import { detailsDrafts, type TaskDetails } from './details.ts';
import type { FreshTasks } from './fresh-tasks.ts';
import type { Hints } from './hints.ts';
import { detailsExpireAt, type TaskAddress, taskDraft, taskKey } from './rows.ts';
import { newTask, type StartedTask, TASK_LIMITS, type Task, type TaskApi } from './task.ts';

type SubmitPorts = StageLimited & { table: Table; clock: Clock; hints: Hints; fresh?: Pick<FreshTasks, 'keep'> };
type TaskSubmission = StartedTask & {
  face: TaskApi;
  type: string;
  priority: number;
  timeoutMs?: number;
  /** The name of the first stage. */
  stage?: string;
  about: TaskDetails;
};

export async function submitTask(
  ports: SubmitPorts,
  address: TaskAddress,
  submission: TaskSubmission,
): Promise<Row<Task>> {
  const { table, clock, hints, stageLimits, fresh } = ports;
  const { about, ...fields } = submission;
  const now = clock.now();
  const retention = stageLimits ? { keptDays: stageLimits.keptDays } : {};
  const task = newTask({ ...fields, ...retention, now, hasWebhook: about.endpoint !== undefined && !about.discards });
  const drafts = detailsDrafts(address, about, task.recurs ? undefined : detailsExpireAt(task));
  const inserted = await table.insert(taskDraft(address, task, now), drafts);
  if (inserted) {
    fresh?.keep(address, { row: inserted, about });
    const delaySeconds = Math.max(0, Math.ceil((task.queuedAt - now) / 1_000));
    if (delaySeconds <= TASK_LIMITS.maxHintSeconds)
      await hints([{ do: 'hintWorker', delaySeconds }], { ...address, priority: task.priority });
    return inserted;
  }
  // A retry with the same idempotency key after a crash: the first try created the task.
  const existing = await table.get<Task>(taskKey(address));
  if (!existing) throw new Error('A task was made and is gone.');
  return existing;
}
