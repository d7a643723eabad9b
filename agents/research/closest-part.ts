/** Finds the part of a question that a text belongs to, by the share of its words. */

import { STOP_WORDS, stem, wordsOf } from '../../engines/retrieval/words.ts';

const stemsOf = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem),
  );

/** Returns a function that gives the share of the question's words that a text has; all of them if it has none. */
function coverageOf(question: string): (text: string) => number {
  const wanted = stemsOf(question);
  return (text) => {
    if (wanted.size === 0) return 1;
    const present = stemsOf(text);
    return [...wanted].filter((word) => present.has(word)).length / wanted.size;
  };
}

/** Returns a function that gives the number of the part, from 1, whose words a text has most of. */
export function closestPart(parts: readonly string[]): (text: string) => number {
  const coverages = parts.map(coverageOf);
  return (text) => {
    const shares = coverages.map((coverage) => coverage(text));
    return Math.max(0, shares.indexOf(Math.max(...shares))) + 1;
  };
}
