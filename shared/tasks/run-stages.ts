/** Runs an agent's stages, starting at the last checkpoint. */

import type { Clock, Every, Table } from '../ports.ts';
import type { Stage, Work } from './agent.ts';
import type { AttemptUsage } from './attempt-usage.ts';
import { readBeginning } from './checkpoints.ts';
import type { Result } from './results.ts';
import { type StepRun, stepWriter } from './stored-steps.ts';
import type { RunOf, Task } from './task.ts';

type StagePorts = { table: Table; clock: Clock; every: Every };
export type StagedRun = StepRun & { stages: readonly Stage[]; usage: AttemptUsage; input: unknown };

/** Rejects with the lease's end as soon as it ends, whether or not the stage reacts to the signal. */
export async function runStages(ports: StagePorts, run: StagedRun): Promise<Result> {
  const steps = stepWriter(ports, run);
  try {
    return await runStage(ports, run, steps);
  } catch (error) {
    await steps.storeLast();
    throw error;
  } finally {
    steps.stop();
  }
}

async function runStage(
  { table }: StagePorts,
  { address, stages, version, lease, usage, activity, input }: StagedRun,
  steps: ReturnType<typeof stepWriter>,
) {
  const { signal } = lease;
  const beginning = await readBeginning(table, address, { task: lease.task(), version });
  let { carried } = beginning;
  const notes = new Set(beginning.notes);
  const standby = standbyOf(input, (note) => notes.add(note));
  const beganAnew = beginning.completed < lease.task().checkpoint;

  for (let at = beginning.completed; at < stages.length; at++) {
    const stage = stages[at] as Stage;
    const percent = (share: number) => (100 * (at + Math.min(1, Math.max(0, share)))) / stages.length;
    const run = runOf(lease.task());
    const work: Work = {
      address,
      input,
      ...(run ? { run } : {}),
      ...(standby ? { standby } : {}),
      ...(lease.task().waitsFor === undefined ? {} : { hasWaited: true }),
      signal,
      meter: usage.meter,
      report: (share) => lease.report(percent(share)),
    };
    signal.throwIfAborted();
    const answer = activity.take(await Promise.race([stage.run(work, carried), throwAborted(signal)]));
    const isUnchanged = answer === carried;
    carried = answer;
    const next = stages[at + 1];
    if (!next) break;
    const reached = { reached: at + 1, beganAnew, events: activity.count(), stage: next.name };
    const step = { ...reached, carried, notes: [...notes], usage: usage.reached(), progress: percent(1) };
    const mayRepeat = stage.mayRepeat === true || (answer as { mayRepeat?: boolean } | undefined)?.mayRepeat === true;
    await steps.take(step, { mayRepeat, isUnchanged });
  }
  return withNotes(carried as Result, [...notes]);
}

/** The organization's second model, stored in the input at the submit. */
function standbyOf(input: unknown, note: (text: string) => void): Work['standby'] {
  const { standbyModel: model } = input as { standbyModel?: string };
  return model === undefined ? undefined : { model, note };
}

/** Notes are shown with the warnings, which background agents have in their report. */
function withNotes(result: Result, notes: readonly string[]): Result {
  if (notes.length === 0) return result;
  const { report, warnings = [] } = result;
  if (!report) return { ...result, warnings: [...warnings, ...notes] };
  return { ...result, report: { ...report, warnings: [...(report.warnings ?? []), ...notes] } };
}

function runOf({ recurs }: Task): RunOf | undefined {
  return recurs && { number: recurs.run, slotAt: recurs.extraAt ?? recurs.slotAt };
}

const throwAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
