/** What is kept of each attempt: a row, numbered through all attempts of an event, or a few numbers in the task itself. */
import type { Posted, PostFault, Table } from '../ports.ts';
import type { ClaimedAttempt, Task, TaskDelivery } from '../tasks/task.ts';
import { type TaskAddress, taskPartition } from '../tasks/task-rows.ts';

export type DeliveryAttempt = {
  at: number;
  ms: number;
  /** Of the answer; without one there is a fault. */
  status?: number;
  fault?: PostFault;
  /** The beginning of what was answered. */
  answer?: string;
  /** When the next attempt was planned for. */
  nextAt?: number;
};

type AttemptOwner = TaskAddress & { event: string };

/** Attempts ahead of the plan have numbers too, and there is one every 30 s while a receiver is away. */
const NUMBER_DIGITS = 6;
/** The newest that are shown. */
const MOST_SHOWN = 100;

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

/** Of an attempt that was taken. Undefined = it needs a row: only in the usual way the task's item has room for it. */
export function claimedIn({ hook, past = [], recurs }: Task, attempt: DeliveryAttempt): ClaimedAttempt | undefined {
  const { at, ms, status, answer } = attempt;
  const isUsual = hook?.tries === 1 && past.length === 0 && !recurs;
  return isUsual && status !== undefined && answer === undefined ? [at, ms, status] : undefined;
}

export type Numbered = DeliveryAttempt & { number: number };

/** The oldest first. */
export async function attemptsOf(
  table: Table,
  { event, ...address }: AttemptOwner,
  { taken }: TaskDelivery,
): Promise<Numbered[]> {
  const newest = { limit: MOST_SHOWN, newestFirst: true };
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
