/** Whether a story with figures repeats one of the days before: then its figures are no second measurement. */
import { STOP_WORDS, stem, wordsOf } from '../engines/models/extractive/words.ts';
import type { SourceItem } from '../shared/sources/gathered.ts';

type Story = Pick<SourceItem, 'title' | 'text' | 'publishedAt' | 'figures'>;

const MOST_APART_MS = 3 * 86_400_000;

export const isRetold = (story: Story, before: Story): boolean =>
  repeatsFigures(story, before) && isNearDuplicate(printOf(story), printOf(before));

/** Of two stories that tell the same. Records without a word of text measure each day anew, be their value the same. */
export const repeatsFigures = (story: Story, before: Story): boolean =>
  story.text.trim() !== '' && hasSameFigures(story, before) && isNear(story, before);

const hasSameFigures = ({ figures = [] }: Story, before: Story): boolean =>
  figures.length > 0 && JSON.stringify(figures) === JSON.stringify(before.figures);

const isNear = (story: Story, before: Story): boolean =>
  Math.abs(Date.parse(story.publishedAt ?? '') - Date.parse(before.publishedAt ?? '')) <= MOST_APART_MS;

const printOf = ({ title, text }: Story) => fingerprintOf(`${title}\n${text}`);

const NAMES_OF_TIMES =
  /\d+|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/gi;

/** What the titles of a series of records have in common: all but their times. */
export const withoutTimes = (title: string): string => title.replaceAll(NAMES_OF_TIMES, '');

/** Whether it measures anew what the item before measured, even if the value is the same. */
export const isNextOfSeries = ({ title, text }: Story, before: Story): boolean =>
  text.trim() === '' || withoutTimes(title) === withoutTimes(before.title);

/** Whether two texts tell the same: the same story in other words, a copy with another head, a part of the other. */
export type Fingerprint = { shingles: Set<string>; stems: Set<string>; numbers: Set<string> };

const MOST_CHARACTERS = 30_000;

const SHINGLE = 3;

const NUMBER = /\d+(?:[.,]\d+)*/g;

export function fingerprintOf(whole: string): Fingerprint {
  const text = whole.slice(0, MOST_CHARACTERS);
  const stems = wordsOf(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stem);
  const shingles = stems.slice(SHINGLE - 1).map((_, at) => stems.slice(at, at + SHINGLE).join(' '));
  return { shingles: new Set(shingles), stems: new Set(stems), numbers: numbersIn(text) };
}

export const numbersIn = (text: string): Set<string> =>
  new Set((text.match(NUMBER) ?? []).map((number) => number.replaceAll(',', '')));

/** Of the smaller one, how much the other has. */
export function sharedPart(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [small, large] = one.size <= other.size ? [one, other] : [other, one];
  if (small.size === 0) return 0;
  let shared = 0;
  for (const entry of small) if (large.has(entry)) shared++;
  return shared / small.size;
}

const COPIED = 0.5;

const REWORDED = { words: 0.8, phrases: 0.05 };

const SAME_NUMBERS = 0.75;

const LEAST_STEMS = 4;

/** Two months of one series read alike, but for their numbers: where these differ, nothing is the same. */
export function isNearDuplicate(one: Fingerprint, other: Fingerprint): boolean {
  if (Math.min(one.stems.size, other.stems.size) < LEAST_STEMS) return isEqual(one.stems, other.stems);
  if (!numbersAgree(one.numbers, other.numbers)) return false;
  const phrases = sharedPart(one.shingles, other.shingles);
  const words = sharedPart(one.stems, other.stems);
  return phrases >= COPIED || (words >= REWORDED.words && phrases >= REWORDED.phrases);
}

const isEqual = (one: Set<string>, other: Set<string>): boolean =>
  one.size === other.size && sharedPart(one, other) === 1;

const numbersAgree = (one: Set<string>, other: Set<string>): boolean =>
  one.size === 0 || other.size === 0 ? one.size + other.size < 3 : sharedPart(one, other) >= SAME_NUMBERS;

// Ranks what was gathered, leaves out what is about something else or told twice, and keeps as many as are to be read.

/** Two of the question's words, or one of its names; of a question of one or two words, one. */
export const leastPresent = (terms: number): number => Math.min(2, Math.ceil(terms / 2));
