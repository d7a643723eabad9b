/** The limits that a stage may set: how long files and ended tasks are kept, and how large a file may be. */

import { DAY_MS } from './time.ts';

type StageLimits = { keptDays: number; maxFileBytes?: number };
/** Without `stageLimits` the default limits apply. */
export type StageLimited = { stageLimits?: StageLimits };

export const DEFAULT_LIMITS = { keptDays: 30, maxFileBytes: 536_870_912 } as const;

/** Calls without a valid credential per source address in five minutes. */
export const DEFAULT_BAD_CREDENTIALS = 300;
/** CPU time for reading one document: without OCR, and per page with OCR; `most` is the longest run of a worker. */
export const CPU_SECONDS = { document: 10, ocrPage: 5, most: 900 } as const;

/** The longest retention that a stage may set. */
export const MAX_KEPT_DAYS = 365;

export const daysMs = (days: number): number => days * DAY_MS;
export const keptMsIn = ({ stageLimits = DEFAULT_LIMITS }: StageLimited): number => daysMs(stageLimits.keptDays);
export const maxBytesIn = ({ stageLimits = DEFAULT_LIMITS }: StageLimited): number =>
  stageLimits.maxFileBytes ?? DEFAULT_LIMITS.maxFileBytes;
