/** A rate limit: so many calls a minute, and maybe an hour, for each organization. Windows are UTC minutes and hours. */
import type { Counts } from '../ports.ts';

export type Limit = {
  /** Names the counter; routes that share it share what is left. */
  name: string;
  minute: number;
  hour?: number;
  /** Bought from the table in blocks by each instance: fewer writes for a generous limit. */
  inBlocks?: true;
};

/** So many at once, for each organization. */
export type Cap = { name: string; most: number };

export type Window = { name: 'minute' | 'hour'; most: number; left: number; seconds: number; resetSeconds: number };

export const MINUTE = 60;
export const HOUR = 3_600;

export const minuteCounter = (nowSeconds: number): string => `m${Math.floor((nowSeconds % HOUR) / MINUTE)}`;

/** `prepaid` calls are counted as spent in the table and still this instance's to give. */
export function windowsOf(limit: Limit, nowSeconds: number, counts: Counts, prepaid: number): Window[] {
  const windowOf = (name: Window['name'], most: number, counter: string, seconds: number): Window => ({
    name,
    most,
    left: Math.max(0, most - (counts[counter] ?? 0) + prepaid),
    seconds,
    resetSeconds: seconds - (nowSeconds % seconds),
  });
  const minute = windowOf('minute', limit.minute, minuteCounter(nowSeconds), MINUTE);
  return limit.hour ? [minute, windowOf('hour', limit.hour, 'hour', HOUR)] : [minute];
}
