/** Checkpoints are stored under the number of their attempt, so that a worker without a lease overwrites nothing. */

import { type LongRowLocation, longDrafts, readLong } from '../core/long-values.ts';
import type { Prerequisites, Table } from '../ports.ts';
import type { ReachedUsage } from './attempt-usage.ts';
import { type TaskAddress, taskPartition } from './rows.ts';
import type { Task } from './task.ts';

/** Of checkpoints without a version, which 0.2.0 and earlier releases wrote, and of agents that declare none. */
export const FIRST_CHECKPOINT_VERSION = 1;

/** `usage` and `notes`: of this attempt and earlier ones, up to this checkpoint. `version`: of the agent that stored it. */
export type CheckpointState = { value: unknown; usage?: ReachedUsage | undefined; version?: number; notes?: string[] };
type ReachedStage = { checkpoint: number; attempt: number };

export const checkpointLocation = (address: TaskAddress, { checkpoint, attempt }: ReachedStage): LongRowLocation => ({
  pk: taskPartition(address),
  name: `STAGE#${checkpoint}#${attempt}`,
});

type Checkpoint = ReachedStage & {
  carried: unknown;
  usage?: ReachedUsage | undefined;
  version?: number;
  notes?: readonly string[];
  expiresAt: number;
};

export const checkpointDrafts = (address: TaskAddress, o: Checkpoint): Prerequisites => {
  const { usage, version = FIRST_CHECKPOINT_VERSION } = o;
  return longDrafts({
    ...checkpointLocation(address, o),
    value: {
      value: o.carried,
      usage,
      version,
      ...(o.notes && o.notes.length > 0 ? { notes: [...o.notes] } : {}),
    } satisfies CheckpointState,
    // Release 0.2.0 goes on from checkpoints of the first version, so those stay as they are.
    ...(version === FIRST_CHECKPOINT_VERSION ? {} : { toOlderReleases: UNREADABLE }),
    expiresAt: o.expiresAt,
  });
};

/** For a release that reads no packed checkpoints, this one is of another version, so that it begins the task anew. */
const UNREADABLE = { value: null, version: 0 } satisfies CheckpointState;

/** Where an attempt begins: at the last checkpoint, or anew if there is none of the agent's version. */
export async function readBeginning(
  table: Table,
  address: TaskAddress,
  { task: { checkpoint, checkpointOf: attempt }, version }: { task: Task; version: number },
): Promise<{ completed: number; carried: unknown; notes?: string[] | undefined }> {
  const anew = { completed: 0, carried: undefined };
  if (attempt === undefined) return anew;
  const stored = await readLong<CheckpointState>(table, checkpointLocation(address, { checkpoint, attempt }));
  if (!stored) throw new Error('A checkpoint is gone.');
  const isKnown = (stored.version ?? FIRST_CHECKPOINT_VERSION) === version;
  return isKnown ? { completed: checkpoint, carried: stored.value, notes: stored.notes } : anew;
}

/** The tokens of all attempts up to the task's last checkpoint. */
export async function usageAtCheckpoint(
  table: Table,
  address: TaskAddress,
  { checkpoint, checkpointOf: attempt }: Task,
): Promise<ReachedUsage | undefined> {
  if (attempt === undefined) return undefined;
  return (await readLong<CheckpointState>(table, checkpointLocation(address, { checkpoint, attempt })))?.usage;
}
