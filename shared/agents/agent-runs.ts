/** The newest runs of a recurring task with their results, and the slots without a run. */

import { readLongs } from '../core/long-values.ts';
import type { Table } from '../ports.ts';
import { usageOf } from '../tasks/attempt-usage.ts';
import { type CheckpointState, checkpointLocation } from '../tasks/checkpoints.ts';
import { type Result, resultsOf } from '../tasks/results.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { missedSlots, runsOf } from '../tasks/runs.ts';
import type { Recurrence, RunOf, Task } from '../tasks/task.ts';
import type { Usage } from '../usage/tokens.ts';

const MAX_RUNS = 100;

/** `reached`: the last checkpoint of a run that did not succeed. */
export type EndedRun = {
  run: RunOf;
  task: Task;
  result: Result | undefined;
  reached: Result | undefined;
  usage: Usage | undefined;
};
export type MissedRun = { slotAt: number };

/** Newest first. */
export async function readRuns(
  { table }: { table: Table },
  address: TaskAddress,
  { by }: Recurrence,
): Promise<(EndedRun | MissedRun)[]> {
  const [rows, slots] = await Promise.all([
    runsOf(table, address, MAX_RUNS),
    missedSlots(table, address, { by, max: MAX_RUNS }),
  ]);
  const tasks = rows.map(({ value }) => value);
  const results = await resultsOf(
    table,
    tasks.map((task) => ({ address, task })),
  );
  const reached = await readCheckpoints(table, address, tasks);
  const runsByTask = await Promise.all(
    tasks.map(async (task, at): Promise<EndedRun[]> => {
      if (!task.run) return [];
      const result = results[at];
      const carried = reached.get(task);
      const usage = await usageOf(table, address, task, result?.usage ?? carried?.usage);
      return [{ run: task.run, task, result, reached: carried?.value as Result | undefined, usage }];
    }),
  );
  const ended = runsByTask.flat();
  // A slot may be recorded as missed although it ran: of two concurrent writers, the later one may have found a worker.
  const ran = new Set(ended.map(({ run }) => run.slotAt));
  const missed = slots.filter((slotAt) => !ran.has(slotAt)).map((slotAt): MissedRun => ({ slotAt }));
  return [...ended, ...missed].sort((a, b) => slotOf(b) - slotOf(a)).slice(0, MAX_RUNS);
}

async function readCheckpoints(
  table: Table,
  address: TaskAddress,
  tasks: Task[],
): Promise<Map<Task, CheckpointState | undefined>> {
  const reached = tasks.flatMap((task) => {
    const { state, checkpoint, checkpointOf: attempt } = task;
    if (state === 'succeeded' || attempt === undefined) return [];
    return [{ task, place: checkpointLocation(address, { checkpoint, attempt }) }];
  });
  const checkpoints = await readLongs<CheckpointState>(
    table,
    reached.map(({ place: location }) => location),
  );
  return new Map(reached.map(({ task }, at) => [task, checkpoints[at]]));
}

const slotOf = (run: EndedRun | MissedRun): number => ('run' in run ? run.run.slotAt : run.slotAt);
