/** The sentences of a document that can stand for themselves, and how well each fits the question. */
import { cellsOf } from '../../model/extractive/plain-text.ts';
import { readUnits, type Unit } from '../../model/extractive/units.ts';
import { LEANS } from '../../model/extractive/widen.ts';
import { type corpusOf, countIn, fitOf, type TermCounts } from './search.ts';
import type { Chosen } from './state.ts';

export type Sentence = { text: string; score: number };

const SHORTEST = 30;
const LONGEST = 450;
const KINDS: Partial<Record<Unit['block']['kind'], number>> = { prose: 1, item: 0.9, pair: 0.7, row: 0.5 };
const FIGURE = /\d/;
/** Of what the title says and the sentence does not. */
const FROM_TITLE = 0.3;

type Corpus = ReturnType<typeof corpusOf>;

/** The best first. */
export function sentencesOf({ title, text }: Pick<Chosen, 'title' | 'text'>, corpus: Corpus): Sentence[] {
  const { lexicon } = corpus.search;
  const above = countIn(title, lexicon);
  const sentences = readUnits(0, [{ source: '', place: '', text: text.normalize('NFC') }], 'en').flatMap((unit) => {
    const kind = KINDS[unit.block.kind];
    const words = textOf(unit);
    if (kind === undefined || words.length < SHORTEST || words.length > LONGEST || words === title) return [];
    const own = countIn(words, lexicon);
    const { score, coverage } = fitOf({ ...own, ...withTitle(own, above) }, corpus);
    const shape = (FIGURE.test(words) ? 1.15 : 1) * (words.endsWith('?') ? 0.5 : 1) * (unit.nth === 0 ? 1.1 : 1);
    return [{ text: words, score: score * (0.4 + 0.6 * coverage) * kind * shape }];
  });
  // All told alike, the first one says most.
  return sentences.sort((a, b) => b.score - a.score);
}

function withTitle({ counts, best }: TermCounts, above: TermCounts): Pick<TermCounts, 'counts' | 'best'> {
  const own = { counts: new Map(counts), best: new Map(best) };
  for (const [term, weight] of above.best) {
    if (counts.has(term)) continue;
    own.counts.set(term, FROM_TITLE * weight);
    own.best.set(term, FROM_TITLE * weight);
  }
  return own;
}

/** `Halden Bay has it at two of seven berths.`: what it has was named a sentence or two before. */
const HANGS = /\b(?:has|have|had) (?:it|them)\b/iu;

/** With the sentence before it, if it begins with a word that points there, or with two if it hangs on them. */
function textOf({ block, text, sentences, nth }: Unit): string {
  if (block.kind === 'row')
    return cellsOf(text)
      .filter((cell) => cell !== '')
      .join(' · ');
  const back = LEANS.test(text) ? 1 : HANGS.test(text) ? 2 : 0;
  const whole = [...sentences.slice(Math.max(0, nth - back), nth), text].join(' ');
  return whole.length <= LONGEST ? whole : text;
}
