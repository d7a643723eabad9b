/** Cancels a task: at once while it waits, or when forced; else at the next safe point of its worker. */
import { findTask } from './find-task.ts';
import { type MoveOutcome, type MovePorts, moveTask } from './move-task.ts';
import type { TaskApi } from './task.ts';
import type { TaskAddress } from './task-rows.ts';

export async function cancelTask(
  ports: MovePorts,
  address: TaskAddress,
  { face, force }: { face: TaskApi; force: boolean },
): Promise<MoveOutcome> {
  const row = await findTask(ports, address, face);
  return (await moveTask(ports, address, { type: 'cancel', force }, { held: row })) ?? { row };
}
