/** Whether two texts tell the same: the same story in other words, a copy with another head, a part of the other. */
import { stem } from '../../model/extractive/stem.ts';
import { STOP_WORDS } from '../../model/extractive/stop-words.ts';
import { wordsOf } from '../../model/extractive/words.ts';

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
