/** Gives a sentence the neighbours it needs: what it leans on, and a little of what comes next. */
import type { Unit } from './units.ts';

/** A sentence that begins like this leans on the one before it. */
export const LEANS =
  /^["'(]*(?:it|its|they|their|them|he|she|his|her|this|these|those|that|such|both|neither|either way|however|therefore|otherwise|instead|in that case|in this case|in addition|then|also|but|and|so|below that|er|sie|es|diese[rsnm]?|dies|dann|sonst|il|elle|ils|elles|cela|ce|esto|este|esta)\b/iu;
const COMFORTABLE = 380;

/** A stretch of sentences of one block. */
export type Stretch = { unit: Unit; from: number; to: number };

export function widen(unit: Unit): Stretch {
  const { sentences, nth } = unit;
  const lengthOf = (at: number): number => sentences[at]?.length ?? Number.POSITIVE_INFINITY;
  let [from, to] = [nth, nth];
  let length = lengthOf(nth);
  const room = (at: number): boolean => length + lengthOf(at) <= COMFORTABLE;
  while (from > 0 && from > nth - 2 && LEANS.test(sentences[from] ?? '')) length += lengthOf(--from);
  while (room(to + 1)) length += lengthOf(++to);
  while (room(from - 1)) length += lengthOf(--from);
  return { unit, from, to };
}

export const textOf = ({ unit, from, to }: Stretch): string => unit.sentences.slice(from, to + 1).join(' ');
