/** Accepts a task: what surrounds it first, then the task itself. That insert is the moment of acceptance. */
import type { StageLimited } from '../core/stage-limits.ts';
import { type Clock, QUEUE_LIMITS, type Row, type Table } from '../ports.ts';
import { detailsDrafts, type TaskDetails } from './about.ts';
import type { FreshTasks } from './fresh-tasks.ts';
import type { Hints } from './hints.ts';
import { newTask, type StartedTask, type Task, type TaskApi } from './task.ts';
import { detailsExpireAt, type TaskAddress, taskDraft, taskKey } from './task-rows.ts';

type SubmitPorts = StageLimited & { table: Table; clock: Clock; hints: Hints; fresh?: Pick<FreshTasks, 'keep'> };
type Submission = StartedTask & {
  face: TaskApi;
  type: string;
  priority: number;
  timeoutMs?: number;
  /** What its worker begins with. */
  stage?: string;
  about: TaskDetails;
};

export async function submitTask(ports: SubmitPorts, address: TaskAddress, submission: Submission): Promise<Row<Task>> {
  const { table, clock, hints, stageLimits, fresh } = ports;
  const { about, ...given } = submission;
  const now = clock.now();
  const kept = stageLimits ? { keptDays: stageLimits.keptDays } : {};
  const task = newTask({ ...given, ...kept, now, hasHook: about.endpoint !== undefined });
  const around = detailsDrafts(address, about, task.recurs ? undefined : detailsExpireAt(task));
  const inserted = await table.insert(taskDraft(address, task, now), around);
  if (inserted) {
    fresh?.keep(address, { row: inserted, about });
    const delaySeconds = Math.max(0, Math.ceil((task.queuedAt - now) / 1_000));
    // What begins later than a queue holds a hint is put on a schedule by the reconciler.
    if (delaySeconds <= QUEUE_LIMITS.delaySeconds)
      await hints([{ do: 'hintWorker', delaySeconds }], { ...address, priority: task.priority });
    return inserted;
  }
  // Repeated under its idempotency key after a crash: the first try has made it.
  const made = await table.get<Task>(taskKey(address));
  if (!made) throw new Error('A task was made and is gone.');
  return made;
}
