/** Sends a task's event once more, whatever became of it before: at once, and with a whole plan of attempts. */
import { type MovePorts, moveTask } from '../tasks/move-task.ts';
import type { TaskApi } from '../tasks/task.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { type Delivery, deliveryById } from './delivery.ts';

export async function redeliver(
  ports: MovePorts,
  address: TaskAddress,
  named: { face?: TaskApi; id: string },
): Promise<Delivery> {
  const { run } = await deliveryById(ports, address, named);
  await moveTask(ports, run === undefined ? address : { ...address, run }, { type: 'redeliver' });
  return deliveryById(ports, address, named);
}
