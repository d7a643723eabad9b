/** The first pass: reads everything once, counts the terms, and keeps the blocks that may hold an answer. */
import type { Block, Heading } from './block-walk.ts';
import { walkBlocks } from './blocks.ts';
import { type Found, findAll, findExact, findTerms, note } from './find-terms.ts';
import { isCode } from './is-code.ts';
import { type Passage, titleOfFile } from './passage.ts';
import type { Lexicon } from './terms.ts';

export type Hit = { passage: number; block: Block; found: Found; words: number };
export type Sieved = { hits: Hit[]; rarity: number[]; averageWords: number };

const MAX_HITS = 8_000;
const COMMON = 0.1;
const ABSENT = 0.4;

type Sieve = { lexicon: Lexicon; seenIn: number[]; hits: Hit[]; blocks: number; words: number };

/** Pauses behind each passage: all of them together may take a second. */
export function* findBlocks(passages: Passage[], lexicon: Lexicon): Generator<undefined, Sieved> {
  const sieve: Sieve = { lexicon, seenIn: lexicon.terms.map(() => 0), hits: [], blocks: 0, words: 0 };
  let heading: Heading | undefined;
  for (const [at, passage] of passages.entries()) {
    // A chapter does not end with the page.
    const goesOn = passage.source === passages[at - 1]?.source;
    heading = siftPassage(passage, at, goesOn ? heading : undefined, sieve);
    if (sieve.hits.length > 2 * MAX_HITS) sieve.hits = promising(sieve.hits, rarities(sieve));
    yield;
  }
  const rarity = rarities(sieve);
  return { hits: promising(sieve.hits, rarity), rarity, averageWords: sieve.words / Math.max(1, sieve.blocks) };
}

function siftPassage(
  { text, source, place }: Passage,
  passage: number,
  above: Heading | undefined,
  sieve: Sieve,
): Heading | undefined {
  const { lexicon, seenIn } = sieve;
  const noteExact = exactNoter(text, lexicon);
  const isHeaded = headingReader(lexicon);
  const isTopped = headerReader(text, `${titleOfFile(source)} ${place}`, lexicon);
  return walkBlocks({ text, code: isCode(source), heading: above }, (block) => {
    const { found, words } = findTerms(text, lexicon, block.start, block.end);
    noteExact(block, found);
    sieve.blocks++;
    sieve.words += words;
    for (const term of found.keys()) seenIn[term] = (seenIn[term] ?? 0) + 1;
    if (found.size > 0 || isHeaded(block.heading) || isTopped(block)) sieve.hits.push({ passage, block, found, words });
  });
}

/** Blocks come in the order of the text, and so do the places: each is looked at once. */
function exactNoter(text: string, lexicon: Lexicon) {
  const places = findExact(text, lexicon);
  let next = 0;
  return ({ start, end }: Block, found: Found): void => {
    for (let place = places[next]; place && place.at < end; place = places[++next]) {
      if (place.at >= start) note(found, place.term, 1, 0);
    }
  };
}

/** Whether the heading has a term of its own; a heading is read once for all its blocks. */
function headingReader(lexicon: Lexicon) {
  let last: Heading | undefined;
  let headed = false;
  return (heading: Heading | undefined): boolean => {
    if (heading !== last) {
      last = heading;
      headed = heading !== undefined && findAll(heading.text, lexicon).found.size > 0;
    }
    return headed;
  };
}

/** Whether a row's table has a term in its header, or in the name of its sheet or file; each is read once. */
function headerReader(text: string, name: string, lexicon: Lexicon) {
  const hasTerm = (words: string): boolean => findAll(words, lexicon).found.size > 0;
  let isNamed: boolean | undefined;
  let last: Block['lead'];
  let topped = false;
  return ({ kind, lead }: Block): boolean => {
    if (kind !== 'row') return false;
    isNamed ??= hasTerm(name);
    if (lead !== last) {
      last = lead;
      topped = lead !== undefined && hasTerm(text.slice(lead.start, lead.end));
    }
    return isNamed || topped;
  };
}

/** Rare terms tell most. What occurs nowhere tells little: it was asked for in other words, or is not there at all. */
const rarities = ({ seenIn, blocks }: Sieve): number[] =>
  seenIn.map(
    (count) => (count === 0 ? ABSENT : 1) * Math.max(COMMON, Math.log(1 + (blocks - count + 0.5) / (count + 0.5))),
  );

function promising(hits: Hit[], rarity: number[]): Hit[] {
  if (hits.length <= MAX_HITS) return hits;
  const promises = hits.map(({ found }) => {
    let sum = 0;
    for (const [term, { weight }] of found) sum += Math.min(1, weight) * (rarity[term] ?? 0);
    return sum;
  });
  const floor = promises.toSorted((a, b) => b - a)[MAX_HITS - 1] ?? 0;
  return hits.filter((_, at) => (promises[at] ?? 0) >= floor).slice(0, MAX_HITS);
}
