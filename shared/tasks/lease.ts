/** A worker's lease on a task: heartbeats, and a signal when the lease ends before the work does. */

import type { Every, Prerequisites, Row } from '../ports.ts';
import type { TaskEvent } from './decide.ts';
import type { LeasedTasks } from './leased-tasks.ts';
import type { TaskAddress } from './rows.ts';
import { isOpen, TASK_LIMITS, type Task } from './task.ts';
import { type MoveOutcome, type MovePorts, moveTask } from './transition.ts';

/** `lost`: another worker has the task, or it ended. `cancelled`: a cancel was requested. `handOver`: this worker must stop. */
export type LeaseEnd = 'lost' | 'cancelled' | 'handOver';

export type TaskLease = {
  attempt: number;
  task(): Task;
  /** Its reason is a LeaseEnd. */
  signal: AbortSignal;
  report(progress: number): void;
  /** Each heartbeat records the number of tokens so far. */
  countTokens(count: () => number | undefined): void;
  /** Moves are serialized, each based on the result of the previous one. */
  move(event: TaskEvent, prerequisites?: Prerequisites): Promise<MoveOutcome | undefined>;
  release(): void;
};

type LeasedTask = { address: TaskAddress; row: Row<Task>; stopSignal: AbortSignal };

/** `leasedTasks`: reports writes of the same process to leased tasks. */
export type LeasePorts = MovePorts & { every: Every; leasedTasks?: Pick<LeasedTasks, 'watch'> };

export function leaseTask(ports: LeasePorts, { address, row, stopSignal }: LeasedTask): TaskLease {
  const ended = new AbortController();
  const { attempt } = row.value;
  let currentRow = row;
  let progress = row.value.progress;
  let countTokens: (() => number | undefined) | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const end = (ending: LeaseEnd): void => ended.abort(ending);

  async function applyMove(event: TaskEvent, prerequisites: Prerequisites): Promise<MoveOutcome | undefined> {
    const outcome = await moveTask(ports, address, event, { cachedRow: currentRow, prerequisites });
    if (outcome) currentRow = outcome.row;
    if (!outcome || !isOpen(currentRow.value) || outcome.ignored === 'stale') end('lost');
    else if (currentRow.value.cancelAt !== undefined) end('cancelled');
    return outcome;
  }

  function move(event: TaskEvent, prerequisites: Prerequisites = []): Promise<MoveOutcome | undefined> {
    const moving = last.catch(() => undefined).then(() => applyMove(event, prerequisites));
    last = moving;
    return moving;
  }

  // A failed heartbeat is retried by the next one: the lease survives two failures.
  const stopHeartbeat = ports.every(
    TASK_LIMITS.beatMs,
    () => void move({ type: 'beat', attempt, progress, tokens: countTokens?.() }).catch(() => {}),
  );
  const stopWatching = ports.leasedTasks?.watch(address, (task) => {
    if (task.state !== 'running' || task.attempt !== attempt) end('lost');
    else if (task.cancelAt !== undefined) end('cancelled');
  });
  const handOver = () => end('handOver');
  stopSignal.addEventListener('abort', handOver);
  if (stopSignal.aborted) handOver();

  return {
    attempt,
    task: () => currentRow.value,
    signal: ended.signal,
    report: (percent) => {
      progress = Math.max(progress, percent);
    },
    countTokens: (count) => {
      countTokens = count;
    },
    move,
    release() {
      stopHeartbeat();
      stopWatching?.();
      stopSignal.removeEventListener('abort', handOver);
    },
  };
}
