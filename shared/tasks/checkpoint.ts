/** Where an attempt has come to. Each attempt writes its own, so a worker that lost its task overwrites nobody's. */
import type { First, Table } from '../ports.ts';
import type { Usage } from '../usage/tokens.ts';
import { type LongPlace, longDrafts, readLong } from './long-row.ts';
import { type TaskAddress, taskPartition } from './task-rows.ts';

/** `usage` is of this attempt and those before it, up to here. */
export type Carried = { value: unknown; usage?: Usage | undefined };
type Reached = { checkpoint: number; attempt: number };

export const checkpointPlace = (address: TaskAddress, { checkpoint, attempt }: Reached): LongPlace => ({
  pk: taskPartition(address),
  name: `STAGE#${checkpoint}#${attempt}`,
});

type Checkpoint = Reached & { carried: unknown; usage?: Usage | undefined; expiresAt: number };

export const checkpointDrafts = (address: TaskAddress, o: Checkpoint): First =>
  longDrafts({
    ...checkpointPlace(address, o),
    value: { value: o.carried, usage: o.usage } satisfies Carried,
    expiresAt: o.expiresAt,
  });

export async function carriedTo(table: Table, address: TaskAddress, reached: Reached): Promise<unknown> {
  const carried = await readLong<Carried>(table, checkpointPlace(address, reached));
  if (!carried) throw new Error('A checkpoint is gone.');
  return carried.value;
}
