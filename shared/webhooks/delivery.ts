/** The delivery of an event as people are shown it: how it stands, and every attempt. Its id is the `webhook-id`. */
import { Problem } from '../core/problem.ts';
import { isUuid } from '../core/uuid.ts';
import type { Row, Table } from '../ports.ts';
import { type About, aboutKey } from '../tasks/about.ts';
import { checkedTask } from '../tasks/find-task.ts';
import { type Hook, isOpen, type Task, type TaskFace } from '../tasks/task.ts';
import { type TaskAddress, taskKey } from '../tasks/task-rows.ts';
import { attemptsOf, type Numbered } from './attempt.ts';
import { eventIdOf } from './event.ts';

export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'exhausted';

export type Delivery = {
  id: string;
  endpoint: string;
  state: DeliveryState;
  /** While it is pending. */
  nextAt?: number;
  attempts: Numbered[];
};

const STATES: Record<Hook['state'], DeliveryState> = {
  awaiting: 'pending',
  due: 'pending',
  sending: 'sending',
  delivered: 'delivered',
  exhausted: 'exhausted',
};

/** None before the task has ended, or when nobody wants to hear of it. Without a face the task may be of either. */
export async function deliveriesOf(
  { table }: { table: Table },
  address: TaskAddress,
  face?: TaskFace,
): Promise<Delivery[]> {
  const keys = isUuid(address.taskId) ? [taskKey(address), aboutKey(address)] : [];
  const [found, about] = keys.length > 0 ? await table.getMany<Task | About>(keys) : [];
  const { value: task } = checkedTask(found as Row<Task> | undefined, face);
  const { endpoint } = (about?.value ?? {}) as About;
  if (isOpen(task) || !task.hook || endpoint === undefined) return [];
  const { state, nextAt } = task.hook;
  const id = eventIdOf(address.taskId, task);
  const attempts = await attemptsOf(table, { ...address, event: id });
  return [{ id, endpoint, state: STATES[state], ...(state === 'due' ? { nextAt } : {}), attempts }];
}

export async function deliveryById(
  ports: { table: Table },
  address: TaskAddress,
  { face, id }: { face?: TaskFace; id: string },
): Promise<Delivery> {
  const found = (await deliveriesOf(ports, address, face)).find((delivery) => delivery.id === id);
  if (!found) throw new Problem('notFound', 'Delivery not found');
  return found;
}
