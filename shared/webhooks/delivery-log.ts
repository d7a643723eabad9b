/** The recorded attempts of a delivery. */

import type { PostFault, PostResult, Table } from '../ports.ts';
import { type TaskAddress, taskPartition } from '../tasks/rows.ts';
import type { InlineAttempt, Task, TaskDelivery } from '../tasks/task.ts';

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
  posted: PostResult,
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
  const expiry = o.expiresAt === undefined ? {} : { expiresAt: o.expiresAt };
  await table.insert<DeliveryAttempt>({ pk: taskPartition(address), sk, value: o.attempt, ...expiry });
}

/** The attempt for the task's item. `undefined`: it needs a row, because the item has room only for the usual case. */
export function inlineAttemptOf(
  { hook: delivery, past = [], recurs }: Task,
  attempt: DeliveryAttempt,
): InlineAttempt | undefined {
  const { at, ms, status, answer } = attempt;
  const isUsual = delivery?.tries === 1 && past.length === 0 && !recurs;
  return isUsual && status !== undefined && answer === undefined ? [at, ms, status] : undefined;
}

export type NumberedAttempt = DeliveryAttempt & { number: number };

/** Oldest first. */
export async function attemptsOf(
  table: Table,
  { event, ...address }: AttemptOwner,
  { taken: inlineAttempt }: TaskDelivery,
): Promise<NumberedAttempt[]> {
  const newest = { limit: MAX_SHOWN, newestFirst: true };
  const { rows } = await table.rows<DeliveryAttempt>(taskPartition(address), prefixOf(event), newest);
  const attempts = rows.map(
    ({ sk, value }): NumberedAttempt => ({ ...value, number: Number(sk.slice(sk.lastIndexOf('#') + 1)) }),
  );
  if (inlineAttempt) {
    const [at, ms, status] = inlineAttempt;
    attempts.push({ number: 1, at, ms, status });
  }
  return attempts.reverse();
}
