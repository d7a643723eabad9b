/** The runs of a task that recurs: one that ended is set apart for the next, and slots that nobody could run are missed. */
import { parseSchedule } from '../schedules/schedule.ts';
import { slotAfter } from '../schedules/slot-after.ts';
import { slotsAround } from '../schedules/slots-around.ts';
import { AWAITING, isBetweenRuns, isRunEnd, type Recurrence, TASK_LIMITS, type Task, waiting } from './task.ts';

/** The first and the last of slots that nothing ran at. */
export type Missed = { from: number; to: number };

/** The task as it waits now, the run that ended, as an item of its own, and what was missed meanwhile. */
export type Renewed = { next: Task; ended?: Task; missed?: Missed };

/** Undefined when nothing about its runs is to be set right, as with every task that runs once. */
export function renewed(task: Task, now: number): Renewed | undefined {
  const { recurs } = task;
  if (!recurs) return undefined;
  if (!isRunEnd(task)) return withMissedSlots(task, recurs, now);
  const next = afterRun(task, recurs);
  return { next, ...withMissedSlots(next, next.recurs as Recurrence, now), ended: runApart(task, recurs) };
}

/** A final task, with a delivery of its own: no later run comes in its way. */
function runApart(
  { recurs: _recurs, ...task }: Task,
  { run: number, slotAt, extraAt = slotAt, seq }: Recurrence,
): Task {
  return { ...task, run: { number, slotAt: extraAt, seq } };
}

/** Attempts are numbered on over all runs, as what they wrote lies under their numbers. */
function afterRun(task: Task, { by, slotAt, run, extraAt }: Recurrence): Task {
  const { face, type, priority, createdAt, timeoutMs, attempt, hook } = task;
  // A run besides the slots leaves the next slot as it was.
  const nextAt = extraAt === undefined ? slotAfter(parseSchedule(by), slotAt) : slotAt;
  const seq = task.seq + 1;
  return {
    ...{ face, type, priority, createdAt, timeoutMs, attempt, seq },
    state: 'queued',
    ...waiting(nextAt),
    failures: 0,
    vanished: 0,
    checkpoint: 0,
    progress: 0,
    ...(hook ? { hook: AWAITING } : {}),
    recurs: { by, slotAt: nextAt, run: run + 1, seq },
  };
}

/** Of slots that came while nobody could run them only the newest runs, and only within a day. */
function withMissedSlots(task: Task, recurs: Recurrence, now: number): Renewed | undefined {
  const { by, slotAt, extraAt } = recurs;
  if (!isBetweenRuns(task) || extraAt !== undefined) return undefined;
  const { before, newest, next } = slotsAround(parseSchedule(by), { slotAt, now });
  const isLate = now >= newest + TASK_LIMITS.waitMs;
  if (!isLate && newest === slotAt) return undefined;
  const nextAt = isLate ? next : newest;
  return {
    next: { ...task, ...waiting(nextAt), recurs: { ...recurs, slotAt: nextAt } },
    missed: { from: slotAt, to: isLate ? newest : before },
  };
}
