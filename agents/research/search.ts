/** How many words of a question texts have. Texts are ranked and searched by `engines/retrieval/search.ts`. */
import { STOP_WORDS, stem, wordsOf } from '../../engines/retrieval/words.ts';

const stemsOf = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem),
  );

/** Returns a function that gives the share of the question's words that a text has; all of them if it has none. */
export function coverageOf(question: string): (text: string) => number {
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

/** Called with the number of characters that come next. Rejects with the signal's reason. */
export type Pace = (characters: number) => Promise<void>;

/** Reading this many characters takes some tens of milliseconds. */
const AT_A_STRETCH = 300_000;

/** Returns a function that yields to the event loop at intervals while long texts are processed. */
export function pacer(signal: AbortSignal): Pace {
  let read = 0;
  return async (characters) => {
    read += characters;
    if (read < AT_A_STRETCH) return;
    read = 0;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  };
}
