/** Parses the dates of feeds and tables: RFC 822, ISO 8601, periods such as 2026-Q3, seconds since 1970. */

import { HOUR_MS, MINUTE_MS } from '../core/time.ts';

const MIN_YEAR = 1_900;
const MAX_YEAR = 2_200;
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';
/** RFC 822 names these; any other name counts as UTC. */
const ZONES: Record<string, number> = { EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 };

const RFC_822 =
  /^(?:[a-z]{3,9},?\s+)?(\d{1,2})\s+([a-z]{3})[a-z]*\.?\s+(\d{4}|\d{2})(?:\s+(\d{1,2}):(\d\d)(?::(\d\d))?)?\s*([+-]\d{4}|[a-z]{1,5})?$/i;
const ISO_8601 = /^(\d{4})-(\d\d)(?:-(\d\d)(?:[T\s]+(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?$/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)(Z)?)?$/i;
const QUARTER = /^(\d{4})[\s-]?Q([1-4])$/i;
const YEAR = /^(\d{4})$/;
const EPOCH = /^\d{9,10}(?:\d{3})?(?:\.\d+)?$/;

/** ISO 8601 UTC with milliseconds; `undefined` for an invalid date. A date without a time zone is UTC. */
export function parseInstant(text: string): string | undefined {
  const at = parseMoment(text.trim().slice(0, 80));
  if (at === undefined || !Number.isFinite(at)) return undefined;
  const date = new Date(at);
  const year = date.getUTCFullYear();
  return year >= MIN_YEAR && year <= MAX_YEAR ? date.toISOString() : undefined;
}

function parseMoment(text: string): number | undefined {
  const iso = ISO_8601.exec(text) ?? COMPACT.exec(text);
  if (iso) {
    const [, year, month, day = '1', hour, minute, second, zone] = iso;
    return moment([year, Number(month) - 1, day, hour, minute, second], zone);
  }
  const mail = RFC_822.exec(text);
  if (mail) {
    const [, day, name = '', year = '', hour, minute, second, zone] = mail;
    const month = MONTHS.indexOf(name.toLowerCase()) / 3;
    return Number.isInteger(month) && month >= 0
      ? moment([year.length === 2 ? `20${year}` : year, month, day, hour, minute, second], zone)
      : undefined;
  }
  const quarter = QUARTER.exec(text);
  if (quarter) return moment([quarter[1], (Number(quarter[2]) - 1) * 3]);
  const year = YEAR.exec(text);
  if (year) return moment([year[1]]);
  // Seconds, or with 13 digits milliseconds.
  return EPOCH.test(text) ? Number(text) * (/^\d{12,}/.test(text) ? 1 : 1_000) : undefined;
}

function moment(parts: (string | number | undefined)[], zone?: string): number | undefined {
  const [year, month = 0, day = 1, hour = 0, minute = 0, second = 0] = parts;
  const at = Date.UTC(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(at);
  // Rejects dates that would roll over, such as February 31 to March or year 1 to 1901.
  const fits =
    date.getUTCFullYear() === Number(year) && date.getUTCMonth() === Number(month) && date.getUTCDate() === Number(day);
  return fits ? at - offsetOf(zone) : undefined;
}

function offsetOf(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? [];
  if (sign === undefined) return (ZONES[(zone ?? '').toUpperCase()] ?? 0) * HOUR_MS;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}
