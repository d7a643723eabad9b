/** Says once in a window that most of a rate limit is spent. */
import type { Limit, Window } from '../limits/limit.ts';
import type { Notice } from './news.ts';

const SHARE = 0.8;

/** Exact counters pass this number once. Of what is bought in blocks nobody knows when it does. `calls`: as callers know them. */
export function limitNotices(calls: string, { inBlocks }: Limit, windows: readonly Window[]): Notice[] {
  if (inBlocks) return [];
  return windows
    .filter(({ most, left }) => most - left === Math.ceil(most * SHARE) && left > 0)
    .map((window) => ({
      level: 'warning',
      message:
        `80 % of the limit of ${calls} is spent: ${window.left} of ${window.most} calls are left in this ${window.name}, ` +
        `which ends in ${window.resetSeconds} s.`,
    }));
}
