/** Cancels a background agent's task, and stores the request beside it. */

import { type Caller, mayAct } from '../accounts/caller.ts';
import { isUuid } from '../core/ids.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import type { Key, Row } from '../ports.ts';
import { checkedTask, detailsKey, type TaskDetails } from '../tasks/details.ts';
import { detailsExpireAt, type TaskAddress, taskKey, taskPartition } from '../tasks/rows.ts';
import { AGENTS_FACE, isOpen, isRunEnd, type Task } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';
import { STATUSES } from './agent-task-status.ts';

/** A cancel request: its reason and whether it is forced, stored beside the task. */
type CancelOptions = { reason?: string; force: boolean };
export type CancelledTask = { taskId: string; task: Task; about: TaskDetails; options: CancelOptions };

type FoundTask = { row: Row<Task>; about: TaskDetails; kept: Row<CancelOptions> | undefined };

const cancelRequestKey = (address: TaskAddress): Key => ({ pk: taskPartition(address), sk: 'CANCEL' });

export async function cancelAgentTask(
  ports: MovePorts,
  address: TaskAddress,
  { caller, options }: { caller: Caller; options: CancelOptions },
): Promise<CancelledTask> {
  const found = await findAgentTask(ports, address);
  checkOwn(caller, found.about);
  checkCancellable(found.row.value);
  const toCancelled = (task: Task, { reason, force }: CancelOptions = { force: false }): CancelledTask => ({
    taskId: address.taskId,
    task,
    about: found.about,
    options: { force, ...definedFields({ reason }) },
  });
  const { row, kept } = found;
  const isWished = row.value.state === 'cancelled' || (row.value.cancelAt !== undefined && !options.force);
  // The request is written before the task changes, and a batch read is not a snapshot, so it may have been read too early.
  if (isWished)
    return toCancelled(row.value, (kept ?? (await ports.table.get<CancelOptions>(cancelRequestKey(address))))?.value);

  const keeping = await storeCancelRequest(ports, address, { found, options });
  const outcome = await moveTask(ports, address, { type: 'cancel', force: options.force }, { held: row });
  const task = outcome?.row.value ?? row.value;
  // The task may have ended by itself meanwhile.
  checkCancellable(task);
  return toCancelled(task, keeping);
}

async function findAgentTask({ table }: MovePorts, address: TaskAddress): Promise<FoundTask> {
  const keys = isUuid(address.taskId) ? [taskKey(address), detailsKey(address), cancelRequestKey(address)] : [];
  const [task, about, kept] = keys.length > 0 ? await table.getMany(keys) : [];
  return {
    row: checkedTask(task as Row<Task> | undefined, AGENTS_FACE),
    about: (about?.value ?? {}) as TaskDetails,
    kept: kept as Row<CancelOptions> | undefined,
  };
}

/** The first request is kept, unless a forced one replaces it, which may bring another reason. */
async function storeCancelRequest(
  { table }: MovePorts,
  address: TaskAddress,
  { found, options }: { found: FoundTask; options: CancelOptions },
) {
  const key = cancelRequestKey(address);
  const expiresAt = detailsExpireAt(found.row.value);
  for (let kept = found.kept; ; kept = await table.get<CancelOptions>(key)) {
    // Another caller may have cancelled at the same time: both get the request that was stored first.
    if (kept && (kept.value.force || !options.force)) return kept.value;
    const value: CancelOptions = { ...kept?.value, ...options };
    const written = await (kept
      ? table.replace(kept, { value, expiresAt })
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
