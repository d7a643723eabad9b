/** The name of a stage and the limits that its operator sets. */

import { createHash } from 'node:crypto';
import { DAY_MS } from './time.ts';

/** What a stage may set for itself: how long files and ended tasks are kept, and how large a file may be. */

type StageLimits = { keptDays: number; maxFileBytes?: number };
/** The default limits apply where none are given. */
export type StageLimited = { stageLimits?: StageLimits };

export const DEFAULT_LIMITS = { keptDays: 30, maxFileBytes: 536_870_912 } as const;

/** Calls without a valid credential from one source address, in five minutes. */
export const DEFAULT_BAD_CREDENTIALS = 300;
/** CPU time for reading one document, without OCR and for each page that OCR recognizes; `most` is the life of a worker. */
export const CPU_SECONDS = { document: 10, ocrPage: 5, most: 900 } as const;

/** No stage keeps anything longer. */
export const MAX_KEPT_DAYS = 365;

export const daysMs = (days: number): number => days * DAY_MS;
export const keptMsIn = ({ stageLimits = DEFAULT_LIMITS }: StageLimited): number => daysMs(stageLimits.keptDays);
export const maxBytesIn = ({ stageLimits = DEFAULT_LIMITS }: StageLimited): number =>
  stageLimits.maxFileBytes ?? DEFAULT_LIMITS.maxFileBytes;

// The name of a stage: as given, or derived from the name of a branch.

/** The stage that is kept. No other begins as its name does. */
export const KEPT_STAGE = 'production';

const NAME = /^(?=.{1,30}$)[a-z]([a-z0-9-]*[a-z0-9])?$/;
const MAX_CHARACTERS = 255;
const MAX_OF_SLUG = 23;
const MARK_CHARACTERS = 6;

/** A name stays; a branch such as `feature/My-Branch` becomes letters, digits and hyphens, and six that tell it from others. */
export function stageName(text: string): string {
  if (text === KEPT_STAGE) return text;
  const name = NAME.test(text) ? text : nameOf(text);
  if (name.startsWith(KEPT_STAGE)) throw bad(text);
  return name;
}

function nameOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, MAX_OF_SLUG)
    .replace(/-+$/, '');
  if (slug === '' || text.length > MAX_CHARACTERS || !isPlain(text)) throw bad(text);
  return `${slug}-${createHash('sha256').update(text).digest('hex').slice(0, MARK_CHARACTERS)}`;
}

/** What git takes as the name of a branch, near enough: no blanks, no controls, no way out of a folder. */
const isPlain = (text: string): boolean => /^[!-~]+$/.test(text) && !text.includes('..') && !/^[-/]/.test(text);

const bad = (text: string): RangeError => {
  const rule = 'give 1 to 30 lower-case letters, digits and hyphens, a letter first, or the name of a branch';
  const others = `only ${KEPT_STAGE} itself begins so`;
  return new RangeError(`The stage is ${JSON.stringify(text.slice(0, 80))}: ${rule}; ${others}.`);
};
