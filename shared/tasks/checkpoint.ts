/** Where an attempt has come to. Each attempt writes its own, so a worker that lost its task overwrites nobody's. */
import type { First, Table } from '../ports.ts';
import type { Usage } from '../usage/tokens.ts';
import { type LongRowLocation, longDrafts, readLong } from './long-row.ts';
import { type TaskAddress, taskPartition } from './task-rows.ts';

/** `usage` is of this attempt and those before it, up to here. */
export type CheckpointState = { value: unknown; usage?: Usage | undefined };
type ReachedStage = { checkpoint: number; attempt: number };

export const checkpointLocation = (address: TaskAddress, { checkpoint, attempt }: ReachedStage): LongRowLocation => ({
  pk: taskPartition(address),
  name: `STAGE#${checkpoint}#${attempt}`,
});

type Checkpoint = ReachedStage & { carried: unknown; usage?: Usage | undefined; expiresAt: number };

export const checkpointDrafts = (address: TaskAddress, o: Checkpoint): First =>
  longDrafts({
    ...checkpointLocation(address, o),
    value: { value: o.carried, usage: o.usage } satisfies CheckpointState,
    expiresAt: o.expiresAt,
  });

export async function checkpointBefore(table: Table, address: TaskAddress, reached: ReachedStage): Promise<unknown> {
  const carried = await readLong<CheckpointState>(table, checkpointLocation(address, reached));
  if (!carried) throw new Error('A checkpoint is gone.');
  return carried.value;
}
