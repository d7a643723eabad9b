/** How much of a sentence its source holds: of its words, and of each three of them in a row. */
import { STOP_WORDS, stem, wordsOf } from '../../engines/retrieval/words.ts';

type Containment = { words: number; trigrams: number };
type QuoteMatch = { contains(sentence: string): Containment };

const stemsIn = (text: string): string[] =>
  wordsOf(text.normalize('NFC'))
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
    .map(stem);

const trigramsOf = (stems: readonly string[]): string[] =>
  stems.length < 3 ? [stems.join(' ')] : stems.slice(2).map((_, at) => stems.slice(at, at + 3).join(' '));

export function quoteMatcher(source: string): QuoteMatch {
  const stems = stemsIn(source);
  const words = new Set(stems);
  const trigrams = new Set(trigramsOf(stems));
  return {
    contains(sentence) {
      const own = stemsIn(sentence);
      const three = trigramsOf(own);
      const isThere = own.length < 3 ? (text: string) => ` ${stems.join(' ')} `.includes(` ${text} `) : undefined;
      return {
        words: shareOf(own, (one) => words.has(one)),
        trigrams: shareOf(three, (one) => isThere?.(one) ?? trigrams.has(one)),
      };
    },
  };
}

const shareOf = (all: readonly string[], isThere: (one: string) => boolean): number =>
  all.length === 0 ? 0 : all.filter(isThere).length / all.length;
