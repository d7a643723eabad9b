/** The delivery of an event as callers see it: its state and every attempt. */

import { Problem } from '../core/problem.ts';
import type { Table } from '../ports.ts';
import { checkedTask, readWithDetails } from '../tasks/details.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { runsOf } from '../tasks/runs.ts';
import { isOpen, isRunEnd, type Task, type TaskApi, type TaskDelivery } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';
import { attemptsOf, type NumberedAttempt } from './delivery-log.ts';
import { eventIdOf } from './event-id.ts';

export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'exhausted';

export type Delivery = {
  /** The `webhook-id`. */
  id: string;
  /** For a recurring task: the number of the run. */
  run?: number;
  endpoint: string;
  state: DeliveryState;
  /** Present while the delivery is pending. */
  nextAt?: number;
  attempts: NumberedAttempt[];
};

/** The most runs of a recurring task that are shown, the newest ones. */
const MAX_RUNS = 20;

const STATES: Record<TaskDelivery['state'], DeliveryState> = {
  awaiting: 'pending',
  due: 'pending',
  sending: 'sending',
  delivered: 'delivered',
  exhausted: 'exhausted',
};

/** Newest first. Empty before the end of the task or a run, and without a webhook. Without `api`: a task of either API. */
export async function deliveriesOf(
  { table }: { table: Table },
  address: TaskAddress,
  api?: TaskApi,
): Promise<Delivery[]> {
  const { task, endpoint, discards } = await withEndpoint(table, address, api);
  if (endpoint === undefined) return [];
  const runs = task.recurs ? await runsOf(table, address, MAX_RUNS) : [];
  const deliveries = [task, ...runs.map(({ value }) => value)].map((ended) =>
    deliveryOf(table, { address, ended, endpoint, discards }),
  );
  return (await Promise.all(deliveries)).flat();
}

/** Sends a task's event again, in any state: at once, and with a whole new plan of attempts. */
export async function redeliver(
  ports: MovePorts,
  address: TaskAddress,
  reference: { api?: TaskApi; id: string },
): Promise<Delivery> {
  const { run } = await deliveryById(ports, address, reference);
  await moveTask(ports, run === undefined ? address : { ...address, run }, { type: 'redeliver' });
  return deliveryById(ports, address, reference);
}

async function withEndpoint(table: Table, address: TaskAddress, api?: TaskApi) {
  const { row, about } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, api);
  return { task, endpoint: about?.endpoint, discards: about?.discards ?? false };
}

type DeliveryOwner = { address: TaskAddress; ended: Task; endpoint: string; discards: boolean };

async function deliveryOf(table: Table, { address, ended, endpoint, discards }: DeliveryOwner): Promise<Delivery[]> {
  const { hook: delivery, run } = ended;
  if (isOpen(ended) || isRunEnd(ended)) return [];
  const id = eventIdOf(address.taskId, ended);
  const of = run ? { run: run.number } : {};
  if (!delivery) return discards ? [{ id, ...of, endpoint, state: 'delivered', attempts: [] }] : [];
  const { state, nextAt } = delivery;
  const attempts = await attemptsOf(table, { ...address, event: id }, delivery);
  return [{ id, ...of, endpoint, state: STATES[state], ...(state === 'due' ? { nextAt } : {}), attempts }];
}

async function deliveryById(
  ports: { table: Table },
  address: TaskAddress,
  { api, id }: { api?: TaskApi; id: string },
): Promise<Delivery> {
  const match = (await deliveriesOf(ports, address, api)).find((delivery) => delivery.id === id);
  if (!match) throw new Problem('notFound', 'Delivery not found');
  return match;
}
