/** Detects stories that repeat an earlier one, so that their figures do not count as a second measurement. */

import { indexedWords, STOP_WORDS, stem } from '../engines/retrieval/words.ts';
import { DAY_MS } from '../shared/core/time.ts';
import type { SourceItem } from '../shared/sources/source-item.ts';

const MAX_APART_MS = 3 * DAY_MS;

type Story = Pick<SourceItem, 'title' | 'text' | 'publishedAt' | 'figures'>;

export const isRetold = (story: Story, before: Story): boolean =>
  repeatsFigures(story, before) && isNearDuplicate(storyFingerprint(story), storyFingerprint(before));

/** Records without text are new measurements each day, even if the value is the same. */
export const repeatsFigures = (story: Story, before: Story): boolean =>
  story.text.trim() !== '' && hasSameFigures(story, before) && isNear(story, before);

const NAMES_OF_TIMES =
  /\d+|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/gi;

/** Returns the part of a title that all records of a series share: everything except dates and numbers. */
export const withoutTimes = (title: string): string => title.replaceAll(NAMES_OF_TIMES, '');

/** Returns true if the item is a new measurement in the same series, even if the value is the same. */
export const isNextOfSeries = ({ title, text }: Story, before: Story): boolean =>
  text.trim() === '' || withoutTimes(title) === withoutTimes(before.title);

/** A fingerprint for comparing texts: it recognizes reworded stories, copies with another heading, and excerpts. */
export type Fingerprint = { shingles: Set<string>; stems: Set<string>; numbers: Set<string> };

const MAX_CHARACTERS = 30_000;

const SHINGLE = 3;

export function fingerprintOf(whole: string): Fingerprint {
  const text = whole.slice(0, MAX_CHARACTERS);
  const stems = indexedWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stem);
  const shingles = stems.slice(SHINGLE - 1).map((_, at) => stems.slice(at, at + SHINGLE).join(' '));
  return { shingles: new Set(shingles), stems: new Set(stems), numbers: numbersIn(text) };
}

const COPIED = 0.5;

const REWORDED = { words: 0.8, phrases: 0.05 };

const MIN_STEMS = 4;

/** Two months of one series differ only in their numbers, so texts with different numbers are never duplicates. */
export function isNearDuplicate(a: Fingerprint, b: Fingerprint): boolean {
  if (Math.min(a.stems.size, b.stems.size) < MIN_STEMS) return isEqual(a.stems, b.stems);
  if (!numbersAgree(a.numbers, b.numbers)) return false;
  const phrases = overlapShare(a.shingles, b.shingles);
  const words = overlapShare(a.stems, b.stems);
  return phrases >= COPIED || (words >= REWORDED.words && phrases >= REWORDED.phrases);
}

const hasSameFigures = ({ figures = [] }: Story, before: Story): boolean =>
  figures.length > 0 && JSON.stringify(figures) === JSON.stringify(before.figures);

const isNear = (story: Story, before: Story): boolean =>
  Math.abs(Date.parse(story.publishedAt ?? '') - Date.parse(before.publishedAt ?? '')) <= MAX_APART_MS;

const storyFingerprint = ({ title, text }: Story) => fingerprintOf(`${title}\n${text}`);

const NUMBER = /\d+(?:[.,]\d+)*/g;

const numbersIn = (text: string): Set<string> =>
  new Set((text.match(NUMBER) ?? []).map((number) => number.replaceAll(',', '')));

/** Returns the share of the smaller set that the larger one contains. */
function overlapShare(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  if (small.size === 0) return 0;
  let shared = 0;
  for (const entry of small) if (large.has(entry)) shared++;
  return shared / small.size;
}

const SAME_NUMBERS = 0.75;

const isEqual = (a: Set<string>, b: Set<string>): boolean => a.size === b.size && overlapShare(a, b) === 1;

const numbersAgree = (a: Set<string>, b: Set<string>): boolean =>
  a.size === 0 || b.size === 0 ? a.size + b.size < 3 : overlapShare(a, b) >= SAME_NUMBERS;
