/** The search of the documentation, which runs in the browser: it ranks sections of pages and cuts the passage that fits out of each. */
import MiniSearch, { type SearchResult } from 'minisearch';
import { fold, STOP_WORDS, stem } from '../../engines/retrieval/words.ts';

/** A section of a page: what stands below one of its headings. */
export type SearchedSection = {
  page: string;
  heading: string;
  /** From the root of the site, with the anchor of the heading. */
  url: string;
  /** Words that readers type and the section does not use. */
  keywords: string;
  /** Its paragraphs, list items, rows of tables and lines of code. */
  blocks: string[];
  /** How much a section of this kind of page counts, from 0 to 1. */
  weight: number;
};

/** A stretch of text, and whether it is one of the words that were searched for. */
export type MarkedText = { text: string; isMatch: boolean };

type DocsHit = { page: string; url: string; heading: MarkedText[]; passage: MarkedText[] };

/** `unknownWords` are the words of the query that are nowhere in the documentation; the hits have words like them. */
type DocsAnswer = { hits: DocsHit[]; unknownWords: string[] };

const MAX_HITS = 10;
/** One page does not fill the list. */
const MAX_HITS_PER_PAGE = 2;
/** From this length on, a word also finds longer words that begin with it: the last one may still be in the making. */
const SHORTEST_PREFIX = 4;
/** From this length on, a word that is nowhere in the documentation finds words that differ by a letter or two. */
const SHORTEST_MISSPELLED = 6;

function processTerm(word: string): string | null {
  const folded = fold(word);
  return STOP_WORDS.has(folded) ? null : stem(folded);
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const tokenize = (text: string): string[] => text.match(WORD) ?? [];

/** Returns a search over the sections. */
export function docsSearch(sections: readonly SearchedSection[]): (query: string) => DocsAnswer {
  const index = new MiniSearch({ fields: ['page', 'heading', 'keywords', 'text'], tokenize, processTerm });
  index.addAll(sections.map(({ blocks, ...section }, id) => ({ ...section, id, text: blocks.join('\n') })));

  const prefix = (term: string) => term.length >= SHORTEST_PREFIX;
  const isKnown = (term: string) => index.search(term, { prefix, processTerm: (known) => known }).length > 0;

  return (query) => {
    const words = tokenize(query).filter((word) => processTerm(word) !== null);
    const unknownTerms = new Set(words.map(processTerm).filter((term) => term !== null && !isKnown(term)));
    const results = index.search(query, {
      boost: { page: 3, heading: 3, keywords: 3 },
      prefix,
      fuzzy: (term) => (unknownTerms.has(term) && term.length >= SHORTEST_MISSPELLED ? 0.2 : false),
      boostDocument: (id) => sections[id]?.weight ?? 0,
    });
    const perPage = new Map<string, number>();
    const hits = results.flatMap((result) => {
      const section = sections[result.id];
      const count = perPage.get(section?.page ?? '') ?? 0;
      if (!section || count >= MAX_HITS_PER_PAGE) return [];
      perPage.set(section.page, count + 1);
      return [toHit(section, result)];
    });
    const unknownWords = new Set(words.filter((word) => unknownTerms.has(processTerm(word))));
    return { hits: hits.slice(0, MAX_HITS), unknownWords: [...unknownWords] };
  };
}

function toHit({ page, heading, url, blocks }: SearchedSection, { terms, queryTerms }: SearchResult): DocsHit {
  const matchedTerms = new Set(terms);
  const exactTerms = new Set(queryTerms);
  const blockScores = blocks.map((block) => matchScore(termsIn(block), matchedTerms, exactTerms));
  const best = blocks[blockScores.indexOf(Math.max(...blockScores))] ?? '';
  return {
    page,
    url,
    heading: markMatches(heading, matchedTerms),
    passage: markMatches(cropToMatches(best, matchedTerms, exactTerms), matchedTerms),
  };
}

type PlacedTerm = { term: string; start: number; end: number };

const termsIn = (text: string): PlacedTerm[] =>
  [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const term = processTerm(word);
    return term === null ? [] : [{ term, start: index, end: index + word.length }];
  });

/** Each matched word counts once; one that stands in the query as it is counts more than one that only begins like it. */
function matchScore(terms: PlacedTerm[], matchedTerms: Set<string>, exactTerms: Set<string>): number {
  let score = 0;
  for (const term of new Set(terms.map((placed) => placed.term))) {
    if (exactTerms.has(term)) score += 3;
    else if (matchedTerms.has(term)) score += 1;
  }
  return score;
}

const MAX_PASSAGE = 220;
/** How much of the text before the first match stays in a passage that was cut. */
const LEAD = 50;

/** A long block is cut to the stretch with the most matches. */
function cropToMatches(block: string, matchedTerms: Set<string>, exactTerms: Set<string>): string {
  if (block.length <= MAX_PASSAGE) return block;
  const terms = termsIn(block);
  let bestStart = 0;
  let bestScore = 0;
  for (const { term, start: place } of terms) {
    if (!matchedTerms.has(term)) continue;
    const start = place < MAX_PASSAGE - LEAD ? 0 : place - LEAD;
    const inStretch = terms.filter((placed) => placed.start >= start && placed.end <= start + MAX_PASSAGE);
    const score = matchScore(inStretch, matchedTerms, exactTerms);
    if (score > bestScore) [bestStart, bestScore] = [start, score];
  }
  const start = bestStart === 0 ? 0 : block.indexOf(' ', bestStart) + 1;
  const isLast = start + MAX_PASSAGE >= block.length;
  const end = isLast ? block.length : block.lastIndexOf(' ', start + MAX_PASSAGE);
  return `${start > 0 ? '… ' : ''}${block.slice(start, end > start ? end : start + MAX_PASSAGE)}${isLast ? '' : ' …'}`;
}

function markMatches(text: string, matchedTerms: Set<string>): MarkedText[] {
  const marked: MarkedText[] = [];
  let at = 0;
  for (const { term, start, end } of termsIn(text)) {
    if (!matchedTerms.has(term)) continue;
    if (start > at) marked.push({ text: text.slice(at, start), isMatch: false });
    marked.push({ text: text.slice(start, end), isMatch: true });
    at = end;
  }
  if (at < text.length) marked.push({ text: text.slice(at), isMatch: false });
  return marked;
}
