/** The plan of the attempts to deliver a webhook event. */

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';

/** The wait after each attempt but the last. */
export const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
export const JITTER = 0.2;
/** The longest `Retry-After` that is respected, in planned waits. */
export const MAX_HONOURED = 2;

export const MAX_ATTEMPTS = WAITS_MS.length + 1;

/** Each wait with the most jitter, and extended by the receiver. */
export const LONGEST_PLAN_MS = WAITS_MS.reduce((sum, wait) => sum + wait * (1 + JITTER) * MAX_HONOURED, 0);
