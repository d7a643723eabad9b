/** Where an attempt has come to. Each attempt writes its own, so a worker that lost its task overwrites nobody's. */
import type { First, Table } from '../ports.ts';
import { longDrafts, readLong } from './long-row.ts';
import { type TaskAddress, taskPartition } from './task-rows.ts';

type Carried = { value: unknown };

const nameOf = (checkpoint: number, attempt: number): string => `STAGE#${checkpoint}#${attempt}`;

export const checkpointDrafts = (
  address: TaskAddress,
  o: { checkpoint: number; attempt: number; carried: unknown; expiresAt: number },
): First =>
  longDrafts({
    pk: taskPartition(address),
    name: nameOf(o.checkpoint, o.attempt),
    value: { value: o.carried } satisfies Carried,
    expiresAt: o.expiresAt,
  });

export async function carriedTo(
  table: Table,
  address: TaskAddress,
  o: { checkpoint: number; attempt: number },
): Promise<unknown> {
  const carried = await readLong<Carried>(table, {
    pk: taskPartition(address),
    name: nameOf(o.checkpoint, o.attempt),
  });
  if (!carried) throw new Error('A checkpoint is gone.');
  return carried.value;
}
