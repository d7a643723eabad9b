/** What findings of different documents say differently of one thing. */

import { stem, wordsOf } from '../../../engines/retrieval/words.ts';
import { fingerprintOf, hasSameWords, sharedPart } from '../../repeated-figures.ts';
import type { Chosen, Finding, ResearchState } from '../state.ts';
import { clausesOf } from './check-claim.ts';
import { type ClaimFigure, figuresIn, isSameFigure, periodsIn } from './figures.ts';
import { directionsIn, languageOf, negationsIn } from './language.ts';
import { nameSource, namesIn } from './names.ts';
import { quoteSubjects } from './quote-context.ts';

/** What two findings say differently, each in its own words. */
type Conflict = { findings: [Finding, Finding]; figures: [string[], string[]] };

const DATE = /\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}/g;
/** Smaller numbers without a unit may be days of a month. */
const MAX_DAY = 31;
/** `More than 400` and `412` may both be true. */
const BOUND =
  /(?<!\p{L})(?:(?:more|less|fewer|higher|lower) than|over|under|at (?:least|most)|up to|mehr als|weniger als|über|unter|mindestens|höchstens|bis zu|plus de|moins de|au (?:moins|plus)|jusqu'à|más de|menos de|al menos|hasta|oltre|più di|meno di|almeno|fino a)\s*[€$£]?\s*$/iu;
const BEFORE_FIGURE = 24;
/** Words of periods, which are compared as periods, and currencies before a number. */
const NOT_MEASURED =
  /(?<!\p{L})(?:(?:first|second|third|fourth|erste\p{L}*|zweite\p{L}*|dritte\p{L}*|vierte\p{L}*|premier|deuxième|troisième|quatrième|primer|segundo|tercer|cuarto|primo|secondo|terzo|quarto) (?:quarter|half|quartal\p{L}*|halbjahr\p{L}*|trimestre|semestre)|q[1-4]|more|less|(?:eur|usd|gbp|chf)(?= ?\d))(?!\p{L})/giu;
/** Two ways to say how many people a place has. */
const PEOPLE =
  /(?<!\p{L})(?:population|inhabitants?|residents?|einwohner\p{L}*|bevölkerung\p{L}*|habitants?|habitantes|población|abitanti|popolazione)(?!\p{L})/giu;

/** It says which one is meant, though it is a stop word. */
const OLD = /(?<!\p{L})old(?!\p{L})/giu;

/** A clause with figures: what it measures, without the figures, names, periods and words of direction. */
type Measure = {
  text: string;
  figures: ClaimFigure[];
  directions: ReturnType<typeof directionsIn>;
  isNegated: boolean;
  stems: Set<string>;
  years: string;
  parts: string;
};

type Stated = { finding: Finding; source: Chosen | undefined; names: string[]; inner: string[]; measures: Measure[] };

const blank = (text: string): string => ' '.repeat(text.length);

function statedIn(finding: Finding, documents: readonly Chosen[]): Stated {
  const { text } = finding;
  const source = documents.find(({ document }) => document === finding.citations[0]?.document);
  const language = languageOf(text) ?? languageOf(source?.text.slice(0, MAX_HEAD) ?? '');
  const inner = namesIn(text, language, { isTranslated: true });
  const names = namesIn(text, language);
  // A word that begins a sentence is a name before another one, as in `Orla Foods`.
  const isFirstNamed = /^\p{Lu}[\p{L}'’-]+ \p{Lu}/u.test(text);
  const named = new Set((isFirstNamed ? names : inner).flatMap((name) => wordsOf(name)).map(stem));
  // Of the same length, as the places of the figures are those of the text.
  let before = '';
  const measures = clausesOf(text.replaceAll(DATE, blank), language).flatMap(({ text: clause }): Measure[] => {
    const figures = figuresIn(clause, language).filter(
      ({ unit, values, at }) =>
        (unit !== undefined || values.some((value) => value > MAX_DAY)) &&
        !BOUND.test(clause.slice(Math.max(0, at - BEFORE_FIGURE), at)),
    );
    const directions = language === undefined ? [] : directionsIn(clause, language);
    const spans = [
      ...figures.map(({ at, end }) => ({ at, end })),
      ...directions.map(({ at }) => ({ at, end: wordEnd(clause, at) })),
    ];
    const rest = spans.reduce(
      (left, { at, end }) => left.slice(0, at) + blank(clause.slice(at, end)) + left.slice(end),
      clause,
    );
    const own = `${before} ${rest}`
      .replaceAll(PEOPLE, 'population')
      .replaceAll(OLD, 'former')
      .replaceAll(NOT_MEASURED, ' ');
    if (figures.length === 0) {
      before += ` ${rest}`;
      return [];
    }
    const stems = fingerprintOf(own.replaceAll(/\d\S*/gu, ' ')).stems;
    const periods = periodsIn(/(?:19|20)\d\d/.test(clause) ? clause : text);
    const years = [...periods].filter((one) => one.startsWith('year')).sort();
    const parts = [...[...periods].filter((one) => !one.startsWith('year')), ...(text.match(DATE) ?? [])].sort();
    return [
      {
        text: clause,
        figures,
        directions,
        years: years.join(),
        parts: parts.join(),
        isNegated: language !== undefined && negationsIn(clause, language) % 2 === 1,
        stems: new Set([...stems].filter((one) => !named.has(one))),
      },
    ];
  });
  return { finding, source, names, inner, measures };
}

const wordEnd = (text: string, at: number): number => at + (/^[\p{L}\p{M}]*/u.exec(text.slice(at))?.[0].length ?? 0);

const MAX_HEAD = 2_000;

/** `different`: each has a name that the other lacks. `same`: the other sentence, or the document of one without names, has all. */
function namesOf(one: Stated, other: Stated): 'same' | 'different' | 'unknown' {
  const isIn = (text: string) => (name: string) => nameSource(text).has(name, { isTranslated: false });
  const [ofOne, ofOther] = [one.finding.text, other.finding.text].map(isIn);
  if (!ofOne || !ofOther) return 'unknown';
  if (!one.names.every(ofOther) && !other.names.every(ofOne)) return 'different';
  const whole = ({ inner, finding, source }: Stated) =>
    inner.length > 0 ? finding.text : `${finding.text}\n${source?.title}\n${source?.text.slice(0, MAX_HEAD)}`;
  const isKnown = one.inner.every(isIn(whole(other))) && other.inner.every(isIn(whole(one)));
  if (one.inner.length + other.inner.length === 0) return 'unknown';
  return isKnown ? 'same' : 'unknown';
}

/** With the same names, one may say in more words what is measured. */
const WITH_SAME_NAMES = 0.7;

function isAlike(one: ReadonlySet<string>, other: ReadonlySet<string>, hasSameNames: boolean): boolean {
  const isPart = hasSameNames && sharedPart(one, other) === 1;
  const [min, max] = [Math.min(one.size, other.size), Math.max(one.size, other.size)];
  return hasSameWords(one, other) || (isPart && min >= WITH_SAME_NAMES * max);
}

const yearOf = ({ source, finding }: Stated): string => {
  const year = source && /(?:19|20)\d\d/.exec(quoteSubjects(source)(finding.text).dated ?? '')?.[0];
  return year === undefined ? '' : `year ${year}`;
};

/** A year that a statement leaves out is that of its document. */
function isOfOneTime(one: Stated, own: Measure, other: Stated, theirs: Measure): boolean {
  if (own.parts !== theirs.parts) return false;
  if (own.years !== '' && theirs.years !== '') return own.years === theirs.years;
  const [first, second] = [own.years || yearOf(one), theirs.years || yearOf(other)];
  return first === second || (own.years === theirs.years && (first === '' || second === ''));
}

/** Undefined if it has none or several. */
function directionOf({ text, directions, figures, isNegated }: Measure): string | undefined {
  const [figure] = figures;
  if (isNegated) return undefined;
  const found = new Set(directions.map(({ direction }) => direction));
  if (found.size > 0) return found.size === 1 ? [...found][0] : undefined;
  if (figure?.unit !== '%') return undefined;
  const sign = /[-−+]$/.exec(text.slice(0, figure.at))?.[0];
  return sign === undefined ? undefined : sign === '+' ? 'up' : 'down';
}

const MAX_SHOWN = 120;

/** The figures with what lies between them and the word of their direction. */
function shownFigures({ text, directions }: Measure, figures: readonly ClaimFigure[]): string[] {
  const isSigned = (at: number) => /[-−+]$/.test(text.slice(0, at));
  const spans = figures.map(({ at, end }) => ({ at: isSigned(at) ? at - 1 : at, end }));
  const words = directions.map(({ at }) => ({ at, end: wordEnd(text, at) }));
  const from = Math.min(...[...spans, ...words].map(({ at }) => at));
  const to = Math.max(...[...spans, ...words].map(({ end }) => end));
  if (words.length > 0 && to - from <= MAX_SHOWN) return [text.slice(from, to).replaceAll(/\s+/g, ' ').trim()];
  return spans.map(({ at, end }) => text.slice(at, end).trim());
}

function differing(own: Measure, theirs: Measure): Conflict['figures'] | undefined {
  const onlyIn = (one: Measure, other: Measure) =>
    one.figures.filter(
      (figure) =>
        other.figures.some(({ unit }) => unit === figure.unit) &&
        !other.figures.some((same) => same.unit === figure.unit && isSameFigure(figure, same)),
    );
  const [first, second] = [directionOf(own), directionOf(theirs)];
  const isTurned = first !== undefined && second !== undefined && first !== second;
  const left = [onlyIn(own, theirs), onlyIn(theirs, own)];
  if (left.every((one) => one.length > 0))
    return [shownFigures(own, left[0] ?? []), shownFigures(theirs, left[1] ?? [])];
  const hasSameUnit = own.figures.some(({ unit }) => theirs.figures.some((one) => one.unit === unit));
  return isTurned && hasSameUnit ? [shownFigures(own, own.figures), shownFigures(theirs, theirs.figures)] : undefined;
}

/** `The mayor of Halden is Ilse Brandt`: one holds an office. */
const HOLDER =
  /^(?:the|der|die|das|le|la|el|il)\s+(.{3,200}?)\s+(?:is|ist|est|es|è)\s+((?:\p{Lu}[\p{L}\p{M}.'’-]*\s*){2,4})[.!]?$/iu;

function differingHolders(one: Finding, other: Finding): Conflict['figures'] | undefined {
  const [own, theirs] = [one, other].map(({ text }) => HOLDER.exec(text.trim()));
  const [first, second] = [own?.[2]?.trim() ?? '', theirs?.[2]?.trim() ?? ''].map((name) => name.replace(/\.$/, ''));
  if (!own?.[1] || !theirs?.[1] || !first || !second) return undefined;
  const [office, same] = [own[1], theirs[1]].map((text) => fingerprintOf(text).stems);
  if (!office || !same || office.size < 2 || !isAlike(office, same, false)) return undefined;
  if (sharedPart(office, same) < 1 || !/^\p{Lu}/u.test(first) || !/^\p{Lu}/u.test(second)) return undefined;
  const isNamed = (name: string, text: string) =>
    nameSource(text).has(name.split(/\s+/).at(-1) ?? '', { isTranslated: false });
  return isNamed(first, second) || isNamed(second, first) ? undefined : [[first], [second]];
}

/** Findings of two documents that say different things of one name, measure and time. */
export function conflictsIn(findings: readonly Finding[], documents: readonly Chosen[]): Conflict[] {
  const all = findings.map((finding) => statedIn(finding, documents));
  return all.flatMap((one, at) =>
    all.slice(at + 1).flatMap((other): Conflict[] => {
      if (one.finding.citations[0]?.document === other.finding.citations[0]?.document) return [];
      const figures = differingHolders(one.finding, other.finding) ?? differingMeasures(one, other);
      return figures ? [{ findings: [one.finding, other.finding], figures }] : [];
    }),
  );
}

function differingMeasures(one: Stated, other: Stated): Conflict['figures'] | undefined {
  const pairs = one.measures.flatMap((own) => other.measures.map((theirs) => ({ own, theirs })));
  const near = pairs.filter(({ own, theirs }) => isAlike(own.stems, theirs.stems, true));
  if (near.length === 0) return undefined;
  const names = namesOf(one, other);
  if (names === 'different') return undefined;
  const isLed = isAlike(one.measures[0]?.stems ?? new Set(), other.measures[0]?.stems ?? new Set(), names === 'same');
  for (const { own, theirs } of isLed ? near : []) {
    if (names !== 'same' && (own.stems.size < 2 || !isAlike(own.stems, theirs.stems, false))) continue;
    const found = differing(own, theirs);
    if (found && isOfOneTime(one, own, other, theirs)) return found;
  }
  return undefined;
}

/** What another document says of the same thing stands beside it, so that no summary has one side alone. */
export function withConflicts(
  chosen: readonly Finding[],
  { findings, documents }: Pick<ResearchState, 'findings' | 'documents'>,
): Finding[] {
  const pairs = conflictsIn(findings, documents).map((one) => one.findings);
  return [...new Set(chosen.flatMap((one) => [one, ...pairs.flatMap((pair) => (pair.includes(one) ? pair : []))]))];
}
