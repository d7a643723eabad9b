/** Runs one task as far as possible: claims it, and makes an attempt, which stores a result or a failure. */

import { MINUTE_MS } from '../core/time.ts';
import type { TaskEvent } from './decide.ts';
import { readWithDetails } from './details.ts';
import type { TaskAddress } from './rows.ts';
import { runAttempt } from './run-attempt.ts';
import { isBetweenRuns, type Task } from './task.ts';
import { moveTask } from './transition.ts';
import type { WorkerPorts } from './worker-ports.ts';

/** `crowded`: nothing was done, because the task needs a process of its own. */
export type RunOutcome = 'crowded' | undefined;

/** `stopSignal` is aborted when this worker must stop soon: the task then returns to the queue from its last checkpoint. */
export async function runTask(ports: WorkerPorts, address: TaskAddress, stopSignal: AbortSignal): Promise<RunOutcome> {
  const freshTask = ports.fresh?.take(address);
  const { row, about } = freshTask ?? (await readWithDetails(ports.table, address));
  if (!row) return undefined;
  const claim: TaskEvent = { type: 'claim', process: ports.process };
  const claimed = await moveTask(ports, address, claim, { cachedRow: row, isCurrent: freshTask === undefined, about });
  if (claimed?.ignored === 'crowded') return 'crowded';
  if (claimed?.ignored === 'notDue') await hintAtItsTime(ports, address, claimed.row.value);
  // Ended, leased by another worker, or not yet due. If it still needs a worker, the reconciler sends another hint.
  if (!claimed || claimed.ignored || claimed.row.value.state !== 'running') return undefined;
  await runAttempt(ports, address, { row: claimed.row, about, stopSignal });
  return undefined;
}

/** Schedules are accurate to a minute: a hint that came too early is repeated for the exact time. */
async function hintAtItsTime({ clock, hints }: WorkerPorts, address: TaskAddress, task: Task): Promise<void> {
  const earlyMs = task.queuedAt - clock.now();
  if (!isBetweenRuns(task) || earlyMs > MINUTE_MS) return;
  const delaySeconds = Math.max(0, Math.ceil(earlyMs / 1_000));
  await hints([{ do: 'hintWorker', delaySeconds }], { ...address, priority: task.priority });
}
