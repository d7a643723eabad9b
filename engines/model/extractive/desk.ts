/** What the answers of one prompt are written with, and what a request looks for in it. */
import type { Citations } from './citations.ts';
import type { BlockMatches } from './find-blocks.ts';
import type { Passage } from './passage.ts';
import type { SearchTerms } from './rank.ts';
import type { PromptRequest } from './read-prompt.ts';
import { type Lexicon, termsOf } from './terms.ts';
import type { QuoteUnit } from './units.ts';
import { rangeText, withNeighbours } from './widen.ts';

/** `room` is how many characters the answers may have. */
export type AnswerContext = {
  passages: Passage[];
  lexicon: Lexicon;
  sieved: BlockMatches;
  language: string;
  citations: Citations;
  room: number;
};

/** What a source takes in the list of sources, about. */
const SOURCE_LINE_LENGTH = 60;
const EXACT = 1.3;
const ASIDE = 0.15;

export const sourcesOf = ({ passages }: AnswerContext): string[] => [...new Set(passages.map(({ source }) => source))];

/** The first units that have room, together with their places in the list of sources. */
export function fitting(units: QuoteUnit[], room: number): QuoteUnit[] {
  let left = room;
  return units.filter((unit) => {
    left -= 1.1 * (rangeText(withNeighbours(unit)).length + unit.lead.length) + SOURCE_LINE_LENGTH;
    return left > 0;
  });
}

export function searchTermsOf({ text, aside, hint }: PromptRequest, { lexicon }: AnswerContext): SearchTerms {
  const weights = new Map<number, number>();
  const add = (words: string, weight: number) => {
    for (const { word, exact } of termsOf(words)) {
      const term = lexicon.terms.findIndex((other) => other.word === word);
      if (term !== -1 && !weights.has(term)) weights.set(term, exact ? weight * EXACT : weight);
    }
  };
  add(text, 1);
  add(aside, ASIDE);
  return { weights, kind: hint };
}
