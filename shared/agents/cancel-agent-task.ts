/** Cancels a background agent's task, and stores the request beside it. */

import { type Caller, mayAct } from '../accounts/caller.ts';
import { isUuid } from '../core/ids.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import type { Key, Row } from '../ports.ts';
import { checkedTask, detailsKey, type TaskDetails } from '../tasks/details.ts';
import { detailsExpireAt, type TaskAddress, taskKey, taskPartition } from '../tasks/rows.ts';
import { AGENTS_API, isOpen, isRunEnd, type Task } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';
import { STATUSES } from './agent-task-status.ts';

/** A cancel request: its reason and whether it is forced, stored beside the task. */
type CancelOptions = { reason?: string; force: boolean };
export type CancelledTask = { taskId: string; task: Task; about: TaskDetails; options: CancelOptions };

type StoredAgentTask = { row: Row<Task>; about: TaskDetails; cancelRequest: Row<CancelOptions> | undefined };

const cancelRequestKey = (address: TaskAddress): Key => ({ pk: taskPartition(address), sk: 'CANCEL' });

export async function cancelAgentTask(
  ports: MovePorts,
  address: TaskAddress,
  { caller, options }: { caller: Caller; options: CancelOptions },
): Promise<CancelledTask> {
  const storedTask = await findAgentTask(ports, address);
  checkOwn(caller, storedTask.about);
  checkCancellable(storedTask.row.value);
  const toCancelled = (task: Task, { reason, force }: CancelOptions = { force: false }): CancelledTask => ({
    taskId: address.taskId,
    task,
    about: storedTask.about,
    options: { force, ...definedFields({ reason }) },
  });
  const { row, cancelRequest } = storedTask;
  const isCancelRequested = row.value.state === 'cancelled' || (row.value.cancelAt !== undefined && !options.force);
  // The request is written before the task changes, and a batch read is not a snapshot, so it may have been read too early.
  if (isCancelRequested)
    return toCancelled(
      row.value,
      (cancelRequest ?? (await ports.table.get<CancelOptions>(cancelRequestKey(address))))?.value,
    );

  const storedOptions = await storeCancelRequest(ports, address, { storedTask, options });
  const outcome = await moveTask(ports, address, { type: 'cancel', force: options.force }, { cachedRow: row });
  const task = outcome?.row.value ?? row.value;
  // The task may have ended by itself meanwhile.
  checkCancellable(task);
  return toCancelled(task, storedOptions);
}

async function findAgentTask({ table }: MovePorts, address: TaskAddress): Promise<StoredAgentTask> {
  const keys = isUuid(address.taskId) ? [taskKey(address), detailsKey(address), cancelRequestKey(address)] : [];
  const [task, about, cancelRequest] = keys.length > 0 ? await table.getMany(keys) : [];
  return {
    row: checkedTask(task as Row<Task> | undefined, AGENTS_API),
    about: (about?.value ?? {}) as TaskDetails,
    cancelRequest: cancelRequest as Row<CancelOptions> | undefined,
  };
}

/** The first request is kept, unless a forced one replaces it, which may bring another reason. */
async function storeCancelRequest(
  { table }: MovePorts,
  address: TaskAddress,
  { storedTask, options }: { storedTask: StoredAgentTask; options: CancelOptions },
) {
  const key = cancelRequestKey(address);
  const expiresAt = detailsExpireAt(storedTask.row.value);
  for (let existing = storedTask.cancelRequest; ; existing = await table.get<CancelOptions>(key)) {
    // Another caller may have cancelled at the same time: both get the request that was stored first.
    if (existing && (existing.value.force || !options.force)) return existing.value;
    const value: CancelOptions = { ...existing?.value, ...options };
    const written = await (existing
      ? table.replace(existing, { value, expiresAt })
      : table.insert({ ...key, value, expiresAt }));
    if (written) return written.value;
  }
}

function checkOwn(caller: Caller, { by }: TaskDetails): void {
  if (mayAct(caller, 'admin') || by === caller.by) return;
  throw new Problem('forbidden', 'Members can cancel only their own tasks; ask an admin to cancel this one.');
}

/** A recurring task continues after the end of a run. */
function checkCancellable(task: Task): void {
  const { state } = task;
  if (isOpen(task) || isRunEnd(task) || state === 'cancelled') return;
  const status = STATUSES[state];
  throw new Problem('notCancellable', `The task has ${status} and cannot be cancelled.`, { details: { status } });
}
