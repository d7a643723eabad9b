/** Works through an agent's stages from the last checkpoint on. */
import type { Table } from '../ports.ts';
import type { Stage, Work } from './agent.ts';
import { carriedTo, checkpointDrafts } from './checkpoint.ts';
import type { Hold } from './hold-task.ts';
import type { Result } from './result.ts';
import type { RunOf, Task } from './task.ts';
import { aroundExpiresAt, type TaskAddress } from './task-rows.ts';

type Run = { address: TaskAddress; stages: readonly Stage[]; hold: Hold; input: unknown };

/** Rejects with the hold's ending as soon as it ends, whether or not the stage listens. */
export async function runStages(table: Table, { address, stages, hold, input }: Run): Promise<Result> {
  const { signal, attempt } = hold;
  const { checkpoint, checkpointOf } = hold.task();
  let carried =
    checkpointOf === undefined ? undefined : await carriedTo(table, address, { checkpoint, attempt: checkpointOf });

  for (let at = checkpoint; at < stages.length; at++) {
    const stage = stages[at] as Stage;
    const percent = (share: number) => (100 * (at + Math.min(1, Math.max(0, share)))) / stages.length;
    const run = runOf(hold.task());
    const work: Work = {
      address,
      input,
      ...(run ? { run } : {}),
      signal,
      report: (share) => hold.report(percent(share)),
    };
    signal.throwIfAborted();
    carried = await Promise.race([stage.run(work, carried), aborted(signal)]);
    const isLast = at === stages.length - 1;
    if (isLast) break;
    const expiresAt = aroundExpiresAt(hold.task());
    const kept = checkpointDrafts(address, { checkpoint: at + 1, attempt, carried, expiresAt });
    const next = stages[at + 1] as Stage;
    await hold.move({ type: 'beat', attempt, checkpoint: at + 1, progress: percent(1), stage: next.name }, kept);
  }
  return carried as Result;
}

function runOf({ recurs }: Task): RunOf | undefined {
  return recurs && { number: recurs.run, slotAt: recurs.extraAt ?? recurs.slotAt };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
