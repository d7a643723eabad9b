/** The runs of a recurring task: an ended run gets its own row, and slots without a run are recorded as missed. */

import type { Draft, Prerequisites, Row, Table } from '../ports.ts';
import { parseSchedule } from '../schedules/schedule.ts';
import { slotAfter } from '../schedules/slots.ts';
import { RUNS, runDraft, type TaskAddress, taskPartition } from './rows.ts';
import { type Missed, type Moved, TASK_LIMITS, type Task } from './task.ts';

const MISSED = 'MISSED#';
const INSTANT_DIGITS = 14;
/** The most stretches of missed slots that are read. Each one stands for an overlap or a standstill of a day or more. */
const MAX_STRETCHES = 50;

/** Written before the task's own change; every writer writes the same rows. */
export function endedRunDrafts(address: TaskAddress, { ended, missed }: Moved, now: number): Prerequisites {
  return [...(ended ? [runDraft(address, ended, now)] : []), ...(missed ? [missedDraft(address, missed)] : [])];
}

/** Newest first. */
export async function runsOf(table: Table, address: TaskAddress, max: number): Promise<Row<Task>[]> {
  const { rows } = await table.rows<Task>(taskPartition(address), RUNS, { limit: max, newestFirst: true });
  return rows;
}

/** The newest slots without a run, newest first. */
export async function missedSlots(table: Table, address: TaskAddress, { by, max }: { by: string; max: number }) {
  const { rows } = await table.rows<Missed>(taskPartition(address), MISSED, {
    limit: MAX_STRETCHES,
    newestFirst: true,
  });
  const slots = new Set(rows.flatMap(({ value }) => slotsIn(value, by)));
  return [...slots].sort((a, b) => b - a).slice(0, max);
}

/** The key contains both ends, because an earlier reader may have seen fewer slots. */
const missedDraft = (address: TaskAddress, missed: Missed): Draft<Missed> => ({
  pk: taskPartition(address),
  sk: MISSED + [missed.from, missed.to].map((at) => String(at).padStart(INSTANT_DIGITS, '0')).join('#'),
  value: missed,
  expiresAt: missed.to + TASK_LIMITS.runKeptMs,
});

/** Longer than any standstill. */
const MAX_SLOTS = 400;

function slotsIn({ from, to }: Missed, by: string): number[] {
  const schedule = parseSchedule(by);
  const slots: number[] = [];
  for (let slot = from; slot <= to && slots.length < MAX_SLOTS; slot = slotAfter(schedule, slot)) slots.push(slot);
  return slots;
}
