/** Conversion between instants and the local time of a zone. */

import { lruCache } from '../core/cache.ts';
import { HOUR_MS } from '../core/time.ts';

/** No zone is further from UTC, and none changes its offset twice within twice that time. */
const FURTHEST_MS = 16 * HOUR_MS;
const MAX_ENTRIES = 200;

const formats = lruCache<string, Intl.DateTimeFormat>({ max: MAX_ENTRIES });

/** Creating a formatter takes a hundred times as long as using it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const cachedFormat = formats.get(zone);
  if (cachedFormat) return cachedFormat;
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
export function wallClock(zone: string, instant: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The first instant with that local time. `undefined`: a change of the offset skips it. */
export function instantOf(zone: string, wall: number): number | undefined {
  const offsets = [wall - FURTHEST_MS, wall + FURTHEST_MS].map((near) => wallClock(zone, near) - near);
  const instants = offsets.map((offset) => wall - offset).filter((instant) => wallClock(zone, instant) === wall);
  return instants.length === 0 ? undefined : Math.min(...instants);
}
