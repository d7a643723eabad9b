/** What is kept of each attempt: one row, numbered through all attempts of an event. */
import type { Posted, PostFault, Table } from '../ports.ts';
import { type TaskAddress, taskPartition } from '../tasks/task-rows.ts';

export type Attempt = {
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

type Of = TaskAddress & { event: string };

const NUMBER_DIGITS = 4;
/** The newest that are shown. */
const MOST_SHOWN = 100;

const prefixOf = (event: string): string => `DELIVERY#${event}#`;

export function attemptOf(posted: Posted, times: Pick<Attempt, 'at' | 'ms' | 'nextAt'>): Attempt {
  if ('fault' in posted) return { ...times, fault: posted.fault };
  return { ...times, status: posted.status, ...(posted.answer === '' ? {} : { answer: posted.answer }) };
}

export async function keepAttempt(
  table: Table,
  { event, ...address }: Of,
  o: { number: number; attempt: Attempt; expiresAt: number | undefined },
): Promise<void> {
  const sk = prefixOf(event) + String(o.number).padStart(NUMBER_DIGITS, '0');
  const kept = o.expiresAt === undefined ? {} : { expiresAt: o.expiresAt };
  await table.insert<Attempt>({ pk: taskPartition(address), sk, value: o.attempt, ...kept });
}

export type Numbered = Attempt & { number: number };

/** The oldest first. */
export async function attemptsOf(table: Table, { event, ...address }: Of): Promise<Numbered[]> {
  const newest = { limit: MOST_SHOWN, newestFirst: true };
  const { rows } = await table.rows<Attempt>(taskPartition(address), prefixOf(event), newest);
  return rows.map(({ sk, value }) => ({ ...value, number: Number(sk.slice(-NUMBER_DIGITS)) })).reverse();
}
