/** What a prompt looks for, as one list of terms with all their spellings, so that a text needs to be read only once. */
import { lruCache } from '../../../shared/core/cache.ts';
import { stem } from './stem.ts';
import { QUESTION_WORDS, STOP_WORDS } from './stop-words.ts';
import { synonymsOf } from './synonyms.ts';
import { fold, foldCode, gateOf, wordsOf } from './words.ts';

/** `exact` is for numbers, identifiers and quoted phrases: these are found as they stand. */
export type SearchTerm = { word: string; exact: boolean };
export type TermMatch = { term: number; weight: number };
export type Lexicon = {
  terms: SearchTerm[];
  /** Which two beginning signs a word must have to be worth a look. */
  gates: Uint8Array;
  matches(word: string): readonly TermMatch[];
};

const MAX_TERMS = 120;
const PREFIX_WEIGHT = 0.7;
/** Two words are kindred when they share this many first letters, and at least this part of the longer one. */
const SHARED_LETTERS = 5;
const SHARED_PART = 0.62;
const MAX_REMEMBERED = 20_000;
const RUN = /[\p{L}\p{N}]+(?:[-./:,][\p{L}\p{N}]+)*/gu;
const MAX_PROMPT = 20_000;
const QUOTED = /["“«„]([^"”»“\n]{3,80})["”»“]/gu;
const NONE: readonly TermMatch[] = [];

/** The words of a prompt that are worth looking for; each only once. */
export function termsOf(whole: string): SearchTerm[] {
  const prompt = whole.slice(0, MAX_PROMPT);
  const quoted = [...prompt.matchAll(QUOTED)]
    .map(([, phrase]) => phrase?.trim() ?? '')
    .filter((phrase) => /\s/.test(phrase));
  const identifiers = [...prompt.matchAll(RUN)].map(([run]) => run).filter((run) => /\d/.test(run));
  const plain = wordsOf(prompt.replace(RUN, (run) => (/\d/.test(run) ? ' ' : run)))
    .filter(isSignificant)
    .map(stem);
  const exact = [...quoted, ...identifiers].map((word) => ({ word: fold(word), exact: true }));
  const terms = [...exact, ...plain.map((word) => ({ word, exact: false }))];
  return terms.filter(({ word }, at) => terms.findIndex((other) => other.word === word) === at).slice(0, MAX_TERMS);
}

const isSignificant = (word: string): boolean => word.length > 1 && !STOP_WORDS.has(word) && !QUESTION_WORDS.has(word);

export function lexiconOf(terms: SearchTerm[]): Lexicon {
  const spellings = new Map<string, TermMatch[]>();
  const gates = new Uint8Array(65_536);
  const add = (word: string, match: TermMatch) => {
    const known = spellings.get(word) ?? [];
    if (!known.some(({ term }) => term === match.term)) known.push(match);
    spellings.set(word, known);
    gates[gateOf(foldCode(word.charCodeAt(0)), word.length > 1 ? word.charCodeAt(1) : 0)] = 1;
  };
  terms.forEach(({ word, exact }, term) => {
    if (!exact) add(word, { term, weight: 1 });
  });
  terms.forEach(({ word, exact }, term) => {
    if (!exact) for (const [other, weight] of synonymsOf(word)) add(other, { term, weight });
  });
  const remembered = lruCache<string, readonly TermMatch[]>({ max: MAX_REMEMBERED });
  return {
    terms,
    gates,
    matches(word) {
      const known = remembered.get(word);
      if (known) return known;
      const stemmed = stem(fold(word));
      const found = spellings.get(stemmed) ?? prefixMatches(stemmed, terms);
      remembered.set(word, found);
      return found;
    },
  };
}

/** Other languages, and what the stemmer leaves apart: by the letters that two words begin with. */
function prefixMatches(word: string, terms: SearchTerm[]): readonly TermMatch[] {
  if (word.length < SHARED_LETTERS) return NONE;
  const found = terms.flatMap(({ word: other, exact }, term) =>
    !exact && sharesBeginning(word, other) ? [{ term, weight: PREFIX_WEIGHT }] : [],
  );
  return found.length > 0 ? found : NONE;
}

function sharesBeginning(one: string, other: string): boolean {
  let shared = 0;
  while (shared < one.length && one.charCodeAt(shared) === other.charCodeAt(shared)) shared++;
  if (shared < SHARED_LETTERS) return false;
  // The shorter one whole: "kündigen" in "Kündigungsfrist".
  return shared === Math.min(one.length, other.length) || shared >= SHARED_PART * Math.max(one.length, other.length);
}
