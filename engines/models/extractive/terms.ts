/** Search terms: the terms of a prompt with all their spellings, and where they occur in a text. */
import { lruCache } from '../../../shared/core/cache.ts';
import type { Passage } from '../../retrieval/passages.ts';
import { fold, foldCode, gateOf, QUESTION_WORDS, STOP_WORDS, scanWords, stem, wordsOf } from '../../retrieval/words.ts';
import { synonymsOf } from './synonyms.ts';

/** `exact` marks numbers, identifiers and quoted phrases, which are searched literally, as the forms of `also` are. */
type SearchTerm = { word: string; exact: boolean; also?: readonly string[] };
type TermMatch = { term: number; weight: number };
/** All terms of a prompt with their spellings, so that a text needs to be read only once. */
export type Lexicon = {
  terms: SearchTerm[];
  /** Marks the hashes of the first two characters that a matching word may have; other words are skipped. */
  gates: Uint8Array;
  matches(word: string): readonly TermMatch[];
};

const MAX_TERMS = 120;
const PREFIX_WEIGHT = 0.7;
/** Two words are related if they share this many first letters, and at least this share of the longer word. */
const SHARED_LETTERS = 5;
const SHARED_PART = 0.62;
const MAX_REMEMBERED = 20_000;
const RUN = /[\p{L}\p{N}]+(?:[-./:,][\p{L}\p{N}]+)*/gu;
/** An option of a command, as `-d` and `--download-only`. */
const OPTION = /(?<![^\s("'`])--?[a-z][a-z-]*(?![\p{L}\p{N}])/giu;
const MAX_PROMPT = 20_000;
const QUOTED = /["“«„]([^"”»“\n]{3,80})["”»“]/gu;
const NONE: readonly TermMatch[] = [];

/** Returns the significant words of a prompt, each once. */
export function termsOf(whole: string): SearchTerm[] {
  const prompt = whole.slice(0, MAX_PROMPT);
  const quoted = [...prompt.matchAll(QUOTED)]
    .map(([, phrase]) => phrase?.trim() ?? '')
    .filter((phrase) => /\s/.test(phrase));
  const options = [...prompt.matchAll(OPTION)].map(([option]) => option);
  const identifiers = [...prompt.matchAll(RUN)].map(([run]) => run).filter((run) => /\d/.test(run));
  const plain = wordsOf(prompt.replace(RUN, (run) => (/\d/.test(run) ? ' ' : run)))
    .filter(isSignificant)
    .map(stem);
  const exact = [...quoted, ...options, ...identifiers].map((word) => ({ word: fold(word), exact: true }));
  const terms = [...exact, ...plain.map((word) => ({ word, exact: false }))];
  return terms.filter(({ word }, at) => terms.findIndex((other) => other.word === word) === at).slice(0, MAX_TERMS);
}

const isSignificant = (word: string): boolean => word.length > 1 && !STOP_WORDS.has(word) && !QUESTION_WORDS.has(word);

/** With `compounds`, words that end in a term match it too, such as `Nettomiete` in a German text. */
export function lexiconOf(searched: SearchTerm[], glossary: Glossary = new Map(), { compounds = false } = {}): Lexicon {
  const terms = searched.map((term) => ({ ...term, also: glossary.get(term.word) ?? [] }));
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
    const single = exact ? undefined : singularOf(word);
    if (single !== undefined) add(single, { term, weight: PREFIX_WEIGHT });
  });
  terms.forEach(({ word, exact }, term) => {
    if (!exact) for (const [other, weight] of synonymsOf(word)) add(other, { term, weight });
  });
  terms.forEach(({ word, exact }, term) => {
    if (!exact) for (const form of misread(word)) add(form, { term, weight: 1 });
  });
  // The beginning of a compound may be any.
  if (compounds) gates.fill(1);
  const related = (word: string) => {
    const found = prefixMatches(word, terms);
    return compounds && found.length === 0 ? compoundMatches(word, terms) : found;
  };
  const remembered = lruCache<string, readonly TermMatch[]>({ max: MAX_REMEMBERED });
  return {
    terms,
    gates,
    matches(word) {
      const known = remembered.get(word);
      if (known) return known;
      const stemmed = stem(fold(word));
      const found = spellings.get(stemmed) ?? spellings.get(singularOf(stemmed) ?? '') ?? related(stemmed);
      remembered.set(word, found);
      return found;
    },
  };
}

/** `Servern` in German is a form of `Server`, which has another stem. */
const singularOf = (word: string): string | undefined =>
  word.length > SHARED_LETTERS && word.endsWith('ern') ? stem(word.slice(0, -1)) : undefined;

/** OCR with the English model reads `ü` as `ii`: `Riickgeld`. */
const misread = (word: string): string[] =>
  [...word.matchAll(/u/g)].map(({ index }) => `${word.slice(0, index)}ii${word.slice(index + 1)}`);

/** Matches by common prefixes, for other languages and for forms that the stemmer does not unite. */
function prefixMatches(word: string, terms: SearchTerm[]): readonly TermMatch[] {
  if (word.length < SHARED_LETTERS) return NONE;
  const found = terms.flatMap(({ word: other, exact }, term) =>
    !exact && sharesBeginning(word, other) ? [{ term, weight: PREFIX_WEIGHT }] : [],
  );
  return found.length > 0 ? found : NONE;
}

const SHORTEST_END = 4;
const SHORTEST_BEGINNING = 3;

function compoundMatches(word: string, terms: SearchTerm[]): readonly TermMatch[] {
  const found = terms.flatMap(({ word: other, exact }, term) =>
    !exact && other.length >= SHORTEST_END && word.length >= other.length + SHORTEST_BEGINNING && word.endsWith(other)
      ? [{ term, weight: PREFIX_WEIGHT }]
      : [],
  );
  return found.length > 0 ? found : NONE;
}

function sharesBeginning(one: string, other: string): boolean {
  let shared = 0;
  while (shared < one.length && one.charCodeAt(shared) === other.charCodeAt(shared)) shared++;
  if (shared < SHARED_LETTERS) return false;
  // The shorter word is a prefix of the longer one, such as "kündigen" and "Kündigungsfrist".
  return shared === Math.min(one.length, other.length) || shared >= SHARED_PART * Math.max(one.length, other.length);
}

/** The indexes of words among the terms; -1 for a word that is none. */
export const termsIn = ({ terms }: Lexicon, words: readonly string[]): number[] =>
  words.map((word) => terms.findIndex((term) => term.word === word));

/** For each term found: its occurrences weighted by how well the words match, and the indexes of those words. */
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
    // The first occurrence counts more than repetitions, and the best spelling more than its synonyms.
    known.weight = Math.max(known.weight, weight) + 0.25;
    if (known.at.length < MAX_PLACES) known.at.push(nth);
  }
}

type ExactHit = { term: number; at: number };

/**
 * Finds numbers, identifiers and quoted phrases in text order. They must be whole words; "4.2" does not match within
 * "4.2.1".
 */
export function findExact(text: string, { terms }: Lexicon): ExactHit[] {
  const places: ExactHit[] = [];
  terms.forEach(({ word, exact, also = [] }, term) => {
    for (const form of exact ? [word, ...also] : also)
      for (const found of text.matchAll(literal(form)))
        if (isWhole(text, found.index, form.length)) places.push({ term, at: found.index });
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

/** The short names that documents define, such as "earnings per share (EPS)", so that either form finds the other. */

/** For each stem of a prompt, the literal forms that mean the same in the documents. */
type Glossary = ReadonlyMap<string, readonly string[]>;

/** A short name in brackets after the words that it stands for. */
const SHORT = /\((?:the )?["“”']?(\p{Lu}[\p{L}&-]{1,9})["“”']?\)/gu;
const LOOK_BACK = 100;
const MAX_READ = 4_000_000;
const MAX_DEFINITIONS = 200;

export function glossaryOf(prompt: string, passages: readonly Passage[]): Glossary {
  const wanted = new Set(wordsOf(prompt).map(stem));
  const forms = new Map<string, Set<string>>();
  const add = (word: string, form: string): void => {
    if (wanted.has(word)) forms.set(word, (forms.get(word) ?? new Set()).add(fold(form)));
  };
  for (const { long, short } of definitionsIn(passages)) {
    const words = wordsOf(long)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem);
    add(stem(fold(short)), long);
    if (words.every((word) => wanted.has(word))) for (const word of words) add(word, short);
  }
  for (const [, of = ''] of prompt.matchAll(NUMBER_OF))
    for (const sign of ['no', 'nr', '#']) add(NUMBER, `${of} ${sign}`);
  return new Map([...forms].map(([word, all]) => [word, [...all]]));
}

/** Documents write the number of an invoice as "Invoice No". */
const NUMBER_OF = /(?<!\p{L})(\p{L}{3,30}) numbers?(?!\p{L})/giu;
const NUMBER = stem('number');

function definitionsIn(passages: readonly Passage[]): { long: string; short: string }[] {
  const found = new Map<string, { long: string; short: string }>();
  let read = 0;
  for (const { text } of passages) {
    read += text.length;
    if (read > MAX_READ) break;
    for (const { 1: short = '', index } of text.matchAll(SHORT)) {
      const before = text.slice(Math.max(0, index - LOOK_BACK), index);
      const long = spelledOut(before.trim().split(/\s+/), short);
      if (long !== undefined) found.set(`${short} ${long}`, { long, short });
      if (found.size >= MAX_DEFINITIONS) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** The last words whose initials are the letters of the short name; small words may stand between them. */
function spelledOut(words: string[], short: string): string | undefined {
  const letters = fold(short).replace(/[^\p{L}]/gu, '');
  let left = letters.length;
  for (let at = words.length - 1; at >= 0 && left > 0; at--) {
    const initials = (words[at] ?? '')
      .split(/[-/]/)
      .map((part) => fold(part).charAt(0))
      .join('');
    const tail = letters.slice(Math.max(0, left - initials.length), left);
    if (initials !== '' && initials === tail) left -= initials.length;
    else if (!STOP_WORDS.has(fold(words[at] ?? '')) || left === letters.length) return undefined;
    if (left === 0) return words.slice(at).join(' ');
  }
  return undefined;
}
