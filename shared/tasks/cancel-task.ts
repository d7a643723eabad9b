/** Cancels a task: at once while it waits, or when forced; else at the next safe point of its worker. */
import { findTask } from './find-task.ts';
import { type MovePorts, moveTask, type Outcome } from './move-task.ts';
import type { TaskFace } from './task.ts';
import type { TaskAddress } from './task-rows.ts';

export async function cancelTask(
  ports: MovePorts,
  address: TaskAddress,
  { face, force }: { face: TaskFace; force: boolean },
): Promise<Outcome> {
  const row = await findTask(ports, address, face);
  return (await moveTask(ports, address, { type: 'cancel', force }, { held: row })) ?? { row };
}
