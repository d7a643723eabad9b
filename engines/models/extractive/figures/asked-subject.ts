/** Chooses what a figure is about: its kind, the columns that are measured, and the groups. */

import { FIGURE_STOP_WORDS, stem, WHOLE, wordsOf } from '../../../retrieval/words.ts';
import type { AskedTable, Column, FigureGroup, Filter, Plan } from './figure-statement.ts';
import { ANY_ROWS, asksForMany, NEUTRAL, ROW_NOUNS } from './figure-words.ts';
import {
  columnInUnit,
  contentWords,
  headingWords,
  isOfState,
  isRepeated,
  isUnique,
  namedColumn,
  namesColumn,
  namingColumn,
  numbersOf,
  OF_PERSON,
  type Planning,
  spaced,
  takeColumn,
  takeWord,
} from './match-columns.ts';
import {
  countedNumber,
  earnedColumn,
  isPriceOfOne,
  measuredOf,
  measureOf,
  quantityColumn,
  thingsColumn,
  twoNamed,
} from './measured-column.ts';
import { groupBy, isElsewhere, isPair, isRanked, isRowNoun, takeNumberCalled } from './row-conditions.ts';

export const WHO = /(?<!\p{L})(?:who|wer|qui|quien(?:es)?)(?!\p{L})/u;

const TIMES = /^(?:times|mal|fois|veces)$/;
/** `Claim` in a table of claims numbers its rows. */
const isKeyNoun = (word: string, { name, columns: [key] }: AskedTable): boolean =>
  headingWords(name).includes(stem(word)) && key?.type === 'text' && namesColumn(key, [stem(word)]) > 0;

type Having = { group: FigureGroup; sign: string; number: number };
/** "Which customers have more than two orders?" limits groups, not rows. */
export function takeHaving(planning: Planning): Having | undefined {
  const { open, table, request, values } = planning;
  const [threshold, another] = request.thresholds;
  if (!threshold || another) return undefined;
  const group = askedGroup(planning);
  if (!group || !isRepeated(group.column, values)) return undefined;
  const after = /^ *(\p{L}+)/u.exec(request.rest.slice(threshold.end))?.[1] ?? '';
  const countsRows =
    TIMES.test(threshold.unit) || TIMES.test(after) || isRowNoun(after, table) || isKeyNoun(after, table);
  if (!countsRows && !(request.isNamed && (request.kind === 'average' || request.kind === 'sum'))) return undefined;
  if (countsRows && after !== '') takeWord(open, stem(after));
  planning.request = { ...request, thresholds: [], kind: countsRows ? 'count' : request.kind };
  const { sign, number } = threshold;
  return { group, sign, number };
}

/** Asks for a day. */
export const WHEN = /^\W*(?:(?:since|until|by|seit|bis|depuis|desde|hasta) )?(?:when|wann|quand|cuando)(?!\p{L})/u;
/** "When" asks for the only column of days, in the rows that the question names. */
function dayOf({ request, notes }: Planning, free: readonly Column[], filters: readonly Filter[]): Subject | undefined {
  const [day, another] = free.filter(({ type }) => type === 'date');
  if (!WHEN.test(request.rest) || !day || another || !filters.some(({ value }) => value !== undefined))
    return undefined;
  notes.push(`The day is that of the column ${day.heading}.`);
  return { kind: 'list', measures: [day], group: undefined, of: undefined };
}

export const COMPARED = /(?<!\p{L})(?:compar\w+|vergleich\w*|versus|vs)(?!\p{L})/u;

/** Two values of one column have an average each, whatever else limits the rows. */
function apart({ request: { kind, rest } }: Planning, filters: readonly Filter[]): FigureGroup | undefined {
  const sides = filters.filter(({ value }) => value !== undefined);
  const columns = Map.groupBy(sides, ({ column }) => column);
  const [pair, another] = [...columns].filter(([, values]) => values.length > 1);
  const isApart = kind === 'average' || (COMPARED.test(rest) && /^(?:sum|count)$/.test(kind));
  return isApart && pair && !another && isPair(pair[1]) ? { column: pair[0] } : undefined;
}

type Subject = Pick<Plan, 'kind' | 'measures' | 'group' | 'of'>;

/** The kind of figure that the table can give, and the columns it is about. */
export function subjectOf(
  planning: Planning,
  filters: readonly Filter[],
  asked: FigureGroup | undefined,
  years: Column[],
  having: Having | undefined,
): Subject | undefined {
  const { table, request } = planning;
  const { kind } = request;
  const group = asked ?? apart(planning, filters);
  if (having && kind === 'count') return { kind, measures: [], group, of: undefined };
  const free = table.columns.filter((column) => !filters.some((filter) => filter.column === column));
  if (planning.isDuration && planning.computed && !isRanked(request) && kind !== 'sum' && kind !== 'difference')
    return durationOf(planning, planning.computed, filters, group);
  if (areRowsBeside(planning, filters)) return { kind: 'list', measures: [], group: undefined, of: undefined };
  if (kind === 'list') return listSubject(planning, free, filters);
  const isFlagged = filters.some(({ isFlag }) => isFlag);
  const ranked = isRanked(request) ? rankedGroup(planning, { group, isFlagged, years }) : undefined;
  if (ranked) return ranked;
  if (years.length > 0) return yearSubject(planning, years, group);
  if (kind === 'count') return countOfRows(planning, group, free, filters);
  const isOfColumns = kind === 'compare' && OR.test(request.rest) && !group && !apartSides(filters);
  if (kind === 'difference' || isOfColumns) return differenceOf(planning, filters);
  return isUnnamedMost(planning, group) ? undefined : measured(planning, group, filters);
}

/** "The adult card versus the junior card" asks for two rows, where each is one of its kind. */
function areRowsBeside({ request: { rest }, values }: Planning, filters: readonly Filter[]): boolean {
  const sides = filters.filter(({ value }) => value !== undefined);
  const [first] = sides;
  // A limit could leave out one of the two.
  if (sides.length < filters.length) return false;
  return COMPARED.test(rest) && isPair(sides) && first !== undefined && isUnique(first.column, values);
}

function countOfRows(
  planning: Planning,
  group: FigureGroup | undefined,
  free: readonly Column[],
  filters: readonly Filter[],
): Subject | undefined {
  const isOfRows = filters.some((filter) => filter.isOfRows || filter.value === undefined);
  const subject = countOf(planning, group, free, isOfRows);
  const isOfOne = subject?.kind === 'count' && subject.measures.length === 0 && isOfNamedRows(planning, filters);
  return isOfOne ? undefined : subject;
}

/** "How many visitors in 2025" adds up the column 2025, and "how many countries" does not. */
function yearSubject(planning: Planning, years: Column[], group: FigureGroup | undefined): Subject | undefined {
  const { open, table, request } = planning;
  const { kind, of } = request;
  if (kind === 'compare' || kind === 'difference') open.take(APART);
  if (kind !== 'count') return { kind, measures: years, group, of };
  const [, , noun = ''] = COUNTED.exec(open.text) ?? [];
  const isOfRows =
    isRowNoun(noun, table) ||
    table.columns.some((column) => column.type === 'text' && namesColumn(column, [stem(noun)]) > 0);
  return isOfRows ? undefined : { kind: 'sum', measures: years, group, of };
}

/** "Who borrowed the most?" counts what the table may not name. */
function isUnnamedMost({ open, table, request, computed }: Planning, group: FigureGroup | undefined): boolean {
  const isOfMany = isRanked(request) && asksForMany(request.asked) && request.asked !== 'top' && !group;
  const isNamed =
    namedColumn(numbersOf(table), contentWords(open.text)) !== undefined || earnedColumn(request, table) || computed;
  return isOfMany && WHO.test(request.rest) && !isNamed;
}

function measured(planning: Planning, group: FigureGroup | undefined, filters: readonly Filter[]): Subject | undefined {
  const { kind, of } = planning.request;
  if (kind === 'compare') planning.open.take(APART);
  const found = filters.find(({ sign }) => sign)?.column ?? measureOf(planning);
  if (found === 'unclear') return undefined;
  const measure = countsNamedRows(planning, group, found) ? undefined : found;
  // Prices of one piece add up to nothing, and years are no amounts.
  if (kind === 'sum' && measure && isPriceOfOne(measure)) return undefined;
  const isOfMany = isRanked(planning.request) && asksForMany(planning.request.asked);
  if (isOfMany && measure && isOfState(measure, 'years', planning.values)) return undefined;
  const isAverage = kind === 'compare' && isOfPeople(filters);
  if (measure && kind === 'sum' && !group && PRICE_OF.test(planning.request.rest))
    return { kind: 'list', measures: [measure], group, of: undefined };
  if (measure) return { kind, measures: [measure], group, of: measuredBy(of, isAverage) };
  return kind === 'share' || kind === 'compare' ? countedSides(planning, group, filters) : undefined;
}

/** "By how many hours" counts no rows. */
const measuredBy = (of: Plan['of'], isAverage: boolean): Plan['of'] =>
  of === 'count' || of === undefined ? (isAverage ? 'average' : undefined) : of;

/** Sides without a measure are compared by the number of their rows, or of the things that rows stand for. */
function countedSides(
  planning: Planning,
  group: FigureGroup | undefined,
  filters: readonly Filter[],
): Subject | undefined {
  const { kind, of } = planning.request;
  const things = thingsColumn(planning);
  if (things) return { kind, measures: [things], group, of };
  return isOfNamedRows(planning, filters) ? undefined : { kind, measures: [], group, of: 'count' };
}

/** "The share of claims by carrier" counts the rows of a table of claims, also beside a column of what was claimed. */
function countsNamedRows(
  { request: { kind, rest }, table }: Planning,
  group: FigureGroup | undefined,
  measure: Column | undefined,
): boolean {
  if (!measure || !(kind === 'compare' || (kind === 'share' && group))) return false;
  const [key = ''] = wordsOf(spaced(table.columns[0]?.heading ?? ''));
  const naming = wordsOf(rest).filter((word) => namesColumn(measure, [stem(word)]) > 0);
  return naming.length > 0 && naming.every((word) => isKeyNoun(word, table) && (word === key || word === `${key}s`));
}

/** "How much does a ticket cost?" asks for the price of one. */
const PRICE_OF =
  /(?<!\p{L})(?:does (?:an?|one) [^?]{1,60} cost|costs (?:an?|one)|kostet eine?n?|coute une?|cuesta una?)(?!\p{L})/u;

function listSubject(planning: Planning, free: readonly Column[], filters: readonly Filter[]): Subject | undefined {
  const { open, table } = planning;
  for (const { column } of filters) takeColumn(open, column);
  const measured = measuredOf(planning);
  if (measured === 'unclear') return undefined;
  if (measured) return { kind: 'list', measures: [measured], group: undefined, of: undefined };
  const words = contentWords(open.text);
  const rowless = words.filter((word) => !isRowNoun(word, table));
  const subject = listed(free, words) ?? listed(free, rowless);
  // Whole rows show what is calculated: "which sites overspent, and by how much?"
  if (planning.computed) return listed([], []);
  return dayOf(planning, free, filters) ?? subject;
}

function listed(free: readonly Column[], words: readonly string[]): Subject | undefined {
  const column = namedColumn(free, words);
  // Whole rows show each of several columns.
  const measures = column && column !== 'unclear' ? [column] : [];
  return { kind: 'list', measures, group: undefined, of: undefined };
}

/** The noun of a count, as in "how many hours", and the values before it, as in "how many copper pipes". */
const COUNTED =
  /^[^\p{L}¤]*(?:(?:what|show|give|me|is|are|was|were|the|wie|quel|quelle|est|le|la|cual|es|el|in|welche|die) )*¤ *(?:different |distinct |unique |verschiedene |differents? |differentes |distint[oa]s )?(?:(?:of|de|d|der) )?((?:¤[ ,]*(?:(?:or|and|oder|und|ou|et|y|o) )?)*)(?:(?:the|our|les|los|las|den) )?([\p{L}]+)?(?: ([\p{L}]+))?/u;
/** What is counted, and the word behind it: "in how many ¤ countries is", "how many ¤ of the cars run". */
const countedWords = (rest: string): string[] => COUNTED.exec(rest)?.slice(2) ?? [];
/** How long something lasts says nothing of the number of rows. */
const LENGTHS_OF_TIME =
  /^(?:days|hours|minutes|weeks|months|years|tage|stunden|minuten|wochen|monate|jahre|jours|heures|semaines|mois|ans|annees|dias|horas|minutos|semanas|meses|anos)$/u;
const DAYS = /^(?:days|tage|jours|dias)$/u;

/** "How many copper pipes were ordered?" asks for a quantity, where the table has one, and for no count of rows. */
function countOf(
  planning: Planning,
  group: FigureGroup | undefined,
  free: readonly Column[],
  isOfRows: boolean,
): Subject | undefined {
  const [, values = '', noun = ''] = COUNTED.exec(planning.open.text) ?? [];
  const { columns } = planning.table;
  const [first] = columns;
  // A table with a row for each day counts days.
  const areDays = DAYS.test(noun) && first?.type === 'date' && isUnique(first, planning.values);
  const isTime = LENGTHS_OF_TIME.test(noun) && !columns.some((column) => namesColumn(column, [stem(noun)]) > 0);
  if (isTime && !areDays) return undefined;
  const isNoun = noun !== '' && !FIGURE_STOP_WORDS.has(noun) && !NEUTRAL.has(stem(noun));
  if (isNoun) return isElsewhere(planning, stem(noun)) ? undefined : countSubject(planning, noun, group, free);
  const { rest } = planning.request;
  const isOfValue = values !== '' && !isOfRows && !DIFFERENT.test(rest);
  const quantity = isOfValue ? quantityColumn(rest, numbersOf(planning.table)) : undefined;
  if (quantity === 'unclear') return undefined;
  return { kind: quantity ? 'sum' : 'count', measures: quantity ? [quantity] : [], group, of: undefined };
}

const DIFFERENT =
  /(?<!\p{L})(?:different|distinct|unique|verschiedene\w*|differente?s|distint[oa]s|diferentes)(?!\p{L})/u;

/** "Verkäufe" are not sellers. */
const isEvent = (noun: string): boolean => ROW_NOUNS.has(stem(noun)) && !/er(?:in|innen|s)?$/u.test(noun);

function countSubject(
  planning: Planning,
  noun: string,
  group: FigureGroup | undefined,
  free: readonly Column[],
): Subject | undefined {
  const { open, table, request } = planning;
  const isDistinct = DIFFERENT.test(request.rest);
  const behind = new RegExp(`(?<!\\p{L})${noun} ([\\p{L}]+)`, 'u').exec(open.text)?.[1];
  const words = [noun, ...(isDistinct && behind ? [behind] : [])]
    .filter((word) => !FIGURE_STOP_WORDS.has(word))
    .map(stem);
  const number = isDistinct ? undefined : (takeNumberCalled(planning, words) ?? columnInUnit(numbersOf(table), noun));
  if (number === 'unclear') return undefined;
  if (number) return { kind: 'sum', measures: [number], group, of: undefined };
  const texts = free.filter(
    ({ type, heading }) => type === 'text' && !(isEvent(noun) && OF_PERSON.test(spaced(heading))),
  );
  const isOfRows = !isDistinct && headingWords(table.name).some((word) => words.includes(word));
  const text = isOfRows ? undefined : namedColumn(texts, words);
  if (isDistinct) open.take(DIFFERENT);
  if (text === 'unclear' || (isDistinct && !text)) return undefined;
  const other = text || isOfRows || isDistinct ? undefined : countedNumber(planning, noun);
  if (other) return { kind: 'sum', measures: [other], group, of: undefined };
  return countOfNoun(planning, text, words, isDistinct, group);
}

/** A row that is one of a kind is counted by no question. */
const isOfNamedRows = ({ table, values }: Planning, filters: readonly Filter[]): boolean => {
  const naming = namingColumn(table, values);
  return naming !== undefined && filters.some(({ column, value }) => column === naming && value !== undefined);
};

function countOfNoun(
  planning: Planning,
  text: Column | undefined,
  words: readonly string[],
  isDistinct: boolean,
  group: FigureGroup | undefined,
): Subject {
  const naming = namingColumn(planning.table, planning.values);
  const isOfRows = words.some((word) => ANY_ROWS.has(word)) || (naming && namesColumn(naming, words) > 0);
  const things = text || isOfRows ? undefined : thingsColumn(planning);
  if (things) return { kind: 'sum', measures: [things], group, of: undefined };
  // "Fahrten" are no drivers, though `Fahrer` begins alike.
  const isWhole =
    text && namesColumn(text, words) === 2 && headingWords(text.heading).some((one) => words.includes(one));
  return { kind: 'count', measures: text && (isDistinct || isWhole) ? [text] : [], group, of: undefined };
}

export const WHICH =
  /(?<!\p{L})(?:which|what|who|whose|welche[rsmn]?|wer|quel(?:le)?s?|qui|que|cual(?:es)?|quien(?:es)?)(?: (?:¤ *)?([\p{L}]+))?(?: ([\p{L}]+))?/u;
const OF_ROWS =
  /(?<!\p{L})(?:orders?|rows?|entries|records|times|often|sales|visits|lines|bestellungen|zeilen|mal|commandes|lignes|fois|pedidos|filas|veces)(?!\p{L})/u;
const SPENT =
  /(?<!\p{L})(?:spent|spend|paid|bought|earned|sold|turnover|revenue|umsatz|chiffre d['’]affaires|ausgegeben|bezahlt|verkauft|depense|paye|vendu|gastado|gasto|pagado|pago|vendido)(?!\p{L})/u;

type RankedSubject = { group: FigureGroup | undefined; isFlagged: boolean; years: Column[] };

/** "Which customer spent the most in total?" asks for the highest of groups, not for the highest row. */
function rankedGroup(planning: Planning, { group, isFlagged, years }: RankedSubject): Subject | undefined {
  const { request } = planning;
  const { kind, rest, of } = request;
  const named = group ?? askedGroup(planning);
  if (!named) return undefined;
  const found = years[0] ?? measureOf(planning);
  const measure = found === 'unclear' ? undefined : found;
  const isNamed = years.length > 0 || (measure !== undefined && namesColumn(measure, contentWords(rest)) > 0);
  const countsGroup = of === 'count' || measure === named.column || (!isNamed && countsRows(planning, isFlagged));
  if (countsGroup) return rankedCount(planning, named);
  const isGrouped =
    of !== undefined || SPENT.test(rest) || group !== undefined || hasManyRows(planning, named, measure);
  if (!measure || !isGrouped) return undefined;
  return { kind, measures: years.length > 0 ? years : [measure], group: named, of: of ?? 'sum' };
}

/** "Which state has the fewest murders?" ranks what each row stands for, or the numbers of rows. */
function rankedCount(planning: Planning, group: FigureGroup): Subject | undefined {
  const { open, request, table, values } = planning;
  const { kind } = request;
  open.take(OF_ROWS);
  open.take(/(?<!\p{L})(?:way|form|means|method)s? of(?!\p{L})/u);
  const things = thingsColumn(planning);
  if (group.column === namingColumn(table, values))
    return things && { kind, measures: [things], group: undefined, of: undefined };
  return { kind, measures: things ? [things] : [], group, of: things ? 'sum' : 'count' };
}

const DAY_LENGTH = 10;

/** Whether several rows of a group are added up: days may have several, and months do. */
function hasManyRows(
  { request, values }: Planning,
  { column, length }: FigureGroup,
  measure: Column | undefined,
): boolean {
  const isAdditive = asksForMany(request.asked) || (measure !== undefined && STOCK.test(measure.heading));
  if (length !== undefined) return length < DAY_LENGTH || isAdditive;
  return isAdditive && isRepeated(column, values);
}

/** "The most survivors", "the most invoices" and "most often" ask for a number of rows. */
function countsRows({ open, table, request: { asked, rest }, values }: Planning, isFlagged: boolean): boolean {
  const most = /¤ *(\p{L}+)/u.exec(open.text)?.[1] ?? '';
  const key = namedColumn(
    table.columns.filter(({ type }) => type === 'text'),
    [stem(most)],
  );
  const isKey = key !== undefined && key !== 'unclear' && !isRepeated(key, values);
  const days = table.columns.filter(({ type }) => type === 'date');
  const isOfEvents = days.some((column) => namesColumn(column, contentWords(open.text)) > 0);
  return (
    (asksForMany(asked) && (isFlagged || isOfEvents || isKey || isRowNoun(most, table))) ||
    (OF_ROWS.test(rest) && !SPENT.test(rest))
  );
}

export function askedGroup(planning: Planning): FigureGroup | undefined {
  const { open, table } = planning;
  const [, noun = '', second = ''] = WHICH.exec(open.text) ?? [];
  const [, top = ''] = TOP_NOUN.exec(open.text) ?? [];
  const texts = table.columns.filter(({ type }) => type === 'text');
  const who = whoColumn(planning, texts);
  const named = whichColumn(table, texts, noun, second) ?? whichColumn(table, texts, top, '');
  const found = /^\W*(?:who|wer|qui)/u.test(planning.request.rest) ? (who ?? named) : (named ?? who);
  return found ?? (YEAR.test(noun) ? yearOf(planning) : undefined);
}

const YEAR = /^(?:years?|jahr\w*|annees?|an|anos?)$/u;
/** "In which year" is asked of the column of years that the question names. */
function yearOf({ open, table, values }: Planning): FigureGroup | undefined {
  const years = table.columns.filter((column) => column.type === 'number' && isOfState(column, 'years', values));
  const column = namedColumn(years, contentWords(open.text));
  return column && column !== 'unclear' ? { column } : undefined;
}
const STOCK = /(?<!\p{L})(?:stock|quantity|units|bestand|menge|cantidad|unidades|quantité)(?!\p{L})/iu;

/** As in "our top three customers". */
const TOP_NOUN = /(?:are|were|is|sind|sont|son) (?:\p{L}+ )?¤ *(?:(?:way|form|means|method)s? of )?(\p{L}+)/u;

/** "Who worked the most hours?" is about the one column of people, if each stands in several rows. */
function whoColumn({ table, request, values }: Planning, texts: readonly Column[]): FigureGroup | undefined {
  if (!WHO.test(request.rest) || table.columns.length === 0) return undefined;
  const [column, another] = texts.filter(({ heading }) => OF_PERSON.test(spaced(heading)));
  return column && !another && isRepeated(column, values) ? { column } : undefined;
}

function whichColumn(table: AskedTable, texts: Column[], noun: string, second: string): FigureGroup | undefined {
  // "Which guest" is asked of the column Guest, where Guests has their number.
  const named = { ...table, columns: table.columns.filter(({ type }) => type !== 'number') };
  const groups = [[noun, second], [noun]].map((words) => groupBy(named, words.filter(Boolean)));
  const group = groups.find((one) => one !== undefined && one !== 'unclear');
  return noun !== '' && group && (group.length || texts.includes(group.column)) ? group : undefined;
}

/** Between two sides stands what would be a condition elsewhere. */
const APART =
  /(?<!\p{L})(?:(?:between|zwischen|entre) (?:the |den? |le |la |el )?¤ *(?:and|und|et|y) (?:the |den? |le |la |el )?¤|(?:than|als|que) (?:(?:the |that |those |die |der |das |celles? |ceux |celui |l[oa]s? |el )(?:ones? )?)?(?:(?:from|of|in|by|with|for|at|to|aus|von|bei|mit|fur|im|de|du|chez|en|con) )?(?:the |der |die |den |dem |le |la |el )?¤)/u;

const EDGE =
  '(?:highest|lowest|largest|smallest|most expensive|cheapest|biggest|hochste\\p{L}*|niedrigste\\p{L}*|teuerste\\p{L}*|billigste\\p{L}*|gunstigste\\p{L}*|gro(?:ß|ss)te\\p{L}*|kleinste\\p{L}*|plus \\p{L}+|moins \\p{L}+|mas \\p{L}+|mayor|menor)';
const ARTICLE = '(?:the |de[mnr] |le |la |el )?';
const HIGH_AND_LOW = WHOLE(`(?:between|zwischen|entre) ${ARTICLE}${EDGE} (?:and|und|et|y) ${ARTICLE}${EDGE}`);

function rangeOf(planning: Planning): Subject | undefined {
  const measure = measureOf(planning);
  const isClear = measure !== undefined && measure !== 'unclear';
  return isClear ? { kind: 'difference', measures: [measure], group: undefined, of: 'range' } : undefined;
}

/** The only two values of one column. */
function apartSides(filters: readonly Filter[]): Filter[] | undefined {
  const named = filters.filter(({ value }) => value !== undefined);
  const [sides, another] = [...Map.groupBy(named, ({ column }) => column).values()].filter(isPair);
  return another ? undefined : sides;
}

/** "Were more men or women arrested" compares two columns. */
const OR = WHOLE('or|oder|ou|o');
/** "Between the two", "more of one than of the other" and "more of one or more of the other". */
const BETWEEN_COLUMNS =
  /(?<!\p{L})(?:between|zwischen|entre|(?:than|als|que)(?= \p{L})|(?<=(?:or|oder|ou|o) )(?:more|mehr|plus|mas))(?!\p{L})/u;
/** Two columns of numbers, or the two sides of one column of texts. */
function differenceOf(planning: Planning, filters: readonly Filter[]): Subject | undefined {
  if (planning.open.take(HIGH_AND_LOW)) return rangeOf(planning);
  const sides = apartSides(filters);
  const measure = measureOf(planning);
  if (sides) {
    planning.open.take(APART);
    if (measure === 'unclear') return undefined;
    return {
      kind: 'difference',
      measures: measure ? [measure] : [],
      group: undefined,
      of: measure ? (planning.request.of ?? (isOfPeople(sides) ? 'average' : 'sum')) : 'count',
    };
  }
  const measures = twoNamed(numbersOf(planning.table), contentWords(planning.open.text));
  if (!measures) return undefined;
  while (planning.open.take(BETWEEN_COLUMNS));
  const of = planning.request.of === 'average' ? 'average' : undefined;
  return { kind: 'difference', measures, group: undefined, of };
}

/** Men and women are compared by what one of them has. */
const isOfPeople = (filters: readonly Filter[]): boolean =>
  filters.filter(({ isOfRows, isFlag }) => isOfRows && !isFlag).length === 2;

/** The average of many rows, the days themselves of rows that the question names. */
function durationOf(
  { request: { kind }, table }: Planning,
  duration: Column,
  filters: readonly Filter[],
  group: FigureGroup | undefined,
): Subject {
  const isLimited = filters.some(({ column }) => column === duration);
  if (isLimited) return { kind: kind === 'count' ? 'count' : 'list', measures: [], group, of: undefined };
  const [key] = table.columns;
  const isOfOne = filters.some(({ column, value }) => column === key && value !== undefined);
  return { kind: isOfOne && kind !== 'average' ? 'list' : 'average', measures: [duration], group, of: undefined };
}

const PRAISE = new Set('better worse besser schlechter mieux pire mejor peor'.split(' '));
/** What is measured is never left out, nor what may be a condition. Undefined if the rest of the question is not understood. */
export function leftOut(
  { open, table, request }: Planning,
  { kind, measures, ...plan }: Plan,
  left: readonly string[],
) {
  const words = contentWords(request.rest);
  const isLimited = plan.sides.length + plan.days.length + plan.limits.length > 0;
  const areNamed = measures.length > 0 && measures.every((column) => namesColumn(column, words) > 0);
  const isOfRows = kind === 'count' && measures.length === 0 && isLimited;
  if (!(areNamed || isOfRows) || table.tables.length > 1) return undefined;
  const counted = kind === 'count' ? countedWords(request.rest) : [];
  const harmless = (word: string) => PRAISE.has(word) || counted.includes(word);
  const out = wordsOf(open.text).filter((word) => left.includes(stem(word)));
  return out.every(harmless) ? out : undefined;
}
