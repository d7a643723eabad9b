/** Schedules of recurring tasks: their slots in the time zone of the user. */

import { lruCache } from '../core/cache.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';

/** When a task recurs: at one time of day, every day, on one day of the week, or on one day of the month. */
export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export type Schedule = {
  /** HH:MM:SS in the local time of the zone. */
  time: string;
  /** The IANA name of the time zone. */
  zone: string;
} & (
  | { every: 'day' }
  /** 1 is Monday. */
  | { every: 'week'; day: number }
  /** In a month without that day, its last day. */
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

/** Conversion between instants and the local time of a zone. */
/** No zone is further from UTC, and none changes its offset twice within twice that time. */
const FURTHEST_MS = 16 * HOUR_MS;
const MAX_ENTRIES = 200;

const formats = lruCache<string, Intl.DateTimeFormat>({ max: MAX_ENTRIES });

/** Creating a formatter takes a hundred times as long as using it. */
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

/** The local time, expressed as if it were UTC, so that dates can be counted without a zone. */
function wallClock(zone: string, instant: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The first instant with that local time. `undefined`: a change of the offset skips it. */
function instantOf(zone: string, wall: number): number | undefined {
  const offsets = [wall - FURTHEST_MS, wall + FURTHEST_MS].map((near) => wallClock(zone, near) - near);
  const shown = offsets.map((offset) => wall - offset).filter((instant) => wallClock(zone, instant) === wall);
  return shown.length === 0 ? undefined : Math.min(...shown);
}

/** The slots of a schedule: the instants at which a run is planned. */
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

function isDay(schedule: Schedule, date: Date): boolean {
  if (schedule.every === 'day') return true;
  if (schedule.every === 'week') return date.getUTCDay() === schedule.day % 7;
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.getUTCDate() === Math.min(schedule.day, last);
}

const timeOfDay = ({ time }: Schedule): number => Date.parse(`1970-01-01T${time}Z`);

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
