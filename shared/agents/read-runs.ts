/** The newest runs of a task that recurs, each with what it brought, and the slots at which nothing ran. */
import type { Table } from '../ports.ts';
import { type CheckpointState, checkpointLocation } from '../tasks/checkpoint.ts';
import { readLongs } from '../tasks/long-row.ts';
import { type Result, resultsOf } from '../tasks/result.ts';
import { missedSlots, runsOf } from '../tasks/run-rows.ts';
import type { Recurrence, RunOf, Task } from '../tasks/task.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { usageOf } from '../usage/attempt-usage.ts';
import type { Usage } from '../usage/tokens.ts';

const MOST_RUNS = 100;

/** `reached` is what the stages brought of a run that did not succeed. */
export type EndedRun = {
  run: RunOf;
  task: Task;
  result: Result | undefined;
  reached: Result | undefined;
  usage: Usage | undefined;
};
export type MissedRun = { slotAt: number };

/** The newest first. */
export async function readRuns(
  { table }: { table: Table },
  address: TaskAddress,
  { by }: Recurrence,
): Promise<(EndedRun | MissedRun)[]> {
  const [rows, slots] = await Promise.all([
    runsOf(table, address, MOST_RUNS),
    missedSlots(table, address, { by, most: MOST_RUNS }),
  ]);
  const tasks = rows.map(({ value }) => value);
  const results = await resultsOf(
    table,
    tasks.map((task) => ({ address, task })),
  );
  const reached = await reachedBy(table, address, tasks);
  const all = await Promise.all(
    tasks.map(async (task, at): Promise<EndedRun[]> => {
      if (!task.run) return [];
      const result = results[at];
      const carried = reached.get(task);
      const usage = await usageOf(table, address, task, result?.usage ?? carried?.usage);
      return [{ run: task.run, task, result, reached: carried?.value as Result | undefined, usage }];
    }),
  );
  const ended = all.flat();
  // Of two that looked at once the later one may have found a worker.
  const ran = new Set(ended.map(({ run }) => run.slotAt));
  const missed = slots.filter((slotAt) => !ran.has(slotAt)).map((slotAt): MissedRun => ({ slotAt }));
  return [...ended, ...missed].sort((a, b) => slotOf(b) - slotOf(a)).slice(0, MOST_RUNS);
}

async function reachedBy(
  table: Table,
  address: TaskAddress,
  tasks: Task[],
): Promise<Map<Task, CheckpointState | undefined>> {
  const reached = tasks.flatMap((task) => {
    const { state, checkpoint, checkpointOf: attempt } = task;
    if (state === 'succeeded' || attempt === undefined) return [];
    return [{ task, place: checkpointLocation(address, { checkpoint, attempt }) }];
  });
  const found = await readLongs<CheckpointState>(
    table,
    reached.map(({ place }) => place),
  );
  return new Map(reached.map(({ task }, at) => [task, found[at]]));
}

const slotOf = (run: EndedRun | MissedRun): number => ('run' in run ? run.run.slotAt : run.slotAt);
