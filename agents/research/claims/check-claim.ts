/** Decides by code whether a sentence may rest on its quotes: supported word for word, rejected for a reason, or open; and whether a figure may. */

import * as v from 'valibot';
import { plainText, splitSentences } from '../../../engines/retrieval/passages.ts';
import { STOP_WORDS, stem, wordsOf } from '../../../engines/retrieval/words.ts';
import {
  type ClaimFigure,
  type ComputedFigure,
  figuresIn,
  isSameFigure,
  type NotedFigure,
  numberOf,
  periodsIn,
  signAt,
  textOf,
} from './figures.ts';
import { areOpposite, type ClaimLanguage, directionsIn, languageOf, negationsIn } from './language.ts';
import { type NameSource, nameSource, namesIn } from './names.ts';
import { bareText } from './quote-context.ts';

/**
 * A quote's whole sentences; the title and the beginning of its document, which may name what the sentence is about; and
 * the document's language.
 */
export type ClaimEvidence = { sentences: string; title: string; beginning?: string; language?: ClaimLanguage };

const languageIn = ({ sentences, language }: ClaimEvidence): ClaimLanguage | undefined =>
  languageOf(sentences) ?? language;

type RejectionReason = 'number' | 'unit' | 'date' | 'name' | 'negation' | 'direction' | 'order';

/** Why a statement is not published. `unchecked`: the verifier gave no usable answer. */
export type Objection = RejectionReason | 'contradicted' | 'not_in_source' | 'unchecked';

type ClaimVerdict =
  | { verdict: 'supported' }
  | { verdict: 'open' }
  | { verdict: 'rejected'; reason: RejectionReason; detail: string };

const rejected = (reason: RejectionReason, detail: string): ClaimVerdict => ({ verdict: 'rejected', reason, detail });

/** Figures that code computed from the quotes need not stand in one. */
type CheckOptions = { computed?: readonly ComputedFigure[] };

export function checkClaim(
  claim: string,
  evidence: readonly ClaimEvidence[],
  { computed = [] }: CheckOptions = {},
): ClaimVerdict {
  const source = evidence.map(({ sentences }) => sentences).join('\n');
  if (isVerbatim(claim, source)) return { verdict: 'supported' };
  // A short sentence may have no frequent word: it is then read in the language of its source.
  const language = languageOf(claim) ?? languageOf(source) ?? evidence.find((one) => one.language)?.language;
  const parts = evidence.flatMap((one) => clausesOf(one.sentences, languageIn(one)));
  const own = clausesOf(claim, language);
  const names = nameSource([source, ...evidence.flatMap(({ title, beginning = '' }) => [title, beginning])].join('\n'));
  return (
    checkFigures(own, { parts, source, computed }) ??
    checkPeriods(claim, source) ??
    checkNames(claim, {
      names,
      language,
      isTranslated: evidence.every((one) => languageIn(one) !== language),
    }) ??
    checkOrder(own, parts) ??
    checkClauses(own, parts) ?? { verdict: 'open' }
  );
}

/** Only whole sentences count: half of one may have lost its condition. */
function isVerbatim(claim: string, source: string): boolean {
  const wanted = bareText(claim);
  if (wanted === '') return false;
  const sentences = splitSentences(source, 'en').map(bareText);
  return sentences.some((_, from) =>
    [1, 2, 3].some((count) => sentences.slice(from, from + count).join(' ') === wanted),
  );
}

type Clause = {
  text: string;
  language: ClaimLanguage | undefined;
  figures: ClaimFigure[];
  names: Set<string>;
  stems: Set<string>;
};

/** Where a sentence turns to another statement. A comma in a number is none. */
const TURNS =
  /(?<=[.!?])\s+|[;:\n]\s*|,(?!\d)\s+|\s+[–—-]\s+|\s+(?:but|while|whereas|although|though|aber|wahrend|während|sondern|obwohl|mais|tandis que|alors que|pero|mientras(?: que)?|aunque|ma|mentre|sebbene|and|und|et|y|e)\s+(?=\p{L})/iu;

export function clausesOf(text: string, language: ClaimLanguage | undefined): Clause[] {
  return text
    .split(TURNS)
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .map((part) => ({
      text: part,
      language,
      figures: figuresIn(part, language),
      names: new Set(namesIn(part, language)),
      stems: new Set(
        wordsOf(part)
          .filter((word) => !STOP_WORDS.has(word))
          .map(stem),
      ),
    }));
}

type FigureSource = { parts: readonly Clause[]; source: string; computed: readonly ComputedFigure[] };

/** Units that change what a figure says even where the source leaves its own out. */
const EXACT_UNITS = new Set(['%', 'percentage points', 'basis points']);

function checkFigures(own: readonly Clause[], { parts, source, computed }: FigureSource): ClaimVerdict | undefined {
  const known = parts.flatMap(({ figures }) => figures);
  const units = new Set(figuresIn(source, languageOf(source)).map(({ unit }) => unit));
  for (const { figures, text } of own) {
    for (const figure of figures) {
      const shown = text.slice(figure.at, figure.end);
      if (isComputed(figure, computed)) continue;
      const same = known.filter((one) => isSameFigure(figure, one));
      if (same.length === 0) return rejected('number', `${shown} does not stand in the quotes`);
      const { unit, rate } = figure;
      const fits = ({ unit: other, rate: otherRate }: ClaimFigure) =>
        (rate === undefined || otherRate === undefined || rate === otherRate) &&
        (unit === undefined || other === unit || (other === undefined && (!EXACT_UNITS.has(unit) || units.has(unit))));
      if (!same.some(fits)) return rejected('unit', `${shown} has another unit in the quotes`);
    }
  }
  return undefined;
}

/** Computed figures are shown rounded and without their sign. */
function isComputed({ values, unit }: ClaimFigure, computed: readonly ComputedFigure[]): boolean {
  const fits = (one: ComputedFigure) =>
    one.unit === unit || one.unit === undefined || (unit === undefined && !EXACT_UNITS.has(one.unit));
  return computed.some(
    (one) => fits(one) && values.some((value) => Math.abs(Math.abs(one.value) - value) <= roundingOf(value, one.scale)),
  );
}

/** Half of the last digit that is shown; a value far below the scale is not written in it. */
function roundingOf(value: number, scale: number): number {
  const written = value < scale / 1_000 ? 1 : scale;
  const decimals = (value / written).toFixed(9).replace(/0+$/, '').split('.')[1]?.length ?? 0;
  return (0.5 * written) / 10 ** decimals + 1e-9;
}

function checkPeriods(claim: string, source: string): ClaimVerdict | undefined {
  const known = periodsIn(source);
  const [unknown] = [...periodsIn(claim)].filter((period) => !known.has(period));
  return unknown === undefined ? undefined : rejected('date', `${unknown} does not stand in the quotes`);
}

type NameCheck = { names: NameSource; language: ClaimLanguage | undefined; isTranslated: boolean };

function checkNames(claim: string, { names, language, isTranslated }: NameCheck): ClaimVerdict | undefined {
  const unknown = namesIn(claim, language, { isTranslated }).find((name) => !names.has(name, { isTranslated }));
  return unknown === undefined ? undefined : rejected('name', `${unknown} does not stand in the quotes`);
}

type Step = { from: ClaimFigure; to: ClaimFigure };

const FROM = /(?:^|[^\p{L}])(?:from|von|de|da|desde|dal|dai|dalle|dallo)\s+(?:[€$£¥]|\p{L}{3}\s)?\s*$/iu;
const TO = /^[^\p{N}.;]{0,40}?(?:^|[^\p{L}])(?:to|auf|zu|a|à|al|allo|hasta|bis)\s+(?:[€$£¥]|\p{L}{3}\s)?\s*$/iu;

/** The steps `from A to B` of a clause. */
const stepsIn = ({ text, figures }: Clause): Step[] =>
  figures.flatMap((from, nth) => {
    const to = figures[nth + 1];
    const isStep = to && FROM.test(text.slice(0, from.at)) && TO.test(text.slice(from.end, to.at));
    return isStep ? [{ from, to }] : [];
  });

/** A step must not run backwards: neither against its source nor against its own verb. */
function checkOrder(own: readonly Clause[], parts: readonly Clause[]): ClaimVerdict | undefined {
  const known = parts.flatMap(stepsIn);
  for (const clause of own) {
    for (const { from, to } of stepsIn(clause)) {
      const isTurned = (one: Step) => isSameFigure(from, one.to) && isSameFigure(to, one.from);
      if (known.some(isTurned) && !isSameFigure(from, to)) return rejected('order', 'the figures change places');
      const [low = 0] = from.values;
      const [high = 0] = to.values;
      const direction = directionOf(clause);
      if ((direction === 'up' && high < low) || (direction === 'down' && high > low)) {
        return rejected('direction', 'the figures move the other way');
      }
    }
  }
  return undefined;
}

/** The one direction of a clause; undefined if it has none, or words of two. */
function directionOf({ text, language }: Clause) {
  if (language === undefined) return undefined;
  const all = new Set(directionsIn(text, language).map(({ direction }) => direction));
  return all.size === 1 ? [...all][0] : undefined;
}

/** Compares each clause with the clause of the source that says most of the same. */
function checkClauses(own: readonly Clause[], parts: readonly Clause[]): ClaimVerdict | undefined {
  for (const clause of own) {
    const covered = parts.filter((part) => isCovered(part, clause));
    const verdicts = nearestTo(clause, parts).map((other) => comparePair(clause, { other, covered, parts }));
    // A figure that stands in two clauses is judged by the one that agrees.
    const found = verdicts.every((verdict) => verdict !== undefined) ? verdicts[0] : undefined;
    if (found) return found;
  }
  return undefined;
}

const MIN_SHARED = 0.3;

function nearestTo(clause: Clause, parts: readonly Clause[]): Clause[] {
  const scored = parts.map((part) => ({ part, score: nearness(clause, part) }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return best < MIN_SHARED ? [] : scored.filter(({ score }) => score === best).map(({ part }) => part);
}

const sharedStems = (clause: Clause, part: Clause): number =>
  [...clause.stems].filter((word) => part.stems.has(word)).length;

function nearness(clause: Clause, part: Clause): number {
  const figures = clause.figures.filter((figure) => part.figures.some((one) => isSameFigure(figure, one))).length;
  const most = Math.min(clause.stems.size, part.stems.size) + 2 * clause.figures.length;
  return (sharedStems(clause, part) + 2 * figures) / (most || 1);
}

/** A sentence may join what its source says in two clauses: then it has the negations of both. */
const isCovered = (part: Clause, clause: Clause): boolean => 2 * sharedStems(clause, part) >= part.stems.size;

type Comparison = { other: Clause; covered: readonly Clause[]; parts: readonly Clause[] };

function comparePair(clause: Clause, { other, covered, parts }: Comparison): ClaimVerdict | undefined {
  const mine = directionOf(clause);
  const theirs = directionOf(other);
  const turns = mine !== undefined && theirs !== undefined && mine !== theirs;
  const accounted = new Set([other, ...covered]);
  const isSameLanguage = clause.language !== undefined && clause.language === other.language;
  const negations = [...accounted].filter(isNegated).length;
  const negates = isSameLanguage && isNegated(clause) !== (negations % 2 === 1);
  // `did not fall` and `rose` may agree: the verifier judges that.
  if (turns && !negates) return rejected('direction', `${mine} in the sentence, ${theirs} in the quotes`);
  if (!negates && areOpposite(clause.text, other.text)) return rejected('direction', 'the quotes say the contrary');
  if (negates && !turns) return rejected('negation', 'one of sentence and quote is negated');
  return checkSubject(clause, other, parts);
}

const isNegated = ({ text, language }: Clause): boolean =>
  language !== undefined && negationsIn(text, language) % 2 === 1;

/** A figure must not move to another name of the same quote. */
function checkSubject(clause: Clause, other: Clause, parts: readonly Clause[]): ClaimVerdict | undefined {
  if (clause.figures.length === 0 || clause.names.size === 0 || other.names.size === 0) return undefined;
  const has = (names: ReadonlySet<string>, name: string) =>
    nameSource([...names].join(' ')).has(name, { isTranslated: false });
  if ([...clause.names].some((name) => has(other.names, name))) return undefined;
  const elsewhere = [...clause.names].find((name) => parts.some((part) => part !== other && has(part.names, name)));
  return elsewhere === undefined ? undefined : rejected('name', `the figure belongs to another name than ${elsewhere}`);
}

/** As a model notes them. */
export const proposedFigures = v.array(
  v.object({
    label: v.string(),
    value: v.union([v.string(), v.number()]),
    unit: v.nullish(v.string(), ''),
    period: v.nullish(v.string(), ''),
  }),
);

type ProposedFigure = v.InferOutput<typeof proposedFigures>[number];

type Quote = ClaimEvidence & { document: number };

/** What a model noted, once its statement is confirmed. */
type Note = { statement: string; figures: readonly ProposedFigure[]; quotes: readonly Quote[] };

const MAX_FIGURES = 10;

/** The figures that a quote has, each with the number, unit and period that it has there, and the others. */
export function checkedFigures({ statement, figures, quotes }: Note) {
  const kept: NotedFigure[] = [];
  const rejected: { text: string; reason: Objection }[] = [];
  for (const { label: given, value, unit: measured, period: when } of figures.slice(0, MAX_FIGURES)) {
    const [label, unit, period] = [plainText(given).trim(), measured?.trim() ?? '', when?.trim() ?? ''];
    const written = `${value} ${unit}`.trim();
    const claim = `${label}: ${written}${period === '' ? '' : ` (${period})`}`;
    const found = quotes.map((quote) => {
      const own = statedFigure({ written, unit }, quote, statement);
      return 'objection' in own ? own : (objectionTo({ claim, period }, quote, statement) ?? { ...own, label, period });
    });
    const own = found.find((one) => !('objection' in one));
    if (own && !('objection' in own)) kept.push({ ...own, period: period === '' ? null : period });
    else rejected.push({ text: claim, reason: found.findLast((one) => 'objection' in one)?.objection ?? 'number' });
  }
  return { figures: kept, rejected };
}

type Rejected = { objection: Objection };

/** The figure as the quote states it, with the same sign, scale and unit. */
function statedFigure(
  { written, unit }: { written: string; unit: string },
  { sentences, document }: Quote,
  statement: string,
): Omit<NotedFigure, 'period'> | Rejected {
  const language = languageOf(sentences) ?? languageOf(statement);
  const [own, ...others] = figuresIn(written, language);
  if (!own || others.length > 0) return { objection: 'number' };
  const sign = signAt(written, own.at);
  const same = figuresIn(sentences, language).filter(
    (one) => isSameFigure({ ...own, isApproximate: false }, one) && signAt(sentences, one.at) === sign,
  );
  const rest = written.slice(own.end).trim();
  const found = same.find(
    (one) => one.unit === own.unit || (one.unit === undefined && hasUnit(HEAD.exec(sentences)?.[0] ?? '', unit)),
  );
  if (!found || !hasWords(sentences, rest)) return { objection: same.length > 0 ? 'unit' : 'number' };
  const text = textOf(sentences, found);
  return { value: numberOf(found, sign), text, unit: [own.unit, rest].filter(Boolean).join(' ') || null, document };
}

/** Its period stands in the quote, and its label says nothing that neither quote nor statement says. */
function objectionTo(
  { claim, period }: { claim: string; period: string },
  { sentences, title }: Quote,
  statement: string,
): Rejected | undefined {
  const known = periodsIn(sentences);
  if ([...periodsIn(period)].some((one) => !known.has(one))) return { objection: 'date' };
  const verdict = checkClaim(claim, [{ sentences: `${sentences}\n${statement}`, title }]);
  return verdict.verdict === 'rejected' ? { objection: verdict.reason } : undefined;
}

/** The heads of the columns, which stand before the row: the unit of a figure may be there. */
const HEAD = /^\s*\|.*\n(?=\s*\|)/;

const hasUnit = (head: string, unit: string): boolean =>
  head !== '' && (/[\p{L}\p{N}]/u.test(unit) ? hasWords(head, unit) : head.includes(unit.trim()));

function hasWords(text: string, wanted: string): boolean {
  const known = new Set(wordsOf(text).map(stem));
  return wordsOf(wanted).every((word) => known.has(stem(word)));
}

/** The documents of each cell of a row: those whose quote or title has it, or all where no single one does. */
export const citationsOfCells = (cells: readonly string[], quotes: readonly Quote[]): number[][] =>
  cells.map((cell) => {
    if (cell === '') return [];
    const own = quotes.filter(({ title, sentences }) => hasWords(`${title}\n${sentences}`, cell));
    return [...new Set((own.length > 0 ? own : quotes).map(({ document }) => document))];
  });
