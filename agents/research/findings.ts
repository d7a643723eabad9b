/** Adds statements to the findings: each has a citation that code has verified against its document. */

import { addressesIn } from '../../engines/outputs/neutralize.ts';
import { plainText } from '../../engines/retrieval/passages.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { fingerprintOf, hasSameWords } from '../repeated-figures.ts';
import type { NotedFigure } from './claims/figures.ts';
import { directionsIn, languageOf, negationsIn } from './claims/language.ts';
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

const MAX_PER_TOPIC = 10;
/** How much of a document tells its language, and what it is about. */
const MAX_READ = 20_000;
const MAX_BEGINNING = 400;

/**
 * Merges equal statements, sorts and numbers all again, and drops those beyond the depth, except what a topic needs.
 */
export function takeIn(known: ResearchState, proposed: readonly Proposed[], { analysis }: ResearchRequest): void {
  const all: { one: Proposed; print: Printed }[] = [];
  // The longest comes first, as a quote may contain shorter ones.
  for (const one of [...known.findings, ...proposed].sort((a, b) => b.text.length - a.text.length)) {
    const print = printed(one.text);
    const same = all.find((other) => saysSame(print, other.print) || isPart(one, other.one))?.one;
    if (!same) {
      all.push({ one: { ...one }, print });
      continue;
    }
    if (!isPart(one, same)) same.citations = distinct([...same.citations, ...one.citations]);
    if (same.figures ?? one.figures) same.figures = distinct([...(same.figures ?? []), ...(one.figures ?? [])]);
    same.topics = [...new Set([...same.topics, ...one.topics])];
    same.score = Math.max(same.score, one.score);
  }
  const sorted = all.map(({ one }) => one).sort((a, b) => b.score - a.score);
  const ofTopic = new Map<string, number>();
  const kept = sorted.filter(({ topics }, at) => {
    const isNeeded = topics.some((topic) => (ofTopic.get(topic) ?? 0) < MAX_PER_TOPIC);
    for (const topic of topics) ofTopic.set(topic, (ofTopic.get(topic) ?? 0) + 1);
    return at < analysis.findings || isNeeded;
  });
  known.findings = kept.map((one, at) => ({ ...one, finding: at + 1 }));
}

type Printed = ReturnType<typeof fingerprintOf> & { text: string };

const printed = (text: string): Printed => ({ text, ...fingerprintOf(text) });

/** Whether two say one thing, whatever the order of their words. */
const saysSame = (one: Printed, other: Printed): boolean =>
  hasSameWords(one.stems, other.stems) &&
  [...one.numbers].sort().join() === [...other.numbers].sort().join() &&
  !isOpposite(one.text, other.text);

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

/** Whether one of the others says the same. */
export function isRepeated(text: string, others: readonly string[]): boolean {
  const own = printed(text);
  return others.some((other) => saysSame(own, printed(other)));
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
      document,
      quote,
      sentences: context()(quote),
      title,
      published_at,
      beginning: text.slice(0, MAX_BEGINNING),
      ...definedFields({ language: language() }),
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
