/** Finds the terms of a lexicon in a stretch of text. */
import type { Lexicon } from './terms.ts';
import { scanWords } from './words.ts';

/** For each term that occurs: how often, weighed by how well the word fits, and at which words. */
export type TermHits = Map<number, { weight: number; at: number[] }>;

const MAX_PLACES = 8;

export function findTerms(
  text: string,
  lexicon: Lexicon,
  from = 0,
  to = text.length,
): { found: TermHits; words: number } {
  const found: TermHits = new Map();
  const words = scanWords(text, from, to, (start, end, gate, nth) => {
    if (lexicon.gates[gate] === 0) return;
    for (const { term, weight } of lexicon.matches(text.slice(start, end))) addHit(found, term, weight, nth);
  });
  return { found, words };
}

export function addHit(found: TermHits, term: number, weight: number, nth: number): void {
  const known = found.get(term);
  if (!known) found.set(term, { weight, at: [nth] });
  else {
    // The first occurrence counts for more than repetitions, and the best spelling for more than its synonyms.
    known.weight = Math.max(known.weight, weight) + 0.25;
    if (known.at.length < MAX_PLACES) known.at.push(nth);
  }
}

export type ExactHit = { term: number; at: number };

/** Where the numbers, identifiers and quoted phrases stand, in order: as whole words, and "4.2" not within "4.2.1". */
export function findExact(text: string, { terms }: Lexicon): ExactHit[] {
  const places: ExactHit[] = [];
  terms.forEach(({ word, exact }, term) => {
    if (!exact) return;
    for (const found of text.matchAll(literal(word)))
      if (isWhole(text, found.index, word.length)) places.push({ term, at: found.index });
  });
  return places.sort((a, b) => a.at - b.at);
}

const literal = (word: string): RegExp =>
  new RegExp(word.replace(/[^\p{L}\p{N}]/gu, '\\$&').replace(/\\ /g, ' '), 'gi');

const JOINED = /[\p{L}\p{N}]/u;

function isWhole(text: string, at: number, length: number): boolean {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + length);
  if (JOINED.test(before) || JOINED.test(after)) return false;
  const digitsGoOn = (sign: string, beyond: string) => /[.,]/.test(sign) && /\d/.test(beyond);
  return !digitsGoOn(before, text.charAt(at - 2)) && !digitsGoOn(after, text.charAt(at + length + 1));
}

export const findAll = (text: string, lexicon: Lexicon): { found: TermHits; words: number } => {
  const { found, words } = findTerms(text, lexicon);
  for (const { term } of findExact(text, lexicon)) addHit(found, term, 1, 0);
  return { found, words };
};
