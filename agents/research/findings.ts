/** Adds statements to the findings: each has a citation that code has verified against its document. */

import { plainText } from '../../engines/models/extractive/passages.ts';
import { addressesIn } from '../../engines/outputs/neutralize.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { fingerprintOf, numbersIn, sharedPart } from '../repeated-figures.ts';
import { figuresIn, isSameFigure, type NotedFigure, periodsIn } from './claims/figures.ts';
import { languageOf } from './claims/language.ts';
import { quoteContext, withoutHeadings } from './claims/quote-context.ts';
import type { CitedQuote } from './claims/verify.ts';
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
  [...numbersIn(text)].sort().join() === [...numbersIn(other.text)].sort().join();

/** Sentences that say one thing, whatever their order of words. */
export function isRepeated(text: string, others: readonly string[]): boolean {
  const { stems } = fingerprintOf(text);
  const numbers = [...numbersIn(text)].sort().join();
  return others.some((other) => {
    const own = fingerprintOf(other);
    const isAsLong = Math.min(stems.size, own.stems.size) >= SAME_WORDS * Math.max(stems.size, own.stems.size);
    return isAsLong && sharedPart(stems, own.stems) >= SAME_WORDS && [...own.numbers].sort().join() === numbers;
  });
}

/** What two findings say differently, each in its own words. */
export type Conflict = { findings: [Finding, Finding]; figures: [string[], string[]] };

const DATE = /\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}/g;
/** Smaller numbers without a unit may be days of a month. */
const MAX_DAY = 31;

/** Findings of two documents that say the same of the same time with different figures. */
export function conflictsIn(findings: readonly Finding[]): Conflict[] {
  const all = findings.map((finding) => {
    const { text } = finding;
    const { stems } = fingerprintOf(text.replaceAll(/\d\S*/gu, ' '));
    const dates = [...periodsIn(text), ...(text.match(DATE) ?? [])].sort().join();
    // Of the same length, as the places of the figures are those of the text.
    const undated = text.replaceAll(DATE, (date) => ' '.repeat(date.length));
    const figures = figuresIn(undated, languageOf(text)).filter(
      ({ unit, values }) => unit !== undefined || values.some((value) => value > MAX_DAY),
    );
    return { finding, stems, dates, figures };
  });
  type Stated = (typeof all)[number];
  const onlyIn = ({ finding, figures }: Stated, { figures: others }: Stated): string[] =>
    figures
      .filter((figure) => !others.some((other) => other.unit === figure.unit && isSameFigure(figure, other)))
      .map(({ at, end }) => finding.text.slice(at, end).trim());
  const isOfOneThing = (one: Stated, other: Stated) =>
    one.dates === other.dates &&
    one.finding.citations[0]?.document !== other.finding.citations[0]?.document &&
    Math.min(one.stems.size, other.stems.size) >= SAME_WORDS * Math.max(one.stems.size, other.stems.size) &&
    sharedPart(one.stems, other.stems) >= SAME_WORDS;
  return all.flatMap((one, at) =>
    all.slice(at + 1).flatMap((other): Conflict[] => {
      if (!isOfOneThing(one, other)) return [];
      const figures: Conflict['figures'] = [onlyIn(one, other), onlyIn(other, one)];
      return figures.every((own) => own.length > 0) ? [{ findings: [one.finding, other.finding], figures }] : [];
    }),
  );
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
