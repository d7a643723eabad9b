/** The deliveries of an event: the plan of its attempts, and the attempts as callers and operators see them. */
import { Problem } from '../core/problem.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import type { Posted, PostFault, Table } from '../ports.ts';
import type { SentOutcome } from '../tasks/decide-delivery.ts';
import { checkedTask, readWithDetails } from '../tasks/details.ts';
import { type TaskAddress, taskPartition } from '../tasks/rows.ts';
import { runsOf } from '../tasks/runs.ts';
import {
  type ClaimedAttempt,
  isOpen,
  isRunEnd,
  TASK_LIMITS,
  type Task,
  type TaskApi,
  type TaskDelivery,
} from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';

/** A recorded attempt: a row, numbered across all attempts of an event, or a few numbers in the task's item. */
export type DeliveryAttempt = {
  at: number;
  ms: number;
  /** The status of the response; absent if there was a fault instead. */
  status?: number;
  fault?: PostFault;
  /** The start of the response body. */
  answer?: string;
  /** The planned time of the next attempt. */
  nextAt?: number;
};

type AttemptOwner = TaskAddress & { event: string };

/** Attempts before their planned time have numbers too, one every 30 s while a receiver is down. */
const NUMBER_DIGITS = 6;
/** The most attempts that are shown, the newest ones. */
const MAX_SHOWN = 100;

const prefixOf = (event: string): string => `DELIVERY#${event}#`;

export function toDeliveryAttempt(
  posted: Posted,
  times: Pick<DeliveryAttempt, 'at' | 'ms' | 'nextAt'>,
): DeliveryAttempt {
  if ('fault' in posted) return { ...times, fault: posted.fault };
  return { ...times, status: posted.status, ...(posted.answer === '' ? {} : { answer: posted.answer }) };
}

export async function storeAttempt(
  table: Table,
  { event, ...address }: AttemptOwner,
  o: { number: number; attempt: DeliveryAttempt; expiresAt: number | undefined },
): Promise<void> {
  const sk = prefixOf(event) + String(o.number).padStart(NUMBER_DIGITS, '0');
  const kept = o.expiresAt === undefined ? {} : { expiresAt: o.expiresAt };
  await table.insert<DeliveryAttempt>({ pk: taskPartition(address), sk, value: o.attempt, ...kept });
}

/** The attempt for the task's item. `undefined`: it needs a row, because the item has room only for the usual case. */
export function claimedIn(
  { hook: delivery, past = [], recurs }: Task,
  attempt: DeliveryAttempt,
): ClaimedAttempt | undefined {
  const { at, ms, status, answer } = attempt;
  const isUsual = delivery?.tries === 1 && past.length === 0 && !recurs;
  return isUsual && status !== undefined && answer === undefined ? [at, ms, status] : undefined;
}

export type Numbered = DeliveryAttempt & { number: number };

/** Oldest first. */
async function attemptsOf(
  table: Table,
  { event, ...address }: AttemptOwner,
  { taken }: TaskDelivery,
): Promise<Numbered[]> {
  const newest = { limit: MAX_SHOWN, newestFirst: true };
  const { rows } = await table.rows<DeliveryAttempt>(taskPartition(address), prefixOf(event), newest);
  const attempts = rows.map(
    ({ sk, value }): Numbered => ({ ...value, number: Number(sk.slice(sk.lastIndexOf('#') + 1)) }),
  );
  if (taken) {
    const [at, ms, status] = taken;
    attempts.push({ number: 1, at, ms, status });
  }
  return attempts.reverse();
}

/** The delivery of an event as callers see it: its state and every attempt. Its id is the `webhook-id`. */
export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'exhausted';

export type Delivery = {
  id: string;
  /** For a recurring task: the number of the run. */
  run?: number;
  endpoint: string;
  state: DeliveryState;
  /** Present while the delivery is pending. */
  nextAt?: number;
  attempts: Numbered[];
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

/** Newest first. Empty before the end of the task or a run, and without a webhook. Without `face`: a task of either API. */
export async function deliveriesOf(
  { table }: { table: Table },
  address: TaskAddress,
  face?: TaskApi,
): Promise<Delivery[]> {
  const { task, endpoint, discards } = await withEndpoint(table, address, face);
  if (endpoint === undefined) return [];
  const runs = task.recurs ? await runsOf(table, address, MAX_RUNS) : [];
  const deliveries = [task, ...runs.map(({ value }) => value)].map((ended) =>
    deliveryOf(table, { address, ended, endpoint, discards }),
  );
  return (await Promise.all(deliveries)).flat();
}

async function withEndpoint(table: Table, address: TaskAddress, face?: TaskApi) {
  const { row, about } = await readWithDetails(table, address);
  const { value: task } = checkedTask(row, face);
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
  { face, id }: { face?: TaskApi; id: string },
): Promise<Delivery> {
  const found = (await deliveriesOf(ports, address, face)).find((delivery) => delivery.id === id);
  if (!found) throw new Problem('notFound', 'Delivery not found');
  return found;
}

/** Sends a task's event again, in any state: at once, and with a whole new plan of attempts. */
export async function redeliver(
  ports: MovePorts,
  address: TaskAddress,
  named: { face?: TaskApi; id: string },
): Promise<Delivery> {
  const { run } = await deliveryById(ports, address, named);
  await moveTask(ports, run === undefined ? address : { ...address, run }, { type: 'redeliver' });
  return deliveryById(ports, address, named);
}

// A task's single event. Its id derives from the task and its final state, and its body is rendered from rows that never
// change after the end: TASK (except its hook), ABOUT and the RESULT of one attempt. So every attempt sends the same body
// under the same id, except for a new URL of the archive, and no copy has to be stored.

/** A recurring task has one event for each run and one for its cancel. */
export const eventIdOf = (taskId: string, { state, run }: Pick<Task, 'state' | 'run'>): string =>
  `evt_${taskId}_${run ? `run${run.number}` : state}`;

/** The wait after each attempt but the last. */
export const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
export const JITTER = 0.2;
/** The longest `Retry-After` that is respected, in planned waits. */
const MAX_HONOURED = 2;
/** Waits that exceed a queue's delay depend on the reconciler, which may be this late. */
const MAX_LATE_MS = 2 * MINUTE_MS;

const GONE = 410;

/** `failed` counts the attempts of this plan, including the one just made. */
type MadeAttempt = { failed: number; now: number; random: () => number };

export function outcomeOf(posted: Posted, { failed, now, random }: MadeAttempt): SentOutcome {
  const status = 'status' in posted ? posted.status : undefined;
  if (status !== undefined && status >= 200 && status < 300) return 'delivered';
  const wait = WAITS_MS[failed - 1];
  if (wait === undefined || status === GONE || ('fault' in posted && posted.fault === 'blocked_target'))
    return 'refused';
  const planned = jittered(wait, random);
  const requestedMs = 'status' in posted ? Math.min(retryAfterMs(posted.retryAfter, now), MAX_HONOURED * planned) : 0;
  const retryAt = now + Math.round(Math.max(planned, requestedMs));
  return requestedMs > 0 ? { retryAt, notBefore: now + Math.round(requestedMs) } : { retryAt };
}

/** Within 20 % of the wait, including the lateness of the reconciler. */
function jittered(wait: number, random: () => number): number {
  const late = wait > TASK_LIMITS.maxHintSeconds * SECOND_MS ? MAX_LATE_MS : 0;
  return wait * (1 - JITTER) + random() * (2 * JITTER * wait - late);
}

/** Seconds or a date (RFC 9110); 0 for any other value. */
function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : at - now;
}
