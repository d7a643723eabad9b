/** The first pass: reads everything once, counts the terms, and keeps the blocks that may hold an answer. */
import type { BlockHeading, TextBlock } from './block-walk.ts';
import { walkBlocks } from './blocks.ts';
import { addHit, findAll, findExact, findTerms, type TermHits } from './find-terms.ts';
import { isCode } from './is-code.ts';
import { type Passage, titleOfFile } from './passage.ts';
import type { Lexicon } from './terms.ts';

export type BlockHit = { passage: number; block: TextBlock; found: TermHits; words: number };
export type BlockMatches = { hits: BlockHit[]; rarity: number[]; averageWords: number };

const MAX_HITS = 8_000;
const COMMON = 0.1;
const ABSENT = 0.4;

type BlockCounter = { lexicon: Lexicon; seenIn: number[]; hits: BlockHit[]; blocks: number; words: number };

/** Pauses behind each passage: all of them together may take a second. */
export function* findBlocks(passages: Passage[], lexicon: Lexicon): Generator<undefined, BlockMatches> {
  const counter: BlockCounter = { lexicon, seenIn: lexicon.terms.map(() => 0), hits: [], blocks: 0, words: 0 };
  let heading: BlockHeading | undefined;
  for (const [at, passage] of passages.entries()) {
    // A chapter does not end with the page.
    const goesOn = passage.source === passages[at - 1]?.source;
    heading = scanPassage(passage, at, goesOn ? heading : undefined, counter);
    if (counter.hits.length > 2 * MAX_HITS) counter.hits = bestHits(counter.hits, rarities(counter));
    yield;
  }
  const rarity = rarities(counter);
  return { hits: bestHits(counter.hits, rarity), rarity, averageWords: counter.words / Math.max(1, counter.blocks) };
}

function scanPassage(
  { text, source, place }: Passage,
  passage: number,
  above: BlockHeading | undefined,
  counter: BlockCounter,
): BlockHeading | undefined {
  const { lexicon, seenIn } = counter;
  const noteExact = exactHitAdder(text, lexicon);
  const isHeaded = headingReader(lexicon);
  const isTopped = headerReader(text, `${titleOfFile(source)} ${place}`, lexicon);
  return walkBlocks({ text, code: isCode(source), heading: above }, (block) => {
    const { found, words } = findTerms(text, lexicon, block.start, block.end);
    noteExact(block, found);
    counter.blocks++;
    counter.words += words;
    for (const term of found.keys()) seenIn[term] = (seenIn[term] ?? 0) + 1;
    if (found.size > 0 || isHeaded(block.heading) || isTopped(block))
      counter.hits.push({ passage, block, found, words });
  });
}

/** Blocks come in the order of the text, and so do the places: each is looked at once. */
function exactHitAdder(text: string, lexicon: Lexicon) {
  const places = findExact(text, lexicon);
  let next = 0;
  return ({ start, end }: TextBlock, found: TermHits): void => {
    for (let place = places[next]; place && place.at < end; place = places[++next]) {
      if (place.at >= start) addHit(found, place.term, 1, 0);
    }
  };
}

/** Whether the heading has a term of its own; a heading is read once for all its blocks. */
function headingReader(lexicon: Lexicon) {
  let last: BlockHeading | undefined;
  let headed = false;
  return (heading: BlockHeading | undefined): boolean => {
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
  let last: TextBlock['lead'];
  let topped = false;
  return ({ kind, lead }: TextBlock): boolean => {
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
const rarities = ({ seenIn, blocks }: BlockCounter): number[] =>
  seenIn.map(
    (count) => (count === 0 ? ABSENT : 1) * Math.max(COMMON, Math.log(1 + (blocks - count + 0.5) / (count + 0.5))),
  );

function bestHits(hits: BlockHit[], rarity: number[]): BlockHit[] {
  if (hits.length <= MAX_HITS) return hits;
  const promises = hits.map(({ found }) => {
    let sum = 0;
    for (const [term, { weight }] of found) sum += Math.min(1, weight) * (rarity[term] ?? 0);
    return sum;
  });
  const floor = promises.toSorted((a, b) => b - a)[MAX_HITS - 1] ?? 0;
  return hits.filter((_, at) => (promises[at] ?? 0) >= floor).slice(0, MAX_HITS);
}
