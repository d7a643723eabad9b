/** Plans the query that answers a question for a figure. Undefined if a word of the question matches no column or cell. */

import { synonymsOf } from '../synonyms.ts';
import { FIGURE_STOP_WORDS, OpenText, QUESTION_WORDS, stem, wordsOf } from '../words.ts';
import { type AskedTable, type Column, type FigureGroup, type Filter, type Plan, toQuery } from './figure-statement.ts';
import {
  asksForMany,
  type FigureRequest,
  hasCondition,
  NEUTRAL,
  PEOPLE,
  ROW_NOUNS,
  readFigureRequest,
  wordsAboutFigures,
} from './figure-words.ts';
import {
  askedTables,
  type ColumnValue,
  contentWords,
  type DescribedTable,
  headingWords,
  isCounter,
  isRepeated,
  namedColumn,
  namesColumn,
  numbersOf,
  OF_PERSON,
  type Planning,
  SAMPLE,
  spaced,
  takeColumn,
  takeWord,
} from './match-columns.ts';
import { measureOf } from './measured-column.ts';
import { leavesOutKey } from './number-conditions.ts';
import {
  conditionsOf,
  fitsAge,
  groupBy,
  isElsewhere,
  isPair,
  isRanked,
  isRowNoun,
  notesOn,
  numberCalled,
  yearHeadings,
} from './row-conditions.ts';
import { spellCountries, spellOut } from './short-names.ts';

/** What is asked, as a statement and the words around its result; undefined if the tables do not fit the question. */
export function planFigure(
  question: string,
  tables: readonly DescribedTable[],
  values: readonly ColumnValue[],
): ReturnType<typeof toQuery> | undefined {
  const asked = askedTables(tables, values);
  const text = spellCountries(question, values);
  const single = bestOf(asked.single, asked.single, text, values);
  const joined = bestOf(asked.joined, asked.single, text, values);
  const plan = single && joined ? (joined.score > single.score ? joined : single) : (single ?? joined);
  return plan && toQuery(plan);
}

const FILE_ENDING = /^(?:csv|tsv|xlsx?|ods|docx?|pdf|md|txt|json)$/;

function bestOf(
  tables: AskedTable[],
  all: AskedTable[],
  question: string,
  values: readonly ColumnValue[],
): Plan | undefined {
  const named = (table: AskedTable) => headingWords(table.name);
  const othersOf = (table: AskedTable) =>
    [...new Set(all.flatMap(named))].filter((word) => !named(table).includes(word) && !FILE_ENDING.test(word));
  const plans = tables
    .flatMap((table) => planOf(table, question, values, othersOf(table)) ?? [])
    .sort((a, b) => b.score - a.score);
  const [best, next] = plans;
  return best && next?.score !== best.score ? best : undefined;
}

/** The plan by the words as they are, or else with short headings spelled out. */
function planOf(
  table: AskedTable,
  question: string,
  values: readonly ColumnValue[],
  others: readonly string[],
): Plan | undefined {
  const request = readFigureRequest(question);
  const plan = request && planFor(table, request, values, others);
  if (plan || !request) return plan;
  const { text, read } = spellOut(question, table.columns);
  const spelled = read.length > 0 ? readFigureRequest(text) : undefined;
  const other = spelled && planFor(table, spelled, values, others);
  return other && { ...other, read, score: other.score - 1 };
}

function planFor(
  table: AskedTable,
  request: FigureRequest,
  values: readonly ColumnValue[],
  others: readonly string[],
): Plan | undefined {
  const planning: Planning = { open: new OpenText(request.rest), table, request, values, others };
  const { open } = planning;
  if (!fitsAge(planning)) return undefined;
  const years = yearHeadings(table, request);
  const conditions = conditionsOf(planning, years);
  if (!conditions) return undefined;
  const { days, sides, limits, group } = conditions;
  const subject = subjectOf(planning, [...days, ...sides, ...limits], group, years);
  if (!subject) return undefined;
  const { rank, limit } = request;
  const plan: Plan = { ...conditions, ...subject, table, rank, limit, score: 0, read: [], notes: [], unsaid: [] };
  const sign = limits.find((filter) => filter.sign)?.sign;
  // The largest expense is the lowest amount.
  if (sign === '<' && isRanked(plan)) plan.kind = plan.kind === 'most' ? 'least' : 'most';
  plan.notes = notesOn(plan, planning, sign !== undefined);
  for (const column of subject.measures) takeColumn(open, column);
  if (subject.group) takeColumn(open, subject.group.column);
  if (!mentionsFit(planning, plan) || !fits(plan)) return undefined;
  const unsaid = unsaidWords(planning, plan);
  return unsaid && { ...plan, unsaid, score: scoreOf(planning, plan) - UNSAID * unsaid.length };
}

/** The words of a question that the plan does not use. Undefined if one may be a condition. */
function unsaidWords(planning: Planning, plan: Plan): string[] | undefined {
  const { open, table, others } = planning;
  const names = headingWords(table.name);
  for (const word of [...names, ...nameOfRows(planning)]) takeWord(open, word);
  if (hasCondition(open) || leavesOutKey(planning)) return undefined;
  const isNeutral = (word: string) => NEUTRAL.has(word) && !others.includes(word);
  const left = contentWords(open.text).filter(
    (word) => !QUESTION_WORDS.has(word) && !isNeutral(word) && !names.some((name) => synonymsOf(word).has(name)),
  );
  return left.length === 0 ? [] : harmlessWords(planning, plan, left);
}

function scoreOf({ table, request, values }: Planning, { measures, group, days, sides, limits }: Plan): number {
  const words = contentWords(request.rest);
  const columns = [...measures, ...(group ? [group.column] : [])];
  const named = columns.reduce((sum, column) => sum + namesColumn(column, words), 0);
  const isWho =
    WHO.test(request.rest) &&
    values.some(
      ([mark, at, name]) => mark === SAMPLE && isPerson(name) && table.tables.includes(at.split('.', 1)[0] ?? ''),
    );
  return Number(isWho) + 4 * (days.length + sides.length + limits.length) + 2 * Number(group !== undefined) + named;
}

/** A plan that leaves out words comes after each that does not. */
const UNSAID = 100;
const MAX_UNSAID = 2;
/**
 * The words that the table does not have, if the columns of the figure are named all the same; the answer says which they
 * are. Undefined if they may be a condition.
 */
function harmlessWords(
  { open, table, request }: Planning,
  { measures, kind }: Plan,
  left: readonly string[],
): string[] | undefined {
  const words = contentWords(request.rest);
  const areNamed = measures.length > 0 && measures.every((column) => namesColumn(column, words) > 0);
  if (!areNamed || kind === 'count' || kind === 'list' || left.length > MAX_UNSAID) return undefined;
  const harmless = wordsAboutFigures(open, request);
  const unsaid = harmless.filter((word, at) => left.includes(stem(word)) && harmless.indexOf(word) === at);
  const isNamedOf = (word: string) => headingWords(table.name).includes(stem(word));
  return left.every((word) => unsaid.some((one) => stem(one) === word)) && !unsaid.some(isNamedOf) ? unsaid : undefined;
}

const OF_PEOPLE =
  /^(?:sex|gender|age|geschlecht|alter|sexe|genre|[âa]ge|sexo|g[ée]nero|edad|(?:last |first |full )?name|employee|staff|mitarbeiter(?:in)?|department|abteilung|salary|gehalt)$/iu;

/**
 * What a question calls the rows: "which cereal" in a table whose column of names has no heading, "patients" in one with
 * a column of their age or sex, "matches" where no column is called so.
 */
function nameOfRows({ open, table: { columns }, others }: Planning): string[] {
  const isUnnamed = columns.filter(({ heading, type }) => heading === '' && type === 'text').length === 1;
  const isOfPeople = columns.some(({ heading }) => OF_PEOPLE.test(spaced(heading).trim()));
  const words = contentWords(open.text);
  return [
    ...(isUnnamed ? contentWords(WHICH.exec(open.text)?.[1] ?? '') : []),
    ...(isOfPeople ? words.filter((word) => PEOPLE.has(word)) : []),
    ...words.filter((word) => ROW_NOUNS.has(word) && !others.includes(word)),
  ];
}

const WHO = /(?<!\p{L})(?:who|wer|qui|quien(?:es)?)(?!\p{L})/u;
/** As lists of staff write names, with the surname first. */
const isPerson = (value: string): boolean =>
  /^\p{Lu}[\p{L}'’-]+, \p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,3}$/u.test(value);

const COMPARED = /(?<!\p{L})(?:compar\w+|vergleich\w*|versus|vs)(?!\p{L})/u;

/** Two values of one column have an average each. */
function apart({ request: { kind, rest } }: Planning, filters: readonly Filter[]): FigureGroup | undefined {
  const sides = filters.filter(({ value }) => value !== undefined);
  const [side] = sides;
  const isApart = kind === 'average' || (COMPARED.test(rest) && /^(?:sum|count)$/.test(kind));
  return side && isPair(sides) && isApart ? { column: side.column } : undefined;
}

type Subject = Pick<Plan, 'kind' | 'measures' | 'group' | 'of'>;

/** The kind of figure that the table can give, and the columns it is about. */
function subjectOf(
  planning: Planning,
  filters: readonly Filter[],
  asked: FigureGroup | undefined,
  years: Column[],
): Subject | undefined {
  const { open, table, request } = planning;
  const { kind } = request;
  const group = asked ?? apart(planning, filters);
  const free = table.columns.filter((column) => !filters.some((filter) => filter.column === column));
  if (kind === 'list') return listed(free, contentWords(open.text));
  if (years.length > 0) return { kind, measures: years, group, of: request.of };
  if (kind === 'count')
    return countOf(
      planning,
      group,
      free,
      filters.some(({ isOfRows, value }) => isOfRows || value === undefined),
    );
  const isFlagged = filters.some(({ isFlag }) => isFlag);
  const ranked = isRanked(request) ? rankedGroup(planning, group, isFlagged) : undefined;
  if (ranked) return ranked;
  if (kind === 'difference') return differenceOf(planning, filters);
  return measured(planning, group, filters);
}

function measured(planning: Planning, group: FigureGroup | undefined, filters: readonly Filter[]): Subject | undefined {
  const { kind, of } = planning.request;
  if (kind === 'compare') planning.open.take(APART);
  const measure = filters.find(({ sign }) => sign)?.column ?? measureOf(planning);
  if (measure === 'unclear') return undefined;
  const isAverage = kind === 'compare' && isOfPeople(filters);
  if (measure) return { kind, measures: [measure], group, of: of ?? (isAverage ? 'average' : undefined) };
  const counts = kind === 'share' || kind === 'compare';
  return counts ? { kind, measures: [], group, of: 'count' } : undefined;
}

function listed(free: readonly Column[], words: readonly string[]): Subject | undefined {
  const column = namedColumn(free, words);
  return column === 'unclear'
    ? undefined
    : { kind: 'list', measures: column ? [column] : [], group: undefined, of: undefined };
}

/** The noun of a count, as in "how many hours", and the values before it, as in "how many copper pipes". */
const COUNTED =
  /^[^\p{L}¤]*(?:(?:what|show|give|me|is|are|was|were|the|wie|quel|quelle|est|le|la|cual|es|el|in|welche|die) )*¤ *(?:different |distinct |unique |verschiedene |differents? |differentes |distint[oa]s )?(?:(?:of|de|d|der) )?((?:¤[ ,]*(?:(?:or|and|oder|und|ou|et|y|o) )?)*)([\p{L}]+)?/u;
const QUANTITY =
  /^(?:quantity|quantities|qty|menge|anzahl|st(?:u|ü)ck|pieces|units|quantit[ée]s?|cantidad(?:es)?|unidades|count)$/iu;

/** "How many copper pipes were ordered?" asks for a quantity, where the table has one, and for no count of rows. */
function countOf(
  planning: Planning,
  group: FigureGroup | undefined,
  free: readonly Column[],
  isOfRows: boolean,
): Subject | undefined {
  const [, values = '', noun = ''] = COUNTED.exec(planning.open.text) ?? [];
  const isNoun = noun !== '' && !FIGURE_STOP_WORDS.has(noun) && !NEUTRAL.has(stem(noun));
  if (isNoun) return isElsewhere(planning, stem(noun)) ? undefined : countSubject(planning, noun, group, free);
  const numbers = numbersOf(planning.table);
  const [quantity, another] = numbers.filter(({ heading }) => wordsOf(heading).some((word) => QUANTITY.test(word)));
  if (values === '' || numbers.length === 0 || isOfRows) return { kind: 'count', measures: [], group, of: undefined };
  return quantity && !another ? { kind: 'sum', measures: [quantity], group, of: undefined } : undefined;
}

const DIFFERENT =
  /(?<!\p{L})(?:different|distinct|unique|verschiedene\w*|differente?s|distint[oa]s|diferentes)(?!\p{L})/u;

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
  const number = isDistinct ? undefined : numberCalled(table, words);
  if (number === 'unclear') return undefined;
  // "How many hours did she work?" asks for the sum of a column that is called so.
  if (number) return { kind: 'sum', measures: [number], group, of: undefined };
  const texts = free.filter(({ type }) => type === 'text');
  const isOfRows = !isDistinct && headingWords(table.name).some((word) => words.includes(word));
  const text = isOfRows ? undefined : namedColumn(texts, words);
  if (isDistinct) open.take(DIFFERENT);
  if (text === 'unclear' || (isDistinct && !text)) return undefined;
  const other = isOfRows || isDistinct ? undefined : namedColumn(numbersOf(table), contentWords(open.text));
  // "How many votes did Gore get?" asks for the figures of the column Gore.
  if (!text && other && other !== 'unclear') return { kind: 'sum', measures: [other], group, of: undefined };
  return countOfNoun(table, text, words, isDistinct, group);
}

/** A row of such a table stands for several things. */
const FREQUENCY = /^(?:freq|frequency|frequencies|h(?:ä|ae)ufigkeit|effectifs?|frecuencia|n)$/iu;

function countOfNoun(
  table: AskedTable,
  text: Column | undefined,
  words: readonly string[],
  isDistinct: boolean,
  group: FigureGroup | undefined,
): Subject {
  const [frequency, another] = numbersOf(table).filter(({ heading }) => FREQUENCY.test(heading.trim()));
  if (!text && frequency && !another) return { kind: 'sum', measures: [frequency], group, of: undefined };
  const isWhole = text && namesColumn(text, words) === 2;
  return { kind: 'count', measures: text && (isDistinct || isWhole) ? [text] : [], group, of: undefined };
}

const WHICH =
  /(?<!\p{L})(?:which|what|who|whose|welche[rsmn]?|wer|quel(?:le)?s?|qui|que|cual(?:es)?|quien(?:es)?)(?: (?:¤ *)?([\p{L}]+))?(?: ([\p{L}]+))?/u;
const OF_ROWS =
  /(?<!\p{L})(?:orders?|rows?|entries|records|times|often|sales|visits|lines|bestellungen|zeilen|mal|commandes|lignes|fois|pedidos|filas|veces)(?!\p{L})/u;
const SPENT =
  /(?<!\p{L})(?:spent|spend|paid|bought|earned|sold|turnover|revenue|umsatz|chiffre d['’]affaires|ausgegeben|bezahlt|verkauft|depense|paye|vendu|gastado|gasto|pagado|pago|vendido)(?!\p{L})/u;

/** "Which customer spent the most in total?" asks for the highest of groups, not for the highest row. */
function rankedGroup(planning: Planning, group: FigureGroup | undefined, isFlagged: boolean): Subject | undefined {
  const { open, request } = planning;
  const { kind, rest, of } = request;
  const named = group ?? askedGroup(planning);
  if (!named) return undefined;
  const found = measureOf(planning);
  const measure = found === 'unclear' ? undefined : found;
  const isNamed = measure !== undefined && namesColumn(measure, contentWords(rest)) > 0;
  if (of === 'count' || (!isNamed && countsRows(planning, isFlagged))) {
    open.take(OF_ROWS);
    open.take(/(?<!\p{L})(?:way|form|means|method)s? of(?!\p{L})/u);
    return { kind, measures: [], group: named, of: 'count' };
  }
  const isAdditive = asksForMany(request.asked) || (measure !== undefined && STOCK.test(measure.heading));
  const isOfMany = isAdditive && isRepeated(named.column, planning.values);
  const isGrouped = of !== undefined || SPENT.test(rest) || group !== undefined || isOfMany;
  return measure && isGrouped ? { kind, measures: [measure], group: named, of: of ?? 'sum' } : undefined;
}

/** "The most survivors", "the most invoices" and "most often" ask for a number of rows. */
function countsRows({ open, table, request: { asked, rest }, values }: Planning, isFlagged: boolean): boolean {
  const most = /¤ *(\p{L}+)/u.exec(open.text)?.[1] ?? '';
  const key = namedColumn(
    table.columns.filter(({ type }) => type === 'text'),
    [stem(most)],
  );
  const isKey = key !== undefined && key !== 'unclear' && !isRepeated(key, values);
  return (
    (asksForMany(asked) && (isFlagged || isKey || isRowNoun(most, table))) || (OF_ROWS.test(rest) && !SPENT.test(rest))
  );
}

function askedGroup(planning: Planning): FigureGroup | undefined {
  const { open, table } = planning;
  const [, noun = '', second = ''] = WHICH.exec(open.text) ?? [];
  const [, top = ''] = TOP_NOUN.exec(open.text) ?? [];
  const texts = table.columns.filter(({ type }) => type === 'text');
  return whichColumn(table, texts, noun, second) ?? whichColumn(table, texts, top, '') ?? whoColumn(planning, texts);
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
  const group = noun === '' ? undefined : (groupBy(table, [noun, second].filter(Boolean)) ?? groupBy(table, [noun]));
  return group && group !== 'unclear' && (group.length || texts.includes(group.column)) ? group : undefined;
}

/** Between two sides stands what would be a condition elsewhere. */
const APART =
  /(?<!\p{L})(?:(?:between|zwischen|entre) (?:the |den? |le |la |el )?¤ *(?:and|und|et|y) (?:the |den? |le |la |el )?¤|(?:than|als|que) ¤)/u;

/** Two columns of numbers, or the two sides of one column of texts. */
function differenceOf(planning: Planning, filters: readonly Filter[]): Subject | undefined {
  const sides = filters.filter(({ value }) => value !== undefined);
  const measure = measureOf(planning);
  if (isPair(sides)) {
    planning.open.take(APART);
    if (measure === 'unclear') return undefined;
    return {
      kind: 'difference',
      measures: measure ? [measure] : [],
      group: undefined,
      of: measure ? (planning.request.of ?? (isOfPeople(sides) ? 'average' : 'sum')) : 'count',
    };
  }
  const words = contentWords(planning.open.text);
  const named = numbersOf(planning.table).filter((column) =>
    words.some((word) => headingWords(column.heading).some((one) => one === word)),
  );
  if (named.length === 2) planning.open.take(/(?<!\p{L})(?:between|zwischen|entre)(?!\p{L})/u);
  return named.length === 2 ? { kind: 'difference', measures: named, group: undefined, of: undefined } : undefined;
}

/** Men and women are compared by what one of them has. */
const isOfPeople = (filters: readonly Filter[]): boolean =>
  filters.filter(({ isOfRows, isFlag }) => isOfRows && !isFlag).length === 2;

/** A column that the question names and the plan does not use may be a condition, as in "with a discount". */
function mentionsFit({ open, table }: Planning, { kind, days, sides, limits }: Plan): boolean {
  for (const { column } of [...days, ...sides, ...limits]) takeColumn(open, column);
  const showsRows = kind === 'most' || kind === 'least' || kind === 'list';
  for (const column of table.columns) {
    if (namesColumn(column, contentWords(open.text)) === 0) continue;
    const isCondition = new RegExp(
      `(?:with|having|whose|where|mit|deren|avec|dont|con|cuy[oa]s?) (?:an? |the |einen? |une? |del? )?(?:${headingWords(column.heading).join('|')})`,
      'u',
    ).test(open.text);
    const isFigure = column.type === 'boolean' || (column.type === 'number' && !isCounter(column));
    if (!showsRows && (isCondition || isFigure)) return false;
    takeColumn(open, column);
  }
  return true;
}

/** A count needs rows that a filter names; two values of one column are the sides of a comparison. */
function fits({ kind, measures, sides, days, limits, group }: Plan): boolean {
  const filters = sides.length + days.length + limits.length;
  if (kind === 'compare') return isPair(sides);
  if (kind === 'difference') return isPair(sides) || measures.length === 2;
  if (kind === 'share') return !group && filters > 0 && new Set(sides.map(({ column }) => column)).size <= 1;
  return kind !== 'list' || filters > 0 || measures.length > 0;
}
