/** Works through an agent's stages from the last checkpoint on. */
import type { Clock, Every, Table } from '../ports.ts';
import type { AttemptUsage } from '../usage/attempt-usage.ts';
import type { Stage, Work } from './agent.ts';
import { checkpointBefore } from './checkpoint.ts';
import type { TaskLease } from './hold-task.ts';
import type { Result } from './result.ts';
import { stepsOf } from './steps.ts';
import type { RunOf, Task } from './task.ts';
import type { TaskAddress } from './task-rows.ts';

type StagePorts = { table: Table; clock: Clock; every: Every };
type StagedRun = {
  address: TaskAddress;
  stages: readonly Stage[];
  hold: TaskLease;
  usage: AttemptUsage;
  input: unknown;
};

/** Rejects with the hold's ending as soon as it ends, whether or not the stage listens. */
export async function runStages(ports: StagePorts, run: StagedRun): Promise<Result> {
  const steps = stepsOf(ports, run);
  try {
    return await runStage(ports, run, steps);
  } catch (error) {
    await steps.keepRest();
    throw error;
  } finally {
    steps.stop();
  }
}

async function runStage(
  { table }: StagePorts,
  { address, stages, hold, usage, input }: StagedRun,
  steps: ReturnType<typeof stepsOf>,
) {
  const { signal } = hold;
  const { checkpoint, checkpointOf } = hold.task();
  let carried =
    checkpointOf === undefined
      ? undefined
      : await checkpointBefore(table, address, { checkpoint, attempt: checkpointOf });

  for (let at = checkpoint; at < stages.length; at++) {
    const stage = stages[at] as Stage;
    const percent = (share: number) => (100 * (at + Math.min(1, Math.max(0, share)))) / stages.length;
    const run = runOf(hold.task());
    const work: Work = {
      address,
      input,
      ...(run ? { run } : {}),
      signal,
      meter: usage.meter,
      report: (share) => hold.report(percent(share)),
    };
    signal.throwIfAborted();
    carried = await Promise.race([stage.run(work, carried), throwAborted(signal)]);
    const next = stages[at + 1];
    if (!next) break;
    const step = { reached: at + 1, carried, usage: usage.total(), progress: percent(1), stage: next.name };
    await Promise.all([steps.take(step, stage.mayRepeat === true), usage.write()]);
  }
  return carried as Result;
}

function runOf({ recurs }: Task): RunOf | undefined {
  return recurs && { number: recurs.run, slotAt: recurs.extraAt ?? recurs.slotAt };
}

const throwAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
