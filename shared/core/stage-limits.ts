/** What a stage may set for itself: how long files and ended tasks are kept, and how large a file may be. */

const DAY_MS = 86_400_000;

export type StageLimits = { keptDays: number; maxFileBytes?: number };
/** A use case that is told none works with the usual ones. */
export type StageLimited = { stageLimits?: StageLimits };

export const USUAL_LIMITS = { keptDays: 30, maxFileBytes: 536_870_912 } as const;

/** Calls without a valid credential from one source address, in five minutes. */
export const DEFAULT_BAD_CREDENTIALS = 300;
/** CPU time for reading one document, without OCR and for each page that OCR recognizes; `most` is the life of a worker. */
export const CPU_SECONDS = { document: 10, ocrPage: 5, most: 900 } as const;

/** No stage keeps anything longer. */
export const MOST_KEPT_DAYS = 365;

export const daysMs = (days: number): number => days * DAY_MS;
export const keptMsIn = ({ stageLimits = USUAL_LIMITS }: StageLimited): number => daysMs(stageLimits.keptDays);
export const maxBytesIn = ({ stageLimits = USUAL_LIMITS }: StageLimited): number =>
  stageLimits.maxFileBytes ?? USUAL_LIMITS.maxFileBytes;
