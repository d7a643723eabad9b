/** The slots of a schedule: the instants at which it says that something is to run. */
import type { Schedule } from './schedule.ts';
import { instantOf, wallClock } from './wall-clock.ts';

const DAY_MS = 86_400_000;
/** No schedule is without a slot for so long: that a change of the clocks skips a month's one day is rare, twice is absurd. */
const MOST_DAYS = 200;

/** The first one that lies behind the instant. */
export function slotAfter(schedule: Schedule, instant: number): number {
  const today = wallClock(schedule.zone, instant);
  const midnight = today - (today % DAY_MS);
  // From the day before: clocks that were set back over midnight show yesterday's times after today's.
  for (let days = -1; days < MOST_DAYS; days++) {
    const date = midnight + days * DAY_MS;
    if (!isDay(schedule, new Date(date))) continue;
    const slot = instantOf(schedule.zone, date + timeOfDay(schedule));
    if (slot !== undefined && slot > instant) return slot;
  }
  throw new Error('A schedule has no slot.');
}

function isDay(schedule: Schedule, date: Date): boolean {
  if (schedule.every === 'day') return true;
  if (schedule.every === 'week') return date.getUTCDay() === schedule.day % 7;
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.getUTCDate() === Math.min(schedule.day, last);
}

const timeOfDay = ({ time }: Schedule): number => Date.parse(`1970-01-01T${time}Z`);
