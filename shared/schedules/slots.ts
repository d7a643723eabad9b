/** The slots of a schedule: the instants at which a run is planned. */

import { DAY_MS } from '../core/time.ts';
import { instantOf, wallClock } from './local-time.ts';
import type { Schedule } from './schedule.ts';

/** No schedule is without a slot for this long: a change of the offset rarely skips a month's one day, and never twice in a row. */
const MAX_DAYS = 200;

/** The first slot after the instant. */
export function slotAfter(schedule: Schedule, instant: number): number {
  const today = wallClock(schedule.zone, instant);
  const midnight = today - (today % DAY_MS);
  // From the day before: after clocks were set back over midnight, yesterday's local times come after today's.
  for (let days = -1; days < MAX_DAYS; days++) {
    const date = midnight + days * DAY_MS;
    if (!isDay(schedule, new Date(date))) continue;
    const slot = instantOf(schedule.zone, date + timeOfDay(schedule));
    if (slot !== undefined && slot > instant) return slot;
  }
  throw new Error('A schedule has no slot.');
}

/** Any schedule has two slots within this time. */
const LOOKED_BACK_MS = 100 * DAY_MS;

/**
 * `newest` is the last slot up to `now`, and `before` the slot before it. Both are `slotAt`, itself a slot, while it is the
 * last one or in the future.
 */
export function slotsAround(schedule: Schedule, { slotAt, now }: { slotAt: number; now: number }) {
  if (now < slotAt) return { before: slotAt, newest: slotAt, next: slotAt };
  let [before, newest] = [slotAt, slotAt];
  let next = slotAfter(schedule, Math.max(slotAt, now - LOOKED_BACK_MS));
  for (; next <= now; next = slotAfter(schedule, next)) [before, newest] = [newest, next];
  return { before, newest, next };
}

/** The last slot before an instant, for a schedule without a known slot. */
export const slotBefore = (schedule: Schedule, instant: number): number =>
  slotsAround(schedule, { slotAt: slotAfter(schedule, instant - LOOKED_BACK_MS), now: instant - 1 }).newest;

function isDay(schedule: Schedule, date: Date): boolean {
  if (schedule.every === 'day') return true;
  if (schedule.every === 'week') return date.getUTCDay() === schedule.day % 7;
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.getUTCDate() === Math.min(schedule.day, last);
}

const timeOfDay = ({ time }: Schedule): number => Date.parse(`1970-01-01T${time}Z`);
