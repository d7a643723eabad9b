/** Adds statements to the findings: each has a citation that code has verified against its document. */

import { plainText } from '../../engines/models/extractive/passages.ts';
import { stem, wordsOf } from '../../engines/models/extractive/words.ts';
import { addressesIn } from '../../engines/outputs/neutralize.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { fingerprintOf, numbersIn, sharedPart } from '../repeated-figures.ts';
import { clausesOf } from './claims/check-claim.ts';
import { type ClaimFigure, figuresIn, isSameFigure, type NotedFigure, periodsIn } from './claims/figures.ts';
import { directionsIn, languageOf, negationsIn } from './claims/language.ts';
import { nameSource, namesIn } from './claims/names.ts';
import { quoteContext, quoteSubjects, withoutHeadings } from './claims/quote-context.ts';
import type { CitedQuote } from './claims/verify.ts';
import { countIn, searchFor } from './search.ts';
import type { Chosen, Finding, ResearchCitation, ResearchRequest, ResearchState, ThrownOutReason } from './state.ts';

/** A statement that is not yet numbered. */
export type Proposed = Omit<Finding, 'finding'>;

/** Counts and tells a statement that is not published. */
export function throwOut(known: ResearchState, reason: ThrownOutReason, text: string): void {
  known.activity.tell({ kind: 'claim_rejected', text, reason });
  known.thrownOut++;
  known.thrownOutFor[reason] = (known.thrownOutFor[reason] ?? 0) + 1;
}

const SAME_WORDS = 0.85;
const MAX_PER_TOPIC = 10;

/**
 * Merges equal statements, sorts and numbers all again, and drops those beyond the depth, except what a topic needs.
 */
export function takeIn(known: ResearchState, proposed: readonly Proposed[], { analysis }: ResearchRequest): void {
  const all: (Proposed & { stems: Set<string> })[] = [];
  // The longest comes first, as a quote may contain shorter ones.
  for (const one of [...known.findings, ...proposed].sort((a, b) => b.text.length - a.text.length)) {
    const { stems } = fingerprintOf(one.text);
    const same = all.find((other) => isSame(one.text, stems, other) || isPart(one, other));
    if (!same) {
      all.push({ ...one, stems });
      continue;
    }
    if (!isPart(one, same)) same.citations = distinct([...same.citations, ...one.citations]);
    if (same.figures ?? one.figures) same.figures = distinct([...(same.figures ?? []), ...(one.figures ?? [])]);
    same.topics = [...new Set([...same.topics, ...one.topics])];
    same.score = Math.max(same.score, one.score);
  }
  const sorted = all.sort((a, b) => b.score - a.score);
  const ofTopic = new Map<string, number>();
  const kept = sorted.filter(({ topics }, at) => {
    const isNeeded = topics.some((topic) => (ofTopic.get(topic) ?? 0) < MAX_PER_TOPIC);
    for (const topic of topics) ofTopic.set(topic, (ofTopic.get(topic) ?? 0) + 1);
    return at < analysis.findings || isNeeded;
  });
  known.findings = kept.map(({ stems: _, ...one }, at) => ({ ...one, finding: at + 1 }));
}

const isSame = (text: string, stems: Set<string>, other: Proposed & { stems: Set<string> }): boolean =>
  sharedPart(stems, other.stems) >= SAME_WORDS &&
  Math.min(stems.size, other.stems.size) >= SAME_WORDS * Math.max(stems.size, other.stems.size) &&
  [...numbersIn(text)].sort().join() === [...numbersIn(other.text)].sort().join() &&
  !isOpposite(text, other.text);

/** One rises where the other falls, or denies what the other says: in all other words they may be equal. */
function isOpposite(one: string, other: string): boolean {
  const language = languageOf(one) ?? languageOf(other);
  if (language === undefined) return false;
  const [first, second] = [one, other].map(
    (text) => new Set(directionsIn(text, language).map(({ direction }) => direction)),
  );
  const isTurned = first?.size === 1 && second?.size === 1 && ![...first].some((one) => second.has(one));
  return isTurned || negationsIn(one, language) % 2 !== negationsIn(other, language) % 2;
}

/** Sentences that say one thing, whatever their order of words. */
export function isRepeated(text: string, others: readonly string[]): boolean {
  const { stems } = fingerprintOf(text);
  const numbers = [...numbersIn(text)].sort().join();
  return others.some((other) => {
    const own = fingerprintOf(other);
    const isAsLong = Math.min(stems.size, own.stems.size) >= SAME_WORDS * Math.max(stems.size, own.stems.size);
    const hasSameWords = isAsLong && sharedPart(stems, own.stems) >= SAME_WORDS;
    return hasSameWords && [...own.numbers].sort().join() === numbers && !isOpposite(text, other);
  });
}

/** What two findings say differently, each in its own words. */
export type Conflict = { findings: [Finding, Finding]; figures: [string[], string[]] };

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
        ...{ text: clause, figures, directions, years: years.join(), parts: parts.join() },
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
  const [min, max] = [Math.min(one.size, other.size), Math.max(one.size, other.size)];
  const part = sharedPart(one, other);
  return (
    (part >= SAME_WORDS && min >= SAME_WORDS * max) || (hasSameNames && part === 1 && min >= WITH_SAME_NAMES * max)
  );
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

/** Words of a time, which texts about anything have. */
const TIMES = new Set(
  'first second third fourth last quarter half year month week day erst zweit dritt viert quartal halbjahr jahr monat woche premier deuxieme troisieme trimestre semestre annee mois primer segundo tercer ano mes primo secondo terzo anno mese'
    .split(' ')
    .map(stem),
);

/** Tells whether a text has a word of the question, or one of similar meaning, other than words of a time; all have if there is none. */
function sharesSubject(question: string): (text: string) => boolean {
  const { lexicon, main } = searchFor({ query: question, places: [], queries: [] });
  const isOfTime = (word: string) => /^\d+$/.test(word) || TIMES.has(word);
  const subjects = [...main].filter((term) => !isOfTime(lexicon.terms[term]?.word ?? ''));
  return (text) => {
    const { best } = countIn(text, lexicon);
    return subjects.length === 0 || subjects.some((term) => best.has(term));
  };
}

/** Quotes that share no subject with the question stay out of the summary, if others do. */
export function onTopic(
  all: readonly Finding[],
  { query }: ResearchRequest,
  { documents }: ResearchState,
): readonly Finding[] {
  const shares = sharesSubject(query);
  const beginnings = new Map(
    documents.map(({ document, title, text }) => [document, `${title}\n${text.slice(0, 400)}`]),
  );
  const own = all.filter(
    (one) => !one.is_quote || shares(`${one.text}\n${beginnings.get(one.citations[0]?.document ?? 0)}`),
  );
  return own.length > 0 ? own : all;
}

/** What another document says of the same thing stands beside it, so that no summary has one side alone. */
export function withConflicts(
  chosen: readonly Finding[],
  { findings, documents }: Pick<ResearchState, 'findings' | 'documents'>,
): Finding[] {
  const pairs = conflictsIn(findings, documents).map((one) => one.findings);
  return [...new Set(chosen.flatMap((one) => [one, ...pairs.flatMap((pair) => (pair.includes(one) ? pair : []))]))];
}

/** Returns true if `one` is a part of the quote `other`, word for word, from the same documents. */
const isPart = (one: Proposed, other: Proposed): boolean =>
  one.is_quote &&
  other.is_quote &&
  other.text.includes(one.text) &&
  one.citations.every(({ document }) => other.citations.some((citation) => citation.document === document));

const distinct = <T extends ResearchCitation | NotedFigure>(all: readonly T[]): T[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];

const MAX_STATEMENT = 800;
const TAG = /<[a-z/!?][^<>]{0,500}>/gi;

/** Returns the statement on one line, without markup, tags, and URLs that the documents do not contain. */
export function cleaned(statement: string, cited: readonly Evidence[]): string {
  const plain = plainText(statement.normalize('NFC').replace(TAG, ' ')).slice(0, MAX_STATEMENT);
  const isKnown = (address: string) => cited.some(({ addresses }) => addresses().has(address));
  const made = [...addressesIn([plain])].filter((address) => !isKnown(address));
  return made
    .sort((a, b) => b.length - a.length)
    .reduce((text, address) => text.replaceAll(address, '[address left out]'), plain)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Returns the citations whose quotes occur in their documents, in the documents' own words. */
export const heldCitations = (
  citations: readonly ResearchCitation[],
  evidence: ReadonlyMap<number, Evidence>,
): ResearchCitation[] =>
  citations.flatMap(({ document, quote }) => {
    const found = evidence.get(document)?.find(quote);
    return found === undefined ? [] : [{ document, quote: found }];
  });

/** Significant characters: letters, digits, signs that change what a number says, and a minus before a number. */
const TELLING = /[\p{L}\p{N}\p{M}\p{Sc}%‰]+|(?<![\p{L}\p{N}])[-−](?=\d)/gu;

/** Finds a quote in a text, ignoring white space and punctuation, and returns the text's own words. */
type Quotable = { find(quote: string): string | undefined };

/** The significant runs joined by single spaces, and where each run begins: in `bare` and in the original text. */
type Bare = { bare: string; starts: number[]; from: number[] };

function bareOf(text: string): Bare {
  const runs: string[] = [];
  const starts: number[] = [];
  const from: number[] = [];
  let length = 0;
  for (const { 0: run, index } of text.matchAll(TELLING)) {
    runs.push(run === '−' ? '-' : run);
    starts.push(length);
    from.push(index);
    length += run.length + 1;
  }
  return { bare: runs.join(' '), starts, from };
}

/** Maps a position in the bare text to the original text. */
function placeOf({ starts, from }: Bare, at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return (from[low] ?? 0) + at - (starts[low] ?? 0);
}

const MAX_QUOTE = 600;

export function quotable(whole: string): Quotable {
  const text = whole.normalize('NFC');
  const own = bareOf(text);
  const padded = ` ${own.bare} `;
  return {
    find(quote) {
      if (quote.length > MAX_QUOTE * 2) return undefined;
      const { bare: wanted } = bareOf(quote.normalize('NFC'));
      const at = isTelling(wanted) ? padded.indexOf(` ${wanted} `) : -1;
      if (at < 0) return undefined;
      const start = placeOf(own, at);
      const end = placeOf(own, at + wanted.length - 1) + 1;
      const closed = /^[.!?…)"”’]{1,3}/.exec(text.slice(end, end + 3))?.[0] ?? '';
      return plainText(text.slice(start, end + closed.length)).slice(0, MAX_QUOTE);
    },
  };
}

const MIN_WORDS = 4;
const MIN_CHARACTERS = 12;

/** Returns true if the quote is long enough; one or two words occur in every text. */
const isTelling = (bare: string): boolean =>
  bare.split(' ').length >= MIN_WORDS ||
  (bare.length >= MIN_CHARACTERS && !/^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{M} ]+$/u.test(bare));

/** A document that statements are checked against. Each part is computed once, on first use. */
export type Evidence = {
  find: Quotable['find'];
  addresses(): ReadonlySet<string>;
  /** The quote with what a check needs to know of it. */
  cite(quote: string): CitedQuote;
};

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** How much of a document tells its language, and what it is about. */
const MAX_READ = 20_000;
const MAX_BEGINNING = 400;

type EvidenceSource = Pick<Chosen, 'document' | 'title' | 'text' | 'published_at'>;

/** Titles and headings are no quotes: they name a subject and say nothing of it. An item of a title alone is its title. */
function evidenceIn({ document, title, text, published_at }: EvidenceSource): Evidence {
  const body = withoutHeadings(text).trim() === '' ? title : text;
  const quotes = once(() => quotable(withoutHeadings(body)));
  const language = once(() => languageOf(body.slice(0, MAX_READ)));
  const context = once(() => quoteContext(body));
  return {
    find: (quote) => quotes().find(quote),
    addresses: once(() => addressesIn([`${title}\n${text}`])),
    cite: (quote) => ({
      ...{ document, quote, sentences: context()(quote), title, published_at },
      ...definedFields({ beginning: text.slice(0, MAX_BEGINNING), language: language() }),
    }),
  };
}

export const evidenceOf = (documents: readonly Chosen[]): Map<number, Evidence> =>
  new Map(documents.map((document) => [document.document, evidenceIn(document)]));

/** The cited quotes, as a statement is checked against them. */
export const citedQuotes = (
  citations: readonly ResearchCitation[],
  evidence: ReadonlyMap<number, Evidence>,
): CitedQuote[] => citations.flatMap(({ document, quote }) => evidence.get(document)?.cite(quote) ?? []);
