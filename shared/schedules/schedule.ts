/** Schedules of recurring tasks: their slots in the time zone of the user. */

import { lruCache } from '../core/cache.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';

/** When a task recurs: at one time of day, every day, on one day of the week, or on one day of the month. */
export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export type Schedule = {
  /** HH:MM:SS on the clocks of the zone. */
  time: string;
  /** Its IANA name. */
  zone: string;
} & (
  | { every: 'day' }
  /** Monday is 1. */
  | { every: 'week'; day: number }
  /** A month without that day has its last one instead. */
  | { every: 'month'; day: number }
);

/** Short, because every write of a task carries it: `d 083000 UTC`, `w1 083000 Europe/Berlin`, `m31 083000 UTC`. */
export type ScheduleText = string;

export function scheduleText(schedule: Schedule): ScheduleText {
  const day = schedule.every === 'day' ? 'd' : `${schedule.every[0]}${schedule.day}`;
  return `${day} ${schedule.time.replaceAll(':', '')} ${schedule.zone}`;
}

export function parseSchedule(text: ScheduleText): Schedule {
  const [, character, day, hour, minute, second, zone = ''] =
    /^([dwm])(\d*) (\d\d)(\d\d)(\d\d) (\S+)$/.exec(text) ?? [];
  const common = { time: `${hour}:${minute}:${second}`, zone };
  if (character === 'd') return { ...common, every: 'day' };
  if (character === 'w') return { ...common, every: 'week', day: Number(day) };
  if (character === 'm') return { ...common, every: 'month', day: Number(day) };
  throw new Error(`Not a valid schedule: ${text}`);
}

/** What the clocks of a time zone show at an instant, and when they show a date and a time. */
/** No zone is further from UTC, and none changes its clocks twice within twice that. */
const FURTHEST_MS = 16 * HOUR_MS;
const MAX_ENTRIES = 200;

const formats = lruCache<string, Intl.DateTimeFormat>({ max: MAX_ENTRIES });

/** To make one takes a hundred times as long as to use it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** What the clocks show, written as if they were those of UTC: so dates are counted on without any zone. */
function wallClock(zone: string, instant: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The first instant at which the clocks show that; undefined when a change skips it. */
function instantOf(zone: string, wall: number): number | undefined {
  const offsets = [wall - FURTHEST_MS, wall + FURTHEST_MS].map((near) => wallClock(zone, near) - near);
  const shown = offsets.map((offset) => wall - offset).filter((instant) => wallClock(zone, instant) === wall);
  return shown.length === 0 ? undefined : Math.min(...shown);
}

/** The slots of a schedule: the instants at which it says that something is to run. */
/** No schedule is without a slot for so long: that a change of the clocks skips a month's one day is rare, twice is absurd. */
const MAX_DAYS = 200;

/** The first one that lies behind the instant. */
export function slotAfter(schedule: Schedule, instant: number): number {
  const today = wallClock(schedule.zone, instant);
  const midnight = today - (today % DAY_MS);
  // From the day before: clocks that were set back over midnight show yesterday's times after today's.
  for (let days = -1; days < MAX_DAYS; days++) {
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

/** Among so many days there are two slots of any schedule. */
const LOOKED_BACK_MS = 100 * DAY_MS;

/**
 * `newest` is the last one up to `now`, and `before` the one before it; both are `slotAt`, which is a slot, as long as it
 * is the last one, or lies ahead.
 */
export function slotsAround(schedule: Schedule, { slotAt, now }: { slotAt: number; now: number }) {
  if (now < slotAt) return { before: slotAt, newest: slotAt, next: slotAt };
  let [before, newest] = [slotAt, slotAt];
  let next = slotAfter(schedule, Math.max(slotAt, now - LOOKED_BACK_MS));
  for (; next <= now; next = slotAfter(schedule, next)) [before, newest] = [newest, next];
  return { before, newest, next };
}

/** The last slot before an instant, of a schedule of which no slot is known. */
export const slotBefore = (schedule: Schedule, instant: number): number =>
  slotsAround(schedule, { slotAt: slotAfter(schedule, instant - LOOKED_BACK_MS), now: instant - 1 }).newest;
