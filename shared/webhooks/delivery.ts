/** The delivery of an event as people are shown it: how it stands, and every attempt. Its id is the `webhook-id`. */
import { Problem } from '../core/problem.ts';
import type { Table } from '../ports.ts';
import { checkedTask } from '../tasks/find-task.ts';
import { runsOf } from '../tasks/run-rows.ts';
import { isOpen, isRunEnd, type Task, type TaskApi, type TaskDelivery } from '../tasks/task.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { readWithDetails } from '../tasks/with-about.ts';
import { attemptsOf, type Numbered } from './attempt.ts';
import { eventIdOf } from './event.ts';

export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'exhausted';

export type Delivery = {
  id: string;
  /** Which one it tells of, with a task that recurs. */
  run?: number;
  endpoint: string;
  state: DeliveryState;
  /** While it is pending. */
  nextAt?: number;
  attempts: Numbered[];
};

/** Of a task that recurs the newest are shown. */
const MOST_RUNS = 20;

const STATES: Record<TaskDelivery['state'], DeliveryState> = {
  awaiting: 'pending',
  due: 'pending',
  sending: 'sending',
  delivered: 'delivered',
  exhausted: 'exhausted',
};

/** The newest first. None before the task, or a run of it, has ended, or when nobody wants to hear of it. Without a face the task may be of either. */
export async function deliveriesOf(
  { table }: { table: Table },
  address: TaskAddress,
  face?: TaskApi,
): Promise<Delivery[]> {
  const { task, endpoint } = await withEndpoint(table, address, face);
  if (endpoint === undefined) return [];
  const runs = task.recurs ? await runsOf(table, address, MOST_RUNS) : [];
  const deliveries = [task, ...runs.map(({ value }) => value)].map((ended) =>
    deliveryOf(table, { address, ended, endpoint }),
  );
  return (await Promise.all(deliveries)).flat();
}

async function withEndpoint(table: Table, address: TaskAddress, face?: TaskApi) {
  const { row, about } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, face);
  return { task, endpoint: about?.endpoint };
}

type DeliveryOwner = { address: TaskAddress; ended: Task; endpoint: string };

async function deliveryOf(table: Table, { address, ended, endpoint }: DeliveryOwner): Promise<Delivery[]> {
  const { hook, run } = ended;
  if (isOpen(ended) || isRunEnd(ended) || !hook) return [];
  const { state, nextAt } = hook;
  const id = eventIdOf(address.taskId, ended);
  const attempts = await attemptsOf(table, { ...address, event: id }, hook);
  const of = run ? { run: run.number } : {};
  return [{ id, ...of, endpoint, state: STATES[state], ...(state === 'due' ? { nextAt } : {}), attempts }];
}

export async function deliveryById(
  ports: { table: Table },
  address: TaskAddress,
  { face, id }: { face?: TaskApi; id: string },
): Promise<Delivery> {
  const found = (await deliveriesOf(ports, address, face)).find((delivery) => delivery.id === id);
  if (!found) throw new Problem('notFound', 'Delivery not found');
  return found;
}
