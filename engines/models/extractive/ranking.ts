/** Ranks units for a request: a first pass keeps blocks that contain terms, then BM25 with context. */

import { type BlockHeading, type TextBlock, walkBlocks } from '../../retrieval/blocks.ts';
import {
  cellsOf,
  headingsOf,
  isCode,
  type Passage,
  type QuoteUnit,
  titleOfFile,
  unitsOf,
} from '../../retrieval/passages.ts';
import { fold, stem, wordsOf } from '../../retrieval/words.ts';
import { limitsRows, NEUTRAL } from './figures/figure-words.ts';
import { isAlike } from './figures/match-columns.ts';
import { SMALL } from './figures/periods.ts';
import { type AnswerKind, looksLike, type RequestKind } from './prompt.ts';
import { synonymsOf } from './synonyms.ts';
import { addHit, findAll, findExact, findTerms, type Lexicon, type TermHits } from './terms.ts';

/** A block that may contain an answer, with the terms found in it. */
type BlockHit = { passage: number; block: TextBlock; found: TermHits; words: number };
/** `pages` holds how well each term of a passage matches, whichever block it is in. */
type BlockMatches = { hits: BlockHit[]; pages: Context[]; rarity: number[]; averageWords: number };

const MAX_HITS = 8_000;
const COMMON = 0.1;
const ABSENT = 0.4;

type BlockCounter = Omit<BlockMatches, 'rarity' | 'averageWords'> & {
  lexicon: Lexicon;
  seenIn: number[];
  blocks: number;
  words: number;
};

/**
 * The first pass: reads everything once, counts terms, and keeps the blocks that may contain an answer. Yields after
 * each passage, as all of them may take a second.
 */
export function* findBlocks(passages: Passage[], lexicon: Lexicon): Generator<undefined, BlockMatches> {
  const counter: BlockCounter = {
    lexicon,
    seenIn: lexicon.terms.map(() => 0),
    hits: [],
    pages: [],
    blocks: 0,
    words: 0,
  };
  let heading: BlockHeading | undefined;
  for (const [at, passage] of passages.entries()) {
    // A chapter does not end with the page.
    const goesOn = passage.source === passages[at - 1]?.source;
    heading = scanPassage(passage, at, goesOn ? heading : undefined, counter);
    if (counter.hits.length > 2 * MAX_HITS) counter.hits = bestHits(counter.hits, rarities(counter));
    yield;
  }
  const rarity = rarities(counter);
  const averageWords = counter.words / Math.max(1, counter.blocks);
  return { hits: bestHits(counter.hits, rarity), pages: counter.pages, rarity, averageWords };
}

function scanPassage(
  { text, source, place }: Passage,
  passage: number,
  above: BlockHeading | undefined,
  counter: BlockCounter,
): BlockHeading | undefined {
  const { lexicon, seenIn } = counter;
  const page: Context = new Map();
  counter.pages.push(page);
  const noteExact = exactHitAdder(text, lexicon);
  const isHeaded = headingReader(lexicon);
  const isTopped = headerReader(text, `${titleOfFile(source)} ${place}`, lexicon);
  return walkBlocks({ text, code: isCode(source), heading: above }, (block) => {
    const { found, words } = findTerms(text, lexicon, block.start, block.end);
    noteExact(block, found);
    counter.blocks++;
    counter.words += words;
    for (const [term, { weight }] of found) {
      seenIn[term] = (seenIn[term] ?? 0) + 1;
      raise(page, term, Math.min(1, weight));
    }
    if (found.size > 0 || isHeaded(block.heading) || isTopped(block))
      counter.hits.push({ passage, block, found, words });
  });
}

/** Blocks and exact hits both come in text order, so each hit is checked once. */
function exactHitAdder(text: string, lexicon: Lexicon) {
  const places = findExact(text, lexicon);
  let next = 0;
  return ({ start, end }: TextBlock, found: TermHits): void => {
    for (let place = places[next]; place && place.at < end; place = places[++next]) {
      if (place.at >= start) addHit(found, place.term, 1, 0);
    }
  };
}

/** Returns true if the heading contains a term. Each heading is read once for all its blocks. */
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

/** Returns true if a row's table has a term in its header, or in the name of its sheet or file. Each is read once. */
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

/**
 * Rare terms count most. A term that occurs nowhere counts little: the documents use other words, or do not mention it.
 */
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

/** The terms of one request by number, with their weights. */
export type SearchTerms = {
  weights: Map<number, number>;
  kind: AnswerKind | undefined;
  /** Whether a unit has a number of what the question counts. Undefined if it counts nothing. */
  counts: ((unit: Pick<QuoteUnit, 'lead' | 'text'>) => boolean) | undefined;
};
export type RankedUnit = { unit: QuoteUnit; score: number; coverage: number };

const K1 = 1.2;
const B = 0.5;
const MAX_BLOCKS = 150;
const LEAD = 0.7;
/** Reads this much of a table's header for each of its rows. */
const MAX_HEADER = 2_000;
const HEADINGS = [0.6, 0.4, 0.3, 0.3];
const AROUND = 0.35;
/** What a row gains whose label has no other words than the searched ones. */
const LABEL = 0.6;
const NAME = 0.3;
/** A line of a table of contents, which leads to its page by dots, and a salutation say nothing. */
const EMPTY = /(?:\. ?){5}|^(?:dear|hello|sehr geehrte[rs]?|liebe[rs]?|chère?|estimad[oa]|geachte) [^.!?]{0,60},$/i;
/** What a unit gains whose page has all searched terms, as a statement has the years above and the rows below. */
const PAGE = 0.7;

/** What all requests of a prompt search. */
export type SearchedPassages = { passages: Passage[]; lexicon: Lexicon; sieved: BlockMatches; language: string };

type Ranking = SearchedPassages & { terms: SearchTerms };

/**
 * Ranks units by BM25 with the context around them, with a bonus for terms close together and for the expected kind of
 * answer.
 */
export function rank(ranking: Ranking): RankedUnit[] {
  const { passages, language } = ranking;
  const contexts = contextReader(ranking);
  return bestBlocks(ranking, contexts)
    .flatMap((hit) => unitsOf(hit, passages, language))
    .map((unit) => scoreUnit(unit, ranking, contexts(unit.passage, unit.block)))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || inOrder(a.unit, b.unit));
}

export const inOrder = (a: QuoteUnit, b: QuoteUnit): number =>
  a.passage - b.passage || a.block.start - b.block.start || a.nth - b.nth;

type Context = Map<number, number>;

/** The terms in headings, table headers and the file's name count for all text below them. Each is read once. */
function contextReader({ lexicon, passages }: Ranking) {
  const known = new Map<string, TermHits>();
  const read = (text: string): TermHits => {
    const found = known.get(text) ?? findAll(text, lexicon).found;
    known.set(text, found);
    return found;
  };
  return (passage: number, block: QuoteUnit['block']): Context => {
    const context: Context = new Map();
    const count = (text: string, part: number) => {
      for (const [term, { weight }] of read(text)) raise(context, term, part * Math.min(1, weight));
    };
    headingsOf(block).forEach((heading, at) => {
      count(heading, HEADINGS[at] ?? 0);
    });
    const { source = '', place = '', text = '' } = passages[passage] ?? {};
    count(`${titleOfFile(source)} ${place}`, NAME);
    if (block.kind !== 'row') return context;
    count(place, HEADINGS[0] ?? 0);
    if (block.lead) count(text.slice(block.lead.start, Math.min(block.lead.end, block.lead.start + MAX_HEADER)), LEAD);
    return context;
  };
}

function raise(context: Context, term: number, to: number): void {
  if (to > (context.get(term) ?? 0)) context.set(term, to);
}

function bestBlocks(ranking: Ranking, contexts: ReturnType<typeof contextReader>) {
  const { sieved } = ranking;
  return sieved.hits
    .map((hit) => ({ hit, ...measure(hit.found, hit.words, contexts(hit.passage, hit.block), ranking) }))
    .filter(({ sum }) => sum > 0)
    .map(({ hit, sum, coverage }) => ({ hit, score: sum * (0.4 + coverage) * pageFactor(hit.passage, ranking) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_BLOCKS)
    .map(({ hit }) => hit);
}

function measure(found: TermHits, words: number, context: Context, { terms: wanted, sieved }: Ranking) {
  let sum = 0;
  let covered = 0;
  let whole = 0;
  const length = K1 * (1 - B + (B * words) / Math.max(8, sieved.averageWords));
  for (const [term, weight] of wanted.weights) {
    const worth = weight * (sieved.rarity[term] ?? 0);
    const own = found.get(term)?.weight ?? 0;
    const near = context.get(term) ?? 0;
    sum += worth * ((own * (K1 + 1)) / (own + length) + 0.6 * near);
    covered += worth * Math.max(Math.min(1, own), near);
    whole += worth;
  }
  return { sum, coverage: whole > 0 ? covered / whole : 0 };
}

function pageFactor(passage: number, { terms: wanted, sieved }: Ranking): number {
  let covered = 0;
  let whole = 0;
  for (const [term, weight] of wanted.weights) {
    const worth = weight * (sieved.rarity[term] ?? 0);
    covered += worth * (sieved.pages[passage]?.get(term) ?? 0);
    whole += worth;
  }
  return 1 + (whole > 0 ? (PAGE * covered) / whole : 0);
}

function scoreUnit(unit: QuoteUnit, ranking: Ranking, above: Context): RankedUnit {
  const { lexicon, terms: wanted } = ranking;
  const { found, words } = findAll(unit.text, lexicon);
  const context = new Map(above);
  for (const [term, { weight }] of findAll(unit.lead, lexicon).found) raise(context, term, LEAD * Math.min(1, weight));
  for (const [term, { weight }] of findAll(neighboursOf(unit), lexicon).found) {
    raise(context, term, AROUND * Math.min(1, weight));
  }
  const { sum, coverage } = measure(found, words, context, ranking);
  const fits = wanted.kind ? (looksLike(wanted.kind, withoutNumber(unit.text)) ? 1.3 : 0.8) : 1;
  const counted = wanted.counts?.(unit) ? 1.3 : 1;
  const kind = EMPTY.test(unit.text) ? 0.3 : unit.block.kind === 'heading' ? 0.55 : words < 3 ? 0.6 : 1;
  const own = [...wanted.weights.keys()].some((term) => found.has(term)) ? 1 : 0.6;
  const label = 1 + LABEL * labelMatch(unit, ranking);
  const page = pageFactor(unit.passage, ranking);
  const score = (sum * (0.4 + 0.6 * coverage) + nearness(found, ranking)) * fits * counted * kind * own * label * page;
  return { unit, score, coverage };
}

/** An item without its number, which does not answer "how many". */
const withoutNumber = (text: string): string => text.replace(/^\W*\d{1,3}[.)] /u, '');

/** How much of a row's first cell the searched terms are: all of `Total assets`, half of `Total assets of the fund`. */
function labelMatch({ block, text }: QuoteUnit, { lexicon, terms: wanted }: Ranking): number {
  if (block.kind !== 'row') return 0;
  const label = cellsOf(text).find((cell) => cell !== '') ?? '';
  const { found, words } = findAll(label, lexicon);
  let matched = 0;
  for (const [term, { weight }] of found) matched += Math.min(1, weight) * Math.min(1, wanted.weights.get(term) ?? 0);
  return words === 0 ? 0 : Math.min(1, matched / words);
}

const neighboursOf = ({ sentences, nth }: QuoteUnit): string =>
  `${sentences[nth - 1] ?? ''} ${sentences[nth + 1] ?? ''}`;

/** A bonus for terms that are adjacent in the prompt and close together in the text. */
function nearness(found: TermHits, { terms: wanted, sieved }: Ranking): number {
  const terms = [...wanted.weights.keys()];
  let bonus = 0;
  for (let at = 1; at < terms.length; at++) {
    const [first = -1, second = -1] = [terms[at - 1], terms[at]];
    const [ones, others] = [found.get(first)?.at ?? [], found.get(second)?.at ?? []];
    const close = ones.some((one) => others.some((other) => one !== other && Math.abs(one - other) <= 3));
    if (close) bonus += 0.3 * Math.min(sieved.rarity[first] ?? 0, sieved.rarity[second] ?? 0);
  }
  return bonus;
}

const MIN_HEADING = 3;
/** Whether rows, with their headings and the names of file and sheet, have all words of the question; of a list, each row. */
export function coverQuestion(
  question: string,
  units: readonly QuoteUnit[],
  { terms: { weights, counts }, kind, lexicon, passages }: SearchedPassages & { terms: SearchTerms; kind: RequestKind },
): boolean {
  if (units.some(({ block }) => block.kind !== 'row')) return !counts || units.some(counts);
  if (limitsRows(question)) return false;
  const found = units.map(({ passage, lead, text }) => {
    const { source = '', place = '' } = passages[passage] ?? {};
    return findAll([titleOfFile(source), place, lead, text].join(' '), lexicon).found;
  });
  // A heading may be the beginning of the word, as `Arr.` of the arrival.
  const headings = units.flatMap(({ lead }) => wordsOf(lead)).filter((word) => word.length >= MIN_HEADING);
  const isCovered = (term: number): boolean => {
    const { word = '' } = lexicon.terms[term] ?? {};
    const isSaid = NEUTRAL.has(word) || headings.some((heading) => word.startsWith(heading));
    return isSaid || (kind === 'list' ? found.every((one) => one.has(term)) : found.some((one) => one.has(term)));
  };
  // Words beside the question have less weight.
  return [...weights].every(([term, weight]) => weight < 1 || isCovered(term));
}

const COUNTED =
  /(?<!\p{L})(?:how many|wie ?viele|combien (?:de |d['’])|cu[áa]nt[oa]s) ?(?:(?:of|the|de|les|los|las) )*([\p{L}-]*\p{L}{3})(?![\p{L}-]| (?:more|less))/iu;

/** "How many members" is answered by no passage without a number beside a word for members. */
export function countTest(question: string): SearchTerms['counts'] {
  const noun = COUNTED.exec(question)?.[1]?.split('-').at(-1) ?? '';
  const asked = stem(fold(noun));
  const isCounted = (word: string) => isAlike(asked, word) || (synonymsOf(asked).get(word) ?? 0) > NEAR_WORD;
  if (noun === '') return undefined;
  return ({ lead, text }) => {
    const words = wordsOf(`${lead} ${withoutNumber(text)}`);
    return words.some((word, at) => {
      const before = words.slice(Math.max(0, at - BEFORE_NOUN), at);
      const behind = words.slice(at + 1, at + 1 + BEHIND_NOUN).find((one) => !IS.test(one)) ?? '';
      return isCounted(stem(word)) && [...before, behind].some((one) => NUMBER.test(one));
    });
  };
}

/** The least weight of a synonym that may be meant. */
const NEAR_WORD = 0.5;
/** How many words may stand between a number and what it counts, as in "8 elected and 2 appointed members" and "members, in all: 10". */
const BEFORE_NOUN = 8;
const BEHIND_NOUN = 4;
const IS =
  /^(?:is|are|was|were|in|all|total|of|at|to|amounts?|ist|sind|war|waren|betr[aä]gt|betrug|insgesamt|est|sont|[ée]tait|es|son|era)$/u;
const NUMBER = new RegExp(
  `^[^\\p{L}]*\\d(?!.*(?:st|nd|rd|th)$)|^(?:${SMALL}|no|none|both|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|dozens?|hundreds?|thousands?|millions?|half|kein\\p{L}*|beide|zwolf|zwanzig|hundert|tausend|aucune?|douze|vingt|cent|mille|ningun\\p{L}*|doce|veinte|cien|mil)$`,
  'u',
);
