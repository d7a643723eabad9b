/** What a question calls the rows, and the few that it names by a value: where no figure of them was understood, they are shown. */

import { ASKING, asTyped, fold, OpenText, PAY, PAY_BY_TIME, stem, wordsOf } from '../../../retrieval/words.ts';
import { areSynonyms } from '../synonyms.ts';
import { leftOut, WHEN, WHICH, WHO } from './asked-subject.ts';
import { askedTables, type DescribedTable, type Planner } from './asked-tables.ts';
import { dayFilters, LIMITS_TIME } from './column-conditions.ts';
import { type AskedTable, type Column, type Filter, type Plan, toQuery } from './figure-statement.ts';
import {
  ANY_ROWS,
  type FigureRequest,
  NEUTRAL,
  PEOPLE,
  ROW_NOUNS,
  readFigureRequests,
  wordsAboutFigures,
} from './figure-words.ts';
import {
  type ColumnValue,
  columnInUnit,
  contentWords,
  headingWords,
  isAlike,
  isCounter,
  namesColumn,
  OF_PERSON,
  ownValues,
  type Planning,
  spaced,
  valueFilters,
} from './match-columns.ts';
import { dimensionOf, timeOf, UNITS } from './measured-column.ts';
import { isRanked } from './row-conditions.ts';
import { countryFilters, numberFilter, spellOut } from './short-names.ts';

/** The rows that are named may be those that are not meant. */
export const DENIES =
  /(?<!\p{L})(?:not|no|none|never|without|except|excluding|other|nicht|kein\p{L}*|ohne|au(?:ß|ss)er|pas|jamais|sans|sauf|autres?|nunca|sin|excepto|otr[oa]s?)(?!\p{L})/u;

const MAX_ROWS = 3;
const OF_ROWS: ReadonlySet<string> = new Set(['count', 'sum', 'list', 'compare', 'difference']);
const NOT_COMPARED = 'I cannot calculate what is asked; these are the rows that it names.';

export const planRows: Planner = (question, tables, values) => {
  const [request] = readFigureRequests(question);
  if (!request || !OF_ROWS.has(request.kind) || request.thresholds.length > 0) return undefined;
  const plan = bestRows({ question, request }, tables, values);
  if (request.periods.length > 0 && !plan?.table.isSideBySide) return undefined;
  const hasFigure = plan?.wholeRows.askedColumns.some(({ type }) => type === 'number');
  const isOpen = /^(?:compare|difference)$/.test(request.kind) || (request.kind === 'sum' && !hasFigure);
  const notes = isOpen ? [NOT_COMPARED] : [];
  // A row without anything that the question calls by name does not answer it, but may be the one to look at.
  const isNear = plan !== undefined && !plan.isNamed;
  if (!plan || (isNear && (tables.length > 1 || !isWhole(question, plan)))) return undefined;
  const wholeRows = { ...plan.wholeRows, askedColumns: [] };
  return toQuery({ ...plan, notes, wholeRows, ...(isNear && { besideRefusal: 'rows' }) });
};

/** Whether the question has each word of the values that it names: "Hotel Maritimo" is not Hotel Miramar. */
function isWhole(question: string, { sides, limits }: Plan): boolean {
  const said = wordsOf(question);
  return [...sides, ...limits].every(({ value = '' }) => wordsOf(value).every((word) => said.includes(word)));
}

/** The rows that a question which asks for no figure names, beside what it asks of them. */
export const planLookup: Planner = (question, tables, values) => {
  const [request] = readFigureRequests(question);
  if (!request || request.thresholds.length > 0) return undefined;
  const plan = bestRows({ question, request }, tables, values);
  if (!plan?.isNamed) return undefined;
  const unsaid = unsaidOf(question, plan);
  const askedColumns = unsaid.length === 0 ? plan.wholeRows.askedColumns : [];
  return toQuery({ ...plan, unsaid, wholeRows: { ...plan.wholeRows, askedColumns } });
};

type RowsQuestion = { question: string; request: FigureRequest };

/** `isNamed`: the table has a word of what is asked, or nothing more is asked. `isOfColumn`: one of its headings has. */
type RowsPlan = Plan & Required<Pick<Plan, 'wholeRows'>> & { isNamed: boolean; isOfColumn: boolean };

function bestRows(
  asked: RowsQuestion,
  tables: readonly DescribedTable[],
  values: readonly ColumnValue[],
): RowsPlan | undefined {
  if (LIMITS_TIME.test(asked.request.rest)) return undefined;
  const plans = askedTables(asked.question, tables, values).single.flatMap(
    (table) => rowsPlan(table, asked, values) ?? [],
  );
  const [best, next] = plans.sort((a, b) => b.score - a.score || a.unsaid.length - b.unsaid.length);
  const isOne = next?.score !== best?.score || next?.unsaid.length !== best?.unsaid.length;
  return best && isOne ? { ...best, unsaid: asTyped(best.unsaid, asked.question) } : undefined;
}

const ASKED_NOUN =
  /(?<!\p{L})(?:which|what|welche[rsmn]?|quel(?:le)?s?|cual(?:es)?|que)(?:['’]s| (?:is|are|was|were|ist|sind|war|est|sont|es|son|the|die|der|das|le|la|les|el|los))* (\p{L}+)(?: (\p{L}+))?/gu;

/** Words beside a column that is asked for say how the row came about: "which language do they speak there", "when was it put forward". */
function unsaidOf(question: string, { unsaid, table, read, isOfColumn }: RowsPlan): readonly string[] {
  const isColumn = (word = '') =>
    table.columns.some((column) => namesColumn(column, [stem(word)]) > 0) ||
    read.some(({ said }) => wordsOf(said).includes(word));
  const nouns = [...fold(question.normalize('NFC')).matchAll(ASKED_NOUN)];
  const areColumns = nouns.every(([, noun, next]) => isColumn(noun) || isColumn(next));
  const isAnswered = nouns.length > 0 ? areColumns : isOfColumn;
  return isAnswered ? [] : unsaid;
}

/** "Patient no. 23" names a row by the number in its first column, whatever the rows are called. */
const NUMBERED = /(?<!\p{L})(?:\p{L}+ )?(?:no|nr|number|nummer|numero|num|n)[.°º]? ?(\d+)(?![\d.,]\d|\d)/u;
function numberedRow(open: OpenText, { columns: [key] }: AskedTable): Filter[] {
  const found = key?.type === 'number' && isCounter(key) ? open.take(NUMBERED) : undefined;
  const [, value = ''] = found ?? [];
  if (!key || !found) return [];
  return [numberFilter(key, value)];
}

const WHO_IS =
  /^\W*(?:who|wer|qui|quien) (?:is|was|ist|war|est|etait|es|era) (?:the|der|die|das|le|la|l['’]|el) ?\p{L}/u;

function rowsPlan(
  table: AskedTable,
  { question, request }: RowsQuestion,
  values: readonly ColumnValue[],
): RowsPlan | undefined {
  const { text, read } = spellOut(request.rest, table.columns, ownValues(table, values), question);
  const open = new OpenText(text);
  const days = dayFilters({ table, request, open, notes: [], values, others: [] });
  const countries = request.isNamed ? [] : countryFilters({ open, table, values });
  const held = valueFilters({ open, table, values, isOfAny: true });
  const named = held && [...countries, ...numberedRow(open, table), ...held];
  if (!days || !named || named.length === 0 || named.some(({ value }) => value === undefined) || DENIES.test(open.text))
    return undefined;
  // `EWR` is meant in capitals, where `sea` is a word.
  const exact = named.filter((filter) => !held.includes(filter) || question.includes(filter.value ?? ''));
  const meant = exact.length > 0 ? exact : named;
  const sides = meant.filter((filter) => !filter.isOfAny);
  const limits = meant.filter((filter) => filter.isOfAny);
  const parts = [table.name, ...table.columns.map(({ heading }) => heading)].flatMap(headingWords);
  // "Who is the driver" asks for one; "which driver" may be what a row is.
  const isOfPerson =
    WHO_IS.test(fold(question)) && !table.columns.some(({ heading }) => OF_PERSON.test(spaced(heading)));
  const said = [...new Set(wordsOf(open.text))].filter((word) =>
    contentWords(word).some(
      (one) =>
        !ASKING.has(one) &&
        !NEUTRAL.has(one) &&
        !ROW_NOUNS.has(one) &&
        (request.isNamed || isOfPerson || !PEOPLE.has(one)),
    ),
  );
  // `vehicles.csv` does not name a driver, though the words are related.
  const names = new Set(isOfPerson ? headingWords(table.name) : []);
  const isOneOf = (word: string, all: readonly string[]) =>
    all.some((part) => isAlike(word, part) || (!names.has(part) && areSynonyms(word, part)));
  const words = said.map(stem);
  const free = table.columns.filter((column) => !meant.some((filter) => filter.column === column));
  const lacksPay = PAY_BY_TIME.test(question) && !parts.some((part) => PAY.has(part));
  const unsaid = said.filter((word) => !isOneOf(stem(word), parts) && !UNITS.has(stem(word)));
  return {
    kind: 'list',
    table,
    measures: [],
    group: undefined,
    of: undefined,
    sides,
    days,
    limits,
    rank: 1,
    limit: undefined,
    wholeRows: {
      maxRows: MAX_ROWS,
      askedColumns: free.filter((column) => namesColumn(column, words) > 0),
    },
    score: meant.reduce((sum, { value = '' }) => sum + value.length, 0),
    read,
    notes: [],
    unsaid,
    isOfColumn: words.some((word) =>
      isOneOf(
        word,
        free.flatMap(({ heading }) => headingWords(heading)),
      ),
    ),
    isNamed: !lacksPay && (said.some((word) => isOneOf(stem(word), parts)) || (said.length === 0 && !request.isNamed)),
  };
}

const OF_PEOPLE =
  /^(?:person|personne|persona|first|last|surname|vorname|nachname|familienname|pr[ée]nom|apellidos?|sex|gender|age|geschlecht|alter|sexe|genre|[âa]ge|sexo|g[ée]nero|edad|(?:last |first |full )name|employee|staff|mitarbeiter(?:in)?|department|abteilung|salary|gehalt)$/iu;

/**
 * What a question calls the rows: "which cereal" in a table whose column of names has no heading, "patients" in one with
 * a column of their age or sex, "matches" where no column is called so.
 */
export function nameOfRows({ open, table: { columns, name }, others }: Planning): string[] {
  const [key] = columns;
  const isUnnamed = columns.filter(({ heading, type }) => heading === '' && type === 'text').length === 1;
  const isOfPeople = columns.some(({ heading }) => OF_PEOPLE.test(spaced(heading).trim()));
  const words = contentWords(open.text);
  const isNamedOfPeople = headingWords(name).some((word) => PEOPLE.has(word));
  return [
    ...(key?.isKey ? headingWords(key.heading) : []),
    ...(isUnnamed ? contentWords(WHICH.exec(open.text)?.[1] ?? '') : []),
    ...(isOfPeople || isNamedOfPeople ? words.filter((word) => PEOPLE.has(word) && !others.includes(word)) : []),
    ...words.filter((word) => ROW_NOUNS.has(word) && (others.length === 0 || ANY_ROWS.has(word))),
  ];
}

/** "Has A given more than B?" asks for what was given, "How old are they?" for an age: neither is a number of rows, nor any other figure. */
const MORE_THAN = /¤\s*(?:than|als|que|di)(?!\p{L})/u;
const ASKS_WHO_IS =
  /(?<!\p{L})(?:who|wer|qui|quien(?:es)?) (?:is|are|was|were|ist|sind|war|waren|est|sont|etait|es|son|fue)(?!\p{L})/u;
const HOW_OLD = /(?<!\p{L})(?:how old|wie alt|quel age|que edad)(?!\p{L})/u;

/** Whether the figure is of what the question asks for, where its words alone do not tell. */
export function isAboutRows({ open, request: { rest }, table }: Planning, plan: Plan): boolean {
  const { kind, measures, group } = plan;
  if (kind === 'compare' && measures.length === 0 && MORE_THAN.test(rest)) return false;
  // "Who called in sick for a shift?" asks for no shift; "Who is the owner?" does ask for the owner.
  const isNamed = measures.some((column) => namesColumn(column, contentWords(rest)) > 0);
  if (kind === 'list' && isNamed && WHO.test(rest) && !ASKS_WHO_IS.test(rest)) return false;
  const isOfAge = measures.some(({ heading }) => dimensionOf('oldest')?.test(spaced(heading)));
  if (open.take(HOW_OLD) && !isOfAge) return false;
  // Of a table that is joined, each row may stand for one of several: "which member has the most fines?"
  return !(isRanked(plan) && table.tables.length > 1 && !table.isSideBySide && !group);
}

const MAX_UNSAID = 2;
/**
 * The words that the table does not have, if the columns of the figure are named all the same; the answer says which they
 * are. Undefined if they may be a condition.
 */
export function harmlessWords(planning: Planning, plan: Plan, left: readonly string[]): string[] | undefined {
  const { open, table, request, isLoose } = planning;
  const { measures, kind } = plan;
  if (isLoose) return leftOut(planning, plan, left);
  const verb = activeVerb(planning, plan, left) ?? countedOfGroups(planning, plan, left);
  if (verb) return [verb];
  if (kind === 'list') return listedNoun(open, plan, left);
  const words = contentWords(request.rest);
  const isOfDimension = measures.some(({ heading }) => dimensionOf(request.asked)?.test(spaced(heading)));
  const isImplied = isRanked(plan) && (isOfDimension || timeOf(request.asked, measures) !== undefined);
  const isNamed = (column: Column) => namesColumn(column, words) > 0 || columnInUnit([column], request.rest);
  const areNamed = isImplied || kind === 'share' || (measures.length > 0 && measures.every(isNamed));
  if (!areNamed || kind === 'count' || left.length > MAX_UNSAID) return undefined;
  const units = wordsOf(open.text).filter((word) => UNITS.has(stem(word)));
  const harmless = [...wordsAboutFigures(open, request), ...units, ...wordsOfRanked(open, plan, isOfDimension)];
  const unsaid = harmless.filter((word, at) => left.includes(stem(word)) && harmless.indexOf(word) === at);
  const isNamedOf = (word: string) => headingWords(table.name).includes(stem(word));
  return left.every((word) => unsaid.some((one) => stem(one) === word)) && !unsaid.some(isNamedOf) ? unsaid : undefined;
}

/** What a question calls the rows that it counts for each group: "how many singers per section". */
function countedOfGroups({ open, table }: Planning, { kind, group }: Plan, [only, another]: readonly string[]) {
  const [, noun = ''] = NOUN.exec(open.text) ?? [];
  const isCounted = kind === 'count' && group !== undefined && table.tables.length === 1 && !UNITS.has(stem(noun));
  return isCounted && !another && stem(noun) === only ? noun : undefined;
}

/** What a question calls the rows that it ranks: "which dish has the most protein". */
const RANKED_NOUN = /^\W*(?:which|welche[rsmn]?|quel(?:le)?s?|que|cual(?:es)?) (\p{L}+)/u;
/** What a superlative calls the rows: "the five busiest stations". */
const RANKED = /(?<=¤ *)\p{L}+|(?<=(?:the|les|los|las|die|den) (?:\p{L}+ )?)\p{L}+(?= *¤)/gu;
/** The rows are shown with all their cells. */
const WITH_THEIR = /(?<!\p{L})(?:with|avec|mit|con) (?:their|its|leurs?|ihre[mnr]?|sus?) ([^?.!,]*)/u;
function wordsOfRanked({ text }: OpenText, plan: Plan, isOfDimension: boolean): string[] {
  const asked = isRanked(plan) && !plan.group ? (RANKED_NOUN.exec(text)?.slice(1) ?? []) : [];
  if (!isOfDimension) return asked;
  return [...asked, ...[...text.matchAll(RANKED)].map(([word]) => word), ...wordsOf(WITH_THEIR.exec(text)?.[1] ?? '')];
}

/** What a list of limited rows calls them: "list every stop". */
function listedNoun({ text }: OpenText, { limits }: Plan, left: readonly string[]): string[] | undefined {
  const [, noun = ''] = NOUN.exec(text) ?? [];
  const isOnly = left.every((word) => word === stem(noun) || UNITS.has(word));
  return isOnly && noun !== '' && limits.length > 0 ? [noun] : undefined;
}
const NOUN = /^\W*¤ *(\p{L}+)/u;

const PASSIVE =
  /(?<!\p{L})(?:is|are|was|were|be|been|being|got|get|gets|not|ist|sind|wurden?|worden|est|sont|ete|es|son|fue|fueron|sido) *$/u;
const BEFORE_LIMIT = /^(?: (?:up|off|out|in|on|over|away|with|by|at|to|for|us|our|we|me))* *¤/u;
const BEFORE_COLUMN = /^(?: (?:the|der|die|das|dem|la|le|les|el|los|las))? *¤/u;
/**
 * An active verb before a period or a number of rows says how the rows came about, as in "who signed up in 2024", where the
 * table has one column of days, and "who filed more than three claims".
 */
function activeVerb(
  { open, request: { rest }, table }: Planning,
  { having, days, kind, measures }: Plan,
  [only, another]: readonly string[],
) {
  const dates = table.columns.filter(({ type }) => type === 'date');
  const isOfDay = kind === 'list' && WHEN.test(rest) && measures.length === 1 && measures[0]?.type === 'date';
  const isOfYears = days.length > 0 && days.every(({ column }) => column.type === 'number');
  if (another || !(having || (days.length > 0 && dates.length === 1) || isOfDay || isOfYears)) return undefined;
  const found = [...rest.matchAll(/\p{L}+/gu)].filter(([word]) => stem(word) === only);
  const [{ 0: word = '', index = 0 } = {}] = found;
  // The column of the years may stand between: "joined the EU in 2004".
  const behind = index + word.length;
  const isBefore =
    isOfDay || BEFORE_LIMIT.test(rest.slice(behind)) || (isOfYears && BEFORE_COLUMN.test(open.text.slice(behind)));
  return found.length === 1 && isBefore && !PASSIVE.test(rest.slice(0, index)) ? word : undefined;
}
