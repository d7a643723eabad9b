/** Writes the answers to the requests of a prompt: quotes, lists, comparisons and summaries. */

import {
  blockReader,
  distinctUnits,
  isCode,
  isPicture,
  isSmallPicture,
  isTable,
  MAX_LISTED,
  type Passage,
  pictureText,
  plainText,
  type QuoteUnit,
  rangeText,
  readUnits,
  titleOfFile,
  wholePictures,
  withNeighbours,
} from '../../retrieval/passages.ts';
import { type Citations, titleOf, writeQuotes } from '../../retrieval/quotes.ts';
import { fold, PAY_BY_TIME, STOP_WORDS, wordsOf } from '../../retrieval/words.ts';
import { statementLabels, statementRows } from './business-figures.ts';
import { type FindLabelled, labelledUnits } from './labelled-answers.ts';
import {
  type AnswerKind,
  askedNounTerms,
  asksForWholeText,
  attributeTerms,
  authorTest,
  couldAnswer,
  isAboutDefinitions,
  isAboutPictures,
  onlyKinds,
  type PromptRequest,
  partsOf,
  type QuestionPart,
  saysDay,
  topicOf,
  unitsOfKind,
} from './prompt.ts';
import { countTest, coverQuestion, inOrder, rank, type SearchedPassages, type SearchTerms } from './ranking.ts';
import { describeDocument, outlineOf, shareSentences, summarise } from './summary.ts';
import { findAll, termsIn, termsOf } from './terms.ts';

/** The input for all answers of one prompt. `room` is their maximum length in characters. */
export type AnswerContext = SearchedPassages & { citations: Citations; room: number; find: FindLabelled | undefined };

/** The approximate length of a line in the list of sources. */
const SOURCE_LINE_LENGTH = 60;
const EXACT = 1.3;
const ASIDE = 0.15;

const sourcesOf = ({ passages }: AnswerContext): string[] => [...new Set(passages.map(({ source }) => source))];

/** Returns the first units that fit, including their lines in the list of sources. */
function fitting(units: QuoteUnit[], room: number): QuoteUnit[] {
  let left = room;
  return units.filter((unit) => {
    left -= 1.1 * (rangeText(withNeighbours(unit)).length + unit.lead.length) + SOURCE_LINE_LENGTH;
    return left > 0;
  });
}

function searchTermsOf(
  { text, aside, hint }: Omit<PromptRequest, 'kind' | 'sides'>,
  { lexicon }: AnswerContext,
): SearchTerms {
  const weights = new Map<number, number>();
  const add = (words: string, weight: number) => {
    for (const { word, exact } of termsOf(words)) {
      const term = lexicon.terms.findIndex((other) => other.word === word);
      if (term !== -1 && !weights.has(term)) weights.set(term, exact ? weight * EXACT : weight);
    }
  };
  add(text, 1);
  add(aside, ASIDE);
  return { weights, kind: hint, counts: countTest(text) };
}

/** `sure` is false if the units only touch on the question, and `near` if they hardly do. */
type PickedUnits = { units: QuoteUnit[]; sure: boolean; near: boolean };

const MAX_QUOTES = 5;
const MAX_QUOTED = 7;
const MAX_ROWS = 3;
/** The share of the best score that other units need. It rises with the coverage of the best unit. */
const NEAR_BEST = 0.25;
const NEARER = 0.3;
const SURE = 0.42;
const NEAR = 0.22;
const TOUCHES = 0.08;

/** Picks the units for one answer: a few of the best, or all items of a list. */
function pickUnits({ terms, kind }: Search, context: AnswerContext): PickedUnits {
  const { passages, language } = context;
  const { counts } = terms;
  const ranked = rank({ ...context, terms });
  const [best] = ranked;
  if (!best || best.coverage < TOUCHES) return { units: [], sure: false, near: false };
  const most = Math.max(...ranked.slice(0, 3).map(({ coverage }) => coverage));
  const [sure, near] = [most >= SURE, most >= NEAR];
  const floor = best.score * (NEAR_BEST + (sure ? NEARER * best.coverage : 0));
  // A count is quoted without what only stands near it.
  const isFit = (unit: QuoteUnit) => !counts?.(best.unit) || counts(unit);
  const good = ranked.flatMap(({ unit, score }) => (score >= floor && isFit(unit) ? [unit] : []));
  const blocks = blockReader(passages, language);
  if (kind !== 'list') {
    const units = distinctUnits(firstQuotes(distinctUnits(good)).flatMap(blocks.whole));
    // Many rows that touch on a question about a table are no answer to it.
    const isUnclear = units.length > MAX_ROWS && passages.every(isTable) && areRows(units);
    return { units, sure: sure && !isUnclear, near };
  }
  const listed = [...blocks.siblings(best.unit), ...good.slice(0, MAX_LISTED).flatMap(blocks.whole)];
  return { units: distinctUnits(listed).slice(0, MAX_LISTED).sort(inOrder), sure, near };
}

/** The first quotes: rows of one table are quoted together, so they count as one. */
function firstQuotes(units: QuoteUnit[]): QuoteUnit[] {
  const sizes = new Map<string, number>();
  return units
    .filter(({ passage, block: { kind, group, start }, nth }) => {
      const quote = kind === 'row' ? `${passage} ${group}` : `${passage} ${start} ${nth}`;
      const size = sizes.get(quote) ?? 0;
      if (size === MAX_QUOTES || (size === 0 && sizes.size === MAX_QUOTES)) return false;
      return sizes.set(quote, size + 1);
    })
    .slice(0, MAX_QUOTED);
}

const areRows = (units: readonly QuoteUnit[]): boolean => units.every(({ block }) => block.kind === 'row');
const NOTHING_FOUND = 'The attached documents do not seem to say anything about this.';
/** The maximum length of what is quoted beside the answer that there is none, if it hardly touches the question. */
const MAX_NEAREST = 800;
/** The same if nothing in them is of the kind that is asked for. */
const MAX_BESIDE = 350;
const NO_CLEAR_ANSWER = 'No passage answers this clearly. The nearest ones are:';

/** A small picture is shown all the same: a notice says little, and seldom in the words of the question. */
function nothingFound({ passages, language, citations }: AnswerContext): string {
  const units = passages.every(isSmallPicture) ? passages.flatMap((_, at) => pictureText(at, passages, language)) : [];
  return withoutClearAnswer(writeQuotes(units, citations));
}

const MAX_DUE = 3;

/** The lines about a payment, if they are of one: which of many is asked for, only the ranking tells. */
function onlyDue({ passages, language }: AnswerContext): QuoteUnit[] {
  const due = unitsOfKind('due', passages, language);
  const sources = new Set(due.map(({ passage }) => passages[passage]?.source));
  return due.length > MAX_DUE || sources.size > 1 ? [] : due;
}

type Search = { terms: SearchTerms; question: string; kind: 'answer' | 'list' };

function writeMatches(search: Search, context: AnswerContext, maxLength: number): string {
  const { terms, question, kind } = search;
  if (kind === 'list') return writeFound(search, [], context, maxLength);
  const labelled = writeLabelled({ text: question, hint: terms.kind }, context, maxLength);
  if (labelled !== undefined) return labelled;
  const parts = partsOf(question);
  const due = terms.kind === 'due' && parts.length === 0 ? onlyDue(context) : [];
  const saysAuthor = authorTest(question);
  const lines = saysAuthor ? openingLines(context, saysAuthor) : due;
  if (lines.length > 0) return writeQuotes(fitting(lines, maxLength), context.citations);
  return writeFound(search, parts, context, maxLength);
}

function writeFound(
  { terms, question, kind }: Search,
  parts: QuestionPart[],
  context: AnswerContext,
  maxLength: number,
): string {
  const rows = statementRows(statementLabels(question), context);
  const { units, sure, near } = pickUnits({ terms, question, kind }, context);
  if (units.length + rows.length === 0) return nothingFound(context);
  const lacks = rows.length === 0 && lacksAttribute({ text: question, hint: terms.kind }, units, context);
  if (lacks && areRows(units) && !isLookUp(question)) return NOTHING_FOUND;
  const missing = parts.flatMap((part) => unitsOfPart(part, units, context));
  const opening = kind === 'answer' ? openingUnits([terms.kind, ...parts.map(({ hint }) => hint)], units, context) : [];
  const picked = withOpening(opening, [...rows, ...units, ...missing], terms.kind);
  const all = wholePictures(picked, context.passages, context.language).map(headingTest(question, terms.kind));
  const asked = { text: question, hint: terms.kind };
  const isUnnamed = lacksPerson(asked, all, context) || lacksNoun(question, context);
  const isLacking = isUnnamed || (lacks && mustBeNamed(terms.kind, units));
  const isAnswerable = !isLacking && canAnswer(parts, evidenceOf(terms.kind, picked, all), terms.kind);
  const most = isAnswerable ? lengthOf(near || kind === 'list', maxLength) : MAX_BESIDE;
  const quotes = writeQuotes(fitting(distinctUnits(all), most), context.citations);
  const isSure = (sure || isEachCovered(parts, context)) && coverQuestion(question, all, { ...context, terms, kind });
  if (quotes === '' || !isSure || !isAnswerable) return withoutClearAnswer(quotes);
  const open = parts.filter((part) => !canAnswer([part], all) || coverageOf(part, context) < NEAR);
  return [quotes, ...open.map(({ text }) => `No passage answers this clearly: ${titleOf(text)}`)].join('\n\n');
}

const withoutClearAnswer = (quotes: string): string =>
  quotes === '' ? NOTHING_FOUND : `${NO_CLEAR_ANSWER}\n\n${quotes}`;

const ASKS_VERSION = /(?<!\p{L})(?:which|what|welche[rsmn]?|quelle|qu[ée]) (?:version|release|versión)(?!\p{L})/iu;
const VERSION = /(?<![\d.])\d+\.\d+/;

/** Adds the heading to what stands below it, if it has the number or the day that the question asks for: "which version was ...". */
function headingTest(question: string, kind: AnswerKind | undefined) {
  const patterns = askedNounTerms(question).map((noun) => new RegExp(`(?<!\\p{L})${noun}\\p{L}*\\W{1,3}\\d`, 'iu'));
  if (ASKS_VERSION.test(question)) patterns.push(VERSION);
  const isAsked = (text: string) =>
    patterns.some((pattern) => pattern.test(text)) || (kind === 'date' && saysDay(text));
  return (unit: QuoteUnit): QuoteUnit => {
    const under = plainText(unit.block.heading?.text ?? '');
    const isBelow = unit.block.kind !== 'row' && unit.block.kind !== 'heading' && isAsked(under);
    return isBelow && !isAsked(`${unit.lead} ${unit.text}`) ? { ...unit, under } : unit;
  };
}

/** Some line of a whole picture has a number, which is not the amount that is asked for. */
const evidenceOf = (kind: AnswerKind | undefined, picked: QuoteUnit[], all: QuoteUnit[]): QuoteUnit[] =>
  kind === 'amount' ? picked : all;

/** Whether the question, or one of its parts, has a unit of its kind. */
const canAnswer = (parts: QuestionPart[], units: QuoteUnit[], kind?: AnswerKind): boolean =>
  (parts.length > 0 ? parts : [{ hint: kind }]).some(({ hint }) => units.some((unit) => couldAnswer(hint, unit)));

/** The labelled values that a question asks for, and beside them the answer to its other parts. Undefined if it asks for none. */
function writeLabelled(question: QuestionPart, context: AnswerContext, maxLength: number): string | undefined {
  const parts = partsOf(question.text);
  const answers = (parts.length > 0 ? parts : [question]).map((part) => ({
    part,
    units: labelledUnits(part, context.passages, context),
  }));
  const units = answers.flatMap((answer) => answer.units);
  if (units.length === 0) return undefined;
  const quotes = writeQuotes(fitting(distinctUnits(units), maxLength), context.citations);
  const open = answers.flatMap(({ part, units: own }) => (own.length === 0 ? [part] : []));
  const room = maxLength - quotes.length;
  const rest = open.map((part) =>
    writeMatches(
      { terms: searchTermsOf({ ...part, aside: '' }, context), question: part.text, kind: 'answer' },
      context,
      room / open.length,
    ),
  );
  return [quotes, ...rest].join('\n\n');
}

/** Whether a labelled value answers a question that could also ask for a figure of a table. */
export const asksForLabelled = (request: PromptRequest, passages: Passage[], find: FindLabelled | undefined): boolean =>
  request.kind === 'answer' &&
  [request, ...partsOf(request.text)].some(
    (part) => labelledUnits(part, passages, { language: 'en', find }).length > 0,
  );

const isEachCovered = (parts: QuestionPart[], context: AnswerContext): boolean =>
  parts.length > 1 && parts.every((part) => coverageOf(part, context) >= SURE);

/** How well the best passages answer a part of a question by themselves. */
function coverageOf(part: QuestionPart, context: AnswerContext): number {
  const terms = searchTermsOf({ ...part, aside: '' }, context);
  if (terms.weights.size === 0) return 1;
  const best = rank({ ...context, terms }).slice(0, 3);
  return Math.max(0, ...best.map(({ coverage }) => coverage));
}

const lengthOf = (isNear: boolean, maxLength: number): number => (isNear ? maxLength : MAX_NEAREST);

/** A number or an identifier names the row, whatever its column is called, in whichever language. */
const isLookUp = (question: string): boolean => termsOf(question).some(({ exact }) => exact);

/** Whether nothing in the documents is called what the question asks about something, as the director of a company. */
function lacksAttribute(
  { text: question, hint }: QuestionPart,
  units: QuoteUnit[],
  { lexicon, sieved, passages }: AnswerContext,
): boolean {
  const isRow = isLookUp(question);
  const asked = termsIn(lexicon, attributeTerms(question, isRow));
  if (asked.length === 0 || (isRow && !areRows(units))) return false;
  // A person is named in a text, not by the title of its file.
  const titles = hint === 'person' ? [] : passages.map(({ source, place }) => `${titleOfFile(source)} ${place}`);
  const names = [...titles, ...units.map(({ lead }) => lead)];
  const named = [...new Set(names)].map((name) => findAll(name, lexicon).found);
  const isAbsent = (term: number) => ![...sieved.pages, ...named].some((found) => found.has(term));
  if (hint === 'person' || isRow) return asked.some(isAbsent);
  return asked.every(isAbsent) || (PAY_BY_TIME.test(question) && asked.slice(-1).some(isAbsent));
}

/** The least weight of a word for the same role. */
const ROLE = 0.7;
const CAPITALISED = /(?<!^\s*|[.!?:] )\p{Lu}[\p{L}'’-]+/gu;

/** Whether nothing names somebody beside the word for who is asked for, as the director of a company. */
function lacksPerson({ text: question, hint }: QuestionPart, units: QuoteUnit[], { lexicon }: AnswerContext): boolean {
  const asked = termsIn(lexicon, attributeTerms(question, false)).at(-1);
  const known = new Set(wordsOf(question));
  const names = (text: string) => (text.match(CAPITALISED) ?? []).some((word) => !known.has(fold(word)));
  const isNamed = ({ block, lead, text }: QuoteUnit) => {
    // A row has its column.
    if (block.kind === 'row') return true;
    const { found } = findAll(`${block.heading?.text ?? ''} ${lead} ${text}`, lexicon);
    return (found.get(asked ?? -1)?.weight ?? 0) >= ROLE && names(`${lead} ${text}`);
  };
  return hint === 'person' && asked !== undefined && !units.some(isNamed);
}

const mustBeNamed = (kind: AnswerKind | undefined, units: readonly QuoteUnit[]): boolean =>
  kind === 'person' || areRows(units);

/** Whether no document has the noun of "what salary does he get". */
function lacksNoun(question: string, { lexicon, sieved }: AnswerContext): boolean {
  const asked = termsIn(lexicon, askedNounTerms(question));
  return asked.length > 0 && asked.every((term) => !sieved.pages.some((found) => found.has(term)));
}

/** The best passage for a part of a question, unless it is among the picked ones. */
function unitsOfPart(part: QuestionPart, picked: QuoteUnit[], context: AnswerContext): QuoteUnit[] {
  const terms = searchTermsOf({ ...part, aside: '' }, context);
  if (terms.weights.size === 0) return [];
  const [best] = rank({ ...context, terms });
  const { unit, coverage = 0 } = best ?? {};
  return !unit || coverage < SURE || picked.some(({ text }) => text === unit.text) ? [] : [unit];
}

const OPENING = 12;
const MAX_OPENING = 2;

/** When and where a document is about, and who wrote it, often stands above its first sentence, without a word of the question. */
function openingLines({ passages, language }: AnswerContext, says: (text: string) => boolean): QuoteUnit[] {
  return passages.flatMap(({ source }, at) => {
    if (passages[at - 1]?.source === source) return [];
    const opening = readUnits(at, passages, language).slice(0, OPENING);
    return opening.filter(({ lead, text }) => says(`${lead} ${text}`)).slice(0, MAX_OPENING);
  });
}

function openingUnits(kinds: (AnswerKind | undefined)[], picked: QuoteUnit[], context: AnswerContext): QuoteUnit[] {
  const isDated = !kinds.includes('date') || picked.some(({ text, lead }) => saysDay(`${lead} ${text}`));
  return isDated ? [] : openingLines(context, saysDay);
}

/** It comes first where the date is all that is asked for. */
const withOpening = (opening: QuoteUnit[], found: QuoteUnit[], kind: AnswerKind | undefined): QuoteUnit[] =>
  kind === 'date' ? [...opening, ...found] : [...found, ...opening];

function writeKind(kind: AnswerKind, context: AnswerContext, maxLength: number): string {
  const units = unitsOfKind(kind, context.passages, context.language);
  return units.length === 0 ? NOTHING_FOUND : writeQuotes(fitting(units, maxLength), context.citations);
}

const MAX_SIDES = 6;

/**
 * Compares by quoting each side separately: from the document with that name, or from any document that mentions it.
 */
function writeComparison(request: PromptRequest, context: AnswerContext, maxLength: number): string {
  const sides = request.sides.length > 0 ? request.sides : sourcesOf(context).slice(0, MAX_SIDES);
  if (sides.length < 2)
    return writeMatches(
      { terms: searchTermsOf(request, context), question: request.text, kind: 'list' },
      context,
      maxLength,
    );
  const share = Math.floor(maxLength / sides.length);
  return sides.map((side) => `### ${titleOf(side)}\n\n${writeSide(side, sides, request, context, share)}`).join('\n\n');
}

function writeSide(
  side: string,
  sides: string[],
  request: PromptRequest,
  context: AnswerContext,
  maxLength: number,
): string {
  const terms = searchTermsOf({ ...request, text: topicOf(request.text) }, context);
  const own = wordsIn(side);
  const others = sides.filter((other) => other !== side).flatMap((other) => [...wordsIn(other)]);
  context.lexicon.terms.forEach(({ word }, term) => {
    if (others.includes(word) && !own.has(word)) terms.weights.delete(term);
  });
  const source = sourcesOf(context).find((name) => name === side || isNamed(name, own));
  const within = source === undefined ? context : onlyFrom(source, context);
  return writeMatches({ terms, question: request.text, kind: 'answer' }, within, maxLength);
}

const wordsIn = (side: string): Set<string> => new Set(termsOf(side).map(({ word }) => word));

const isNamed = (source: string, side: Set<string>): boolean => {
  const name = wordsIn(titleOfFile(source));
  return side.size > 0 && [...side].every((word) => name.has(word));
};

const onlyFrom = (source: string, context: AnswerContext): AnswerContext => ({
  ...context,
  sieved: {
    ...context.sieved,
    hits: context.sieved.hits.filter(({ passage }) => context.passages[passage]?.source === source),
  },
});

/** Words for any document, which name none. */
const ANY_DOCUMENT =
  /^(?:documents?|files?|texts?|pages?|attachments?|dokumente?|dateien|fichiers?|documentos?|archivos?)$/u;

/** The documents that the request names by a word of their title or file, as in "summarise the minutes", or all. */
function summarised({ text }: PromptRequest, context: AnswerContext): string[] {
  const sources = sourcesOf(context);
  const said = new Set(wordsOf(text).filter((word) => !STOP_WORDS.has(word) && !ANY_DOCUMENT.test(word)));
  const named = sources.filter((source) => {
    const { title } = outlineOf(passagesOf(source, context), context.passages, context.language);
    return wordsOf(`${title} ${titleOfFile(source)}`).some((word) => said.has(word));
  });
  return named.length > 0 ? named : sources;
}

const passagesOf = (name: string, { passages }: AnswerContext): number[] =>
  passages.flatMap(({ source }, at) => (source === name ? [at] : []));

/** Summarizes document by document, in the words and the order of each. */
function writeSummary(request: PromptRequest, context: AnswerContext, maxLength: number): string {
  const sources = summarised(request, context);
  const { isAsked, counts } = shareSentences(`${request.text} ${request.aside}`, sources.length);
  const focus = new Set(termsOf(request.text).map(({ word }) => word));
  const parts = sources.map((source, at) => {
    const { [at]: each = 1 } = counts;
    const passages = passagesOf(source, context);
    const description = each > 1 ? describeDocument(source, passages, context) : '';
    // The description is one of the sentences.
    const count = isAsked && description !== '' ? each - 1 : each;
    const units = summarise(passages, context.passages, { count, focus, language: context.language });
    const quotes =
      writeQuotes(fitting(units, maxLength / sources.length), context.citations, isAsked) ||
      'Nothing in it can be quoted.';
    const whole = [description, quotes].filter(Boolean).join('\n\n');
    return sources.length === 1 ? whole : `### ${titleOf(source)}\n\n${whole}`;
  });
  return parts.join('\n\n');
}

/** Quotes all text of the pictures, as one whole each: the lines of a sign are not answers of their own. */
function writePictures({ passages, language, citations }: AnswerContext, maxLength: number): string {
  const units = passages.flatMap((passage, at) => (isPicture(passage) ? pictureText(at, passages, language) : []));
  return writeQuotes(fitting(units, maxLength), citations);
}

const DEFINITION =
  /^\s*(?:export\s+)?(?:default\s+)?(?:public\s+|static\s+|async\s+)*(?:def|function|class|interface|fn|func)\s+\w/mu;

/** Quotes the blocks of source code that begin a function or a class. */
function writeDefinitions({ passages, language, citations }: AnswerContext, maxLength: number): string {
  const units = passages.flatMap(({ source }, at) =>
    isCode(source) ? readUnits(at, passages, language).filter(({ text }) => DEFINITION.test(text)) : [],
  );
  return writeQuotes(fitting(units, maxLength), citations);
}

/** The maximum length of a heading with its markup. */
const HEADING = 110;

/** Writes the answers to all requests of a prompt, each under a heading if there are several. */
export function writeAnswers(requests: PromptRequest[], context: AnswerContext): string {
  const [only] = requests;
  if (!only) return NOTHING_FOUND;
  if (requests.length === 1) return writeAnswer(only, context, context.room);
  const share = Math.floor(context.room / requests.length) - HEADING;
  return requests
    .map((request) => `## ${titleOf(request.text)}\n\n${writeAnswer(request, context, share)}`)
    .join('\n\n');
}

function writeAnswer(request: PromptRequest, context: AnswerContext, maxLength: number): string {
  if (request.kind === 'summarise') return writeSummary(request, context, maxLength);
  if (request.kind === 'compare') return writeComparison(request, context, maxLength);
  const { kind, hint, text } = request;
  if (isAboutDefinitions(text)) {
    const quoted = writeDefinitions(context, maxLength);
    if (quoted !== '') return quoted;
  }
  if (isAboutPictures(text) || (asksForWholeText(text) && context.passages.every(isPicture))) {
    const quoted = writePictures(context, maxLength);
    if (quoted !== '') return quoted;
  }
  const kinds = kind === 'list' && onlyKinds(termsOf(text).map(({ word }) => word));
  return hint && kinds
    ? writeKind(hint, context, maxLength)
    : writeMatches({ terms: searchTermsOf(request, context), question: text, kind }, context, maxLength);
}
