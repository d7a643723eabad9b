/** What the answers of one prompt are written with, and what a request looks for in it. */
import type { Citations } from './citations.ts';
import type { Sieved } from './find-blocks.ts';
import type { Passage } from './passage.ts';
import type { Wanted } from './rank.ts';
import type { Request } from './read-prompt.ts';
import { type Lexicon, termsOf } from './terms.ts';
import type { Unit } from './units.ts';
import { textOf, widen } from './widen.ts';

/** `room` is how many characters the answers may have. */
export type Desk = {
  passages: Passage[];
  lexicon: Lexicon;
  sieved: Sieved;
  language: string;
  citations: Citations;
  room: number;
};

/** What a source takes in the list of sources, about. */
const LISTED = 60;
const EXACT = 1.3;
const ASIDE = 0.15;

export const sourcesOf = ({ passages }: Desk): string[] => [...new Set(passages.map(({ source }) => source))];

/** The first units that have room, together with their places in the list of sources. */
export function fitting(units: Unit[], room: number): Unit[] {
  let left = room;
  return units.filter((unit) => {
    left -= 1.1 * (textOf(widen(unit)).length + unit.lead.length) + LISTED;
    return left > 0;
  });
}

export function wantedBy({ text, aside, hint }: Request, { lexicon }: Desk): Wanted {
  const weights = new Map<number, number>();
  const add = (words: string, weight: number) => {
    for (const { word, exact } of termsOf(words)) {
      const term = lexicon.terms.findIndex((other) => other.word === word);
      if (term !== -1 && !weights.has(term)) weights.set(term, exact ? weight * EXACT : weight);
    }
  };
  add(text, 1);
  add(aside, ASIDE);
  return { weights, hint };
}
