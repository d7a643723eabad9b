/** The system clock, units of time, and ISO 8601 texts. */
import { setTimeout } from 'node:timers/promises';
import type { Clock, Every } from '../ports.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The only place that reads the system clock. */
export const systemClock: Clock = { now: () => Date.now() };

export const systemEvery: Every = (ms, run) => {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
};

/** Rejects when the signal is aborted. */
export const systemWait = async (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, signal ? { signal } : {});

/** Waits for a random part of that time, so that writers that lost the same race do not collide again. */
export const systemPause = (maxMs: number): Promise<void> => systemWait(Math.random() * maxMs);

/** An instant in the format of `Date.prototype.toISOString`, in a third of its time. */
const padded = (max: number, digits: number) =>
  Array.from({ length: max }, (_, number) => String(number).padStart(digits, '0'));
const TWO = padded(60, 2);
const THREE = padded(1_000, 3);

export function toIsoTime(at: number): string {
  const date = new Date(at);
  const year = date.getUTCFullYear();
  // Years of other lengths use the built-in method, which also throws for an invalid instant.
  if (!(year >= 1_000 && year <= 9_999)) return date.toISOString();
  const day = `${year}-${TWO[date.getUTCMonth() + 1]}-${TWO[date.getUTCDate()]}`;
  const minute = `${TWO[date.getUTCHours()]}:${TWO[date.getUTCMinutes()]}`;
  return `${day}T${minute}:${TWO[date.getUTCSeconds()]}.${THREE[date.getUTCMilliseconds()]}Z`;
}
