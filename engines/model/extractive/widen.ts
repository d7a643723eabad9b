/** Gives a sentence the neighbours it needs: what it leans on, and a little of what comes next. */
import type { QuoteUnit } from './units.ts';

/** A sentence that begins like this leans on the one before it. */
export const NEEDS_PREVIOUS =
  /^["'(]*(?:it|its|they|their|them|he|she|his|her|this|these|those|that|such|both|neither|either way|however|therefore|otherwise|instead|in that case|in this case|in addition|then|also|but|and|so|below that|er|sie|es|diese[rsnm]?|dies|dann|sonst|il|elle|ils|elles|cela|ce|esto|este|esta)\b/iu;
const COMFORTABLE = 380;

/** A stretch of sentences of one block. */
export type SentenceRange = { unit: QuoteUnit; from: number; to: number };

export function withNeighbours(unit: QuoteUnit): SentenceRange {
  const { sentences, nth } = unit;
  const lengthOf = (at: number): number => sentences[at]?.length ?? Number.POSITIVE_INFINITY;
  let [from, to] = [nth, nth];
  let length = lengthOf(nth);
  const fits = (at: number): boolean => length + lengthOf(at) <= COMFORTABLE;
  while (from > 0 && from > nth - 2 && NEEDS_PREVIOUS.test(sentences[from] ?? '')) length += lengthOf(--from);
  while (fits(to + 1)) length += lengthOf(++to);
  while (fits(from - 1)) length += lengthOf(--from);
  return { unit, from, to };
}

export const rangeText = ({ unit, from, to }: SentenceRange): string => unit.sentences.slice(from, to + 1).join(' ');
