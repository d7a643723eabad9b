/** What the clocks of a time zone show at an instant, and when they show a date and a time. */
import { lruCache } from '../core/cache.ts';

const HOUR_MS = 3_600_000;
/** No zone is further from UTC, and none changes its clocks twice within twice that. */
const FURTHEST_MS = 16 * HOUR_MS;
const MOST_KEPT = 200;

const formats = lruCache<string, Intl.DateTimeFormat>({ max: MOST_KEPT });

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
export function wallClock(zone: string, instant: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The first instant at which the clocks show that; undefined when a change skips it. */
export function instantOf(zone: string, wall: number): number | undefined {
  const offsets = [wall - FURTHEST_MS, wall + FURTHEST_MS].map((near) => wallClock(zone, near) - near);
  const shown = offsets.map((offset) => wall - offset).filter((instant) => wallClock(zone, instant) === wall);
  return shown.length === 0 ? undefined : Math.min(...shown);
}
