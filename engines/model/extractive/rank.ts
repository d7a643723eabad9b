/** Ranks units for one request: BM25 with what stands around a unit, and bonuses for nearness and the right kind. */
import type { BlockMatches } from './find-blocks.ts';
import { findAll, type TermHits } from './find-terms.ts';
import type { AnswerKind } from './hints.ts';
import { looksLike } from './looks-like.ts';
import { type Passage, titleOfFile } from './passage.ts';
import type { Lexicon } from './terms.ts';
import { headingsOf, type QuoteUnit, unitsOf } from './units.ts';

/** What one request looks for: its terms by number, and how much each one counts. */
export type SearchTerms = { weights: Map<number, number>; kind: AnswerKind | undefined };
export type RankedUnit = { unit: QuoteUnit; score: number; coverage: number };

const K1 = 1.2;
const B = 0.5;
const MAX_BLOCKS = 150;
const LEAD = 0.7;
/** How much of a table's header is looked at for each of its rows. */
const MAX_HEADER = 2_000;
const HEADINGS = [0.6, 0.4, 0.3, 0.3];
const AROUND = 0.35;
const NAME = 0.3;

type Ranking = { terms: SearchTerms; lexicon: Lexicon; sieved: BlockMatches; passages: Passage[]; language: string };

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

/** What headings, headers and the file's name say counts for everything below them; each is read once. */
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
    .sort((a, b) => b.sum * (0.4 + b.coverage) - a.sum * (0.4 + a.coverage))
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

function scoreUnit(unit: QuoteUnit, ranking: Ranking, above: Context): RankedUnit {
  const { lexicon, terms: wanted } = ranking;
  const { found, words } = findAll(unit.text, lexicon);
  const context = new Map(above);
  for (const [term, { weight }] of findAll(unit.lead, lexicon).found) raise(context, term, LEAD * Math.min(1, weight));
  for (const [term, { weight }] of findAll(neighboursOf(unit), lexicon).found) {
    raise(context, term, AROUND * Math.min(1, weight));
  }
  const { sum, coverage } = measure(found, words, context, ranking);
  const fits = wanted.kind ? (looksLike(wanted.kind, unit.text) ? 1.3 : 0.8) : 1;
  const kind = unit.block.kind === 'heading' ? 0.55 : words < 3 ? 0.6 : 1;
  const own = [...wanted.weights.keys()].some((term) => found.has(term)) ? 1 : 0.6;
  const score = (sum * (0.4 + 0.6 * coverage) + nearness(found, ranking)) * fits * kind * own;
  return { unit, score, coverage };
}

const neighboursOf = ({ sentences, nth }: QuoteUnit): string =>
  `${sentences[nth - 1] ?? ''} ${sentences[nth + 1] ?? ''}`;

/** Terms that follow one another in the prompt and stand close together here. */
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
