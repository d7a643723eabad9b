/** Applies one event to a task: reads, decides, writes with optimistic locking, then carries out the effects. */
import { Problem } from '../core/problem.ts';
import { updateRow } from '../core/table-access.ts';
import type { Clock, Prerequisites, Row, Table } from '../ports.ts';
import { decide, type TaskEvent } from './decide.ts';
import type { TaskDetails } from './details.ts';
import type { Hints } from './hints.ts';
import { type TaskAddress, taskDraft, taskKey } from './rows.ts';
import { endedRunDrafts } from './runs.ts';
import { type Effect, type Ignored, isRunEnd, type Moved, type Task } from './task.ts';

/** Sends task updates to the watchers. Neither waits nor throws. Callers that know the details pass them. */
export type NotifyTask = (effects: readonly Effect[], address: TaskAddress, task: Task, about?: TaskDetails) => void;

/** `notifyTask` is optional: callers that push no WebSocket updates omit it. */
export type MovePorts = { table: Table; clock: Clock; hints: Hints; notifyTask?: NotifyTask | undefined };
/** `row`: the current task. `ignored`: why the event changed nothing. */
export type MoveOutcome = { row: Row<Task>; ignored?: Ignored['ignore'] };

/** A claim by a worker or sender: if a power failure loses the write, another one claims again. */
const isWorkersClaim = ({ type }: TaskEvent, { state }: Task): boolean =>
  type === 'sendClaim' || (type === 'claim' && state === 'running');

/**
 * `cachedRow`: the row from an earlier read, which saves a read if it has not changed. `isCurrent`: it was read just now, so an
 * ignored event is final. `prerequisites`: rows that the task will refer to.
 */
type MoveOptions = {
  cachedRow?: Row<Task>;
  isCurrent?: boolean;
  prerequisites?: Prerequisites;
  about?: TaskDetails | undefined;
};

/** Returns `undefined` if the task does not exist. */
export async function moveTask(
  ports: MovePorts,
  address: TaskAddress,
  event: TaskEvent,
  { cachedRow, isCurrent = false, prerequisites, about }: MoveOptions = {},
): Promise<MoveOutcome | undefined> {
  const { table, clock, hints, notifyTask } = ports;
  let decision: Moved | undefined;
  const updated = await updateRow<Task, MoveOutcome | undefined>(
    table,
    taskKey(address),
    (row) => {
      if (!row) return { stop: undefined };
      const now = clock.now();
      const decided = decide(row.value, event, now);
      if ('ignore' in decided) return { stop: { row, ignored: decided.ignore } };
      decision = decided;
      const { pk: _pk, sk: _sk, ...draft } = taskDraft(address, decided.next, now, row);
      const before = [...(prerequisites ?? []), ...endedRunDrafts(address, decided, now)];
      return {
        write: draft,
        options: { prerequisites: before, durability: isWorkersClaim(event, decided.next) ? 'relaxed' : 'full' },
      };
    },
    { cachedRow, isCurrent },
  );
  if ('stopped' in updated) return updated.stopped;
  if ('contended' in updated || !decision)
    throw new Problem('busy', 'The task is being changed by other requests; try again.');
  const { written } = updated;
  // Before any `await`, so that notifications keep the order of the writes.
  notifyTask?.(decision.effects, address, written.value, about);
  await hints(decision.effects, { ...address, priority: decision.next.priority });
  if (isRunEnd(written.value)) await storeEndedRun(ports, address, written);
  return { row: written };
}

/** Done at once, because the run's event waits for it; after a failure the reconciler does it. */
const storeEndedRun = (ports: MovePorts, address: TaskAddress, row: Row<Task>): Promise<unknown> =>
  moveTask(ports, address, { type: 'tick' }, { cachedRow: row }).catch(() => undefined);
