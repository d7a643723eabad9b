/** Plans the query that answers a question for a figure. Undefined if a word of the question matches no column or cell. */

import { synonymsOf } from '../synonyms.ts';
import { FIGURE_STOP_WORDS, QUESTION_WORDS, stem, wordsOf } from '../words.ts';
import {
  type AskedTable,
  type Column,
  columnText,
  type FigureGroup,
  type Filter,
  type Plan,
  quotedText,
  toQuery,
} from './figure-statement.ts';
import {
  asksForMany,
  dimensionOf,
  type FigureRequest,
  hasCondition,
  NEUTRAL,
  OpenText,
  PEOPLE,
  type Period,
  readFigureRequest,
  wordsAboutFigures,
} from './figure-words.ts';
import {
  askedTables,
  type ColumnValue,
  contentWords,
  type DescribedTable,
  flagFilters,
  headingWords,
  isCounter,
  isRepeated,
  keyedFilters,
  leavesOutKey,
  namedColumn,
  namesColumn,
  SAMPLE,
  takeColumn,
  takeWord,
  valueFilters,
} from './match-columns.ts';
import { spellOut } from './short-names.ts';

/** What is asked, as a statement and the words around its result; undefined if the tables do not fit the question. */
export function planFigure(
  question: string,
  tables: readonly DescribedTable[],
  values: readonly ColumnValue[],
): ReturnType<typeof toQuery> | undefined {
  const asked = askedTables(tables, values);
  const single = bestOf(asked.single, question, values);
  const joined = bestOf(asked.joined, question, values);
  const plan = single && joined ? (joined.score > single.score ? joined : single) : (single ?? joined);
  return plan && toQuery(plan);
}

function bestOf(tables: AskedTable[], question: string, values: readonly ColumnValue[]): Plan | undefined {
  const plans = tables.flatMap((table) => planOf(table, question, values) ?? []).sort((a, b) => b.score - a.score);
  const [best, next] = plans;
  return best && next?.score !== best.score ? best : undefined;
}

/** The plan by the words as they are, or else with short headings spelled out. */
function planOf(table: AskedTable, question: string, values: readonly ColumnValue[]): Plan | undefined {
  const request = readFigureRequest(question);
  const plan = request && planFor(table, request, values);
  if (plan || !request) return plan;
  const { text, read } = spellOut(question, table.columns);
  const spelled = read.length > 0 ? readFigureRequest(text) : undefined;
  const other = spelled && planFor(table, spelled, values);
  return other && { ...other, read, score: other.score - 1 };
}

type Planning = { open: OpenText; table: AskedTable; request: FigureRequest; values: readonly ColumnValue[] };

/** Beside columns with headings, numbers without one number the rows. */
function numbersOf({ columns }: AskedTable): Column[] {
  const numbers = columns.filter((column) => column.type === 'number' && !isCounter(column));
  const named = numbers.filter(({ heading }) => heading !== '');
  return named.length > 0 ? named : numbers;
}

type Conditions = Pick<Plan, 'days' | 'sides' | 'limits' | 'group'>;

/** Undefined if a condition of the question is unclear. */
function conditionsOf(planning: Planning, years: Column[]): Conditions | undefined {
  const days = years.length > 0 ? [] : dayFilters(planning);
  const keyed = keyedFilters(planning);
  const sides = valueFilters(planning);
  const group = takeGroup(planning);
  const limits = thresholds(planning);
  if (!days || !sides || !limits || group === 'unclear') return undefined;
  const flags = flagFilters(planning, [group?.column, ...sides.map(({ column }) => column)]);
  return flags && { days, sides: [...sides, ...keyed, ...flags], limits, group };
}

function planFor(table: AskedTable, request: FigureRequest, values: readonly ColumnValue[]): Plan | undefined {
  const planning: Planning = { open: new OpenText(request.rest), table, request, values };
  const { open } = planning;
  const years = yearHeadings(table, request);
  const conditions = conditionsOf(planning, years);
  if (!conditions) return undefined;
  const { days, sides, limits, group } = conditions;
  const subject = subjectOf(planning, [...days, ...sides, ...limits], group, years);
  if (!subject) return undefined;
  const { rank, limit } = request;
  const plan: Plan = { ...conditions, ...subject, table, rank, limit, score: 0, read: [], unsaid: [] };
  for (const column of [...subject.measures, ...(subject.group ? [subject.group.column] : [])])
    takeColumn(open, column);
  if (!mentionsFit(planning, plan) || !fits(plan)) return undefined;
  const names = headingWords(table.name);
  for (const word of [...names, ...nameOfRows(planning)]) takeWord(open, word);
  if (hasCondition(open) || leavesOutKey(planning)) return undefined;
  const left = contentWords(open.text).filter(
    (word) => !QUESTION_WORDS.has(word) && !NEUTRAL.has(word) && !names.some((name) => synonymsOf(word).has(name)),
  );
  const words = contentWords(request.rest);
  const unsaid = left.length === 0 ? [] : harmlessWords(planning, plan, left);
  if (!unsaid) return undefined;
  const columns = [...subject.measures, ...(subject.group ? [subject.group.column] : [])];
  const named = columns.reduce((sum, column) => sum + namesColumn(column, words), 0);
  const isWho =
    WHO.test(request.rest) &&
    values.some(
      ([mark, at, name]) => mark === SAMPLE && isPerson(name) && table.tables.includes(at.split('.', 1)[0] ?? ''),
    );
  plan.unsaid = unsaid;
  plan.score =
    -UNSAID * unsaid.length +
    Number(isWho) +
    4 * (days.length + sides.length + limits.length) +
    2 * Number(subject.group !== undefined) +
    named;
  return plan;
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

const OF_PEOPLE = /^(?:sex|gender|age|geschlecht|alter|sexe|genre|[âa]ge|sexo|g[ée]nero|edad)$/iu;

/**
 * What a question calls the rows: "which cereal" in a table whose column of names has no heading, "patients" in one with
 * a column of their age or sex.
 */
function nameOfRows({ open, table: { columns } }: Planning): string[] {
  const isUnnamed = columns.filter(({ heading, type }) => heading === '' && type === 'text').length === 1;
  const isOfPeople = columns.some(({ heading }) => OF_PEOPLE.test(heading.trim()));
  return [
    ...(isUnnamed ? contentWords(WHICH.exec(open.text)?.[1] ?? '') : []),
    ...(isOfPeople ? contentWords(open.text).filter((word) => PEOPLE.has(word)) : []),
  ];
}

const WHO = /(?<!\p{L})(?:who|wer|qui|quien(?:es)?)(?!\p{L})/u;
/** As lists of staff write names, with the surname first. */
const isPerson = (value: string): boolean =>
  /^\p{Lu}[\p{L}'’-]+, \p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,3}$/u.test(value);

/** Tables with a column for each year: "in 2025" names the column. */
function yearHeadings(table: AskedTable, { periods }: FigureRequest): Column[] {
  const found = periods.flatMap(({ start }) => numbersOf(table).filter(({ heading }) => heading.trim() === start));
  return found.length === periods.length ? found : [];
}

/** Undefined if a period is asked for and the table has no column for it. */
function dayFilters({ table, request: { periods }, open }: Planning): Filter[] | undefined {
  if (periods.length === 0) return [];
  const days = table.columns.filter(({ type }) => type === 'date');
  const isYear = periods.every(({ start }) => /^\d{4}$/.test(start));
  const years = isYear
    ? table.columns.filter(
        ({ type, heading }) => type === 'number' && /^(?:year|jahr|ann[ée]e|año)$/i.test(heading.trim()),
      )
    : [];
  const column = days.length > 1 ? namedColumn(days, contentWords(open.text)) : (days[0] ?? years[0]);
  if (!column || column === 'unclear') return undefined;
  return periods.map((period) => ({
    column,
    said: `${column.heading} ${period.sign} ${period.start}`,
    sql: dayCondition(column, period),
  }));
}

function dayCondition(column: Column, { sign, start, hasYear }: Period): string {
  if (column.type === 'number') return `${columnText(column)} ${sign} ${start}`;
  return `substr(${columnText(column)}, ${hasYear ? 1 : 6}, ${start.length}) ${sign} ${quotedText(start)}`;
}

const TIMES: [RegExp, number][] = [
  [/^(?:months?|monthly|monat\w*|mois|mensuel\w*|mes(?:es)?)$/u, 7],
  [/^(?:years?|yearly|jahr\w*|ans?|annees?|anos?)$/u, 4],
  [/^(?:days?|daily|tag\w*|jours?|dias?)$/u, 10],
];
/** These words always begin a group; the others may. */
const GROUPED =
  /(?<!\p{L})(for each|for every|in each|in every|per|each|every|pro|je|jede[nrsm]?|pour chaque|par chaque|chaque|por cada|para cada|cada|by|nach|par|por)(?: (?:the|der|die|das|dem|den|einzelne[nrm]?))? ([\p{L}]+)(?: ([\p{L}]+))?/gu;

function takeGroup({ open, table, request }: Planning): FigureGroup | undefined | 'unclear' {
  for (const { index, 0: whole, 1: word = '', 2: first = '', 3: second = '' } of open.text.matchAll(GROUPED)) {
    if (request.kind === 'list' && /^(?:each|every)$/.test(word)) continue;
    const group = groupBy(table, [first, second].filter(Boolean)) ?? groupBy(table, [first]);
    if (!group) continue;
    if (group === 'unclear') return 'unclear';
    // "The top three by weight" says what they are ranked by.
    if (group.column.type === 'number' && isRanked(request)) {
      open.blank(index, word.length);
      continue;
    }
    open.blank(
      index,
      whole.length - (second !== '' && namesColumn(group.column, [stem(second)]) === 0 ? second.length : 0),
    );
    return group;
  }
  return undefined;
}

const isRanked = ({ kind }: FigureRequest): boolean => kind === 'most' || kind === 'least';

function groupBy(table: AskedTable, words: string[]): FigureGroup | undefined | 'unclear' {
  const days = table.columns.filter(({ type }) => type === 'date');
  const length = TIMES.find(([pattern]) => pattern.test(words[0] ?? ''))?.[1];
  const column = namedColumn(table.columns, words.map(stem));
  if (column === 'unclear') return 'unclear';
  if (column && column.type !== 'date') return { column };
  const [only] = days;
  return length && only && days.length === 1 ? { column: only, length } : undefined;
}

/** Undefined if it is unclear which column is compared with the number. */
function thresholds({ open, table, request: { threshold, rest } }: Planning): Filter[] | undefined {
  if (!threshold) return [];
  const { sign, number, unit, at, end } = threshold;
  const numbers = numbersOf(table);
  const near = `${rest.slice(Math.max(0, at - 40), at)}`;
  const after = /^\W*([\p{L}]+)/u.exec(rest.slice(end))?.[1] ?? '';
  const measured = unit === '' ? [] : numbers.filter(({ heading }) => headingWords(heading).includes(stem(unit)));
  const behind = measured.length === 1 ? measured[0] : namedColumn(numbers, [stem(after)]);
  const isNoun = after !== '' && !FIGURE_STOP_WORDS.has(after) && !NEUTRAL.has(stem(after));
  const before = lastNamed(numbers, contentWords(near));
  const column = behind ?? before ?? (numbers.length === 1 ? numbers[0] : undefined);
  if (!column || column === 'unclear' || (isNoun && !behind && after !== '¤')) return undefined;
  takeColumn(open, column);
  return [{ column, sql: `${columnText(column)} ${sign} ${number}`, said: `${column.heading} ${sign} ${number}` }];
}

function lastNamed(columns: readonly Column[], words: readonly string[]): Column | undefined | 'unclear' {
  for (const word of words.toReversed()) {
    const named = namedColumn(columns, [word]);
    if (named) return named;
  }
  return undefined;
}

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
  const ranked = kind === 'most' || kind === 'least' ? rankedGroup(planning, group) : undefined;
  if (ranked) return ranked;
  if (kind === 'difference') return differenceOf(planning, filters);
  const measure = measureOf(planning);
  if (measure === 'unclear') return undefined;
  if (measure) return { kind, measures: [measure], group, of: request.of };
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
  if (isNoun) return countSubject(planning, noun, group, free);
  const numbers = numbersOf(planning.table);
  const [quantity, another] = numbers.filter(({ heading }) => wordsOf(heading).some((word) => QUANTITY.test(word)));
  if (values === '' || numbers.length === 0 || isOfRows) return { kind: 'count', measures: [], group, of: undefined };
  return quantity && !another ? { kind: 'sum', measures: [quantity], group, of: undefined } : undefined;
}

const DIFFERENT =
  /(?<!\p{L})(?:different|distinct|unique|verschiedene\w*|differente?s|distint[oa]s|diferentes)(?!\p{L})/u;

function countSubject(
  { open, table, request }: Planning,
  noun: string,
  group: FigureGroup | undefined,
  free: readonly Column[],
): Subject | undefined {
  const words = [stem(noun)];
  const number = namedColumn(numbersOf(table), words);
  if (number === 'unclear') return undefined;
  // "How many hours did she work?" asks for the sum of a column that is called so.
  if (number) return { kind: 'sum', measures: [number], group, of: undefined };
  const isDistinct = DIFFERENT.test(request.rest);
  const texts = free.filter(({ type }) => type === 'text');
  const isOfRows = !isDistinct && headingWords(table.name).some((word) => words.includes(word));
  const text = isOfRows ? undefined : namedColumn(texts, words);
  if (isDistinct) open.take(DIFFERENT);
  if (text === 'unclear' || (isDistinct && !text)) return undefined;
  const other = isOfRows || isDistinct ? undefined : namedColumn(numbersOf(table), contentWords(open.text));
  // "How many votes did Gore get?" asks for the figures of the column Gore.
  if (!text && other && other !== 'unclear') return { kind: 'sum', measures: [other], group, of: undefined };
  return countOfNoun(text, words, isDistinct, group);
}

function countOfNoun(
  text: Column | undefined,
  words: readonly string[],
  isDistinct: boolean,
  group: FigureGroup | undefined,
): Subject {
  const isWhole = text && namesColumn(text, words) === 2;
  return { kind: 'count', measures: text && (isDistinct || isWhole) ? [text] : [], group, of: undefined };
}

const WHICH =
  /(?<!\p{L})(?:which|what|who|whose|welche[rsmn]?|wer|quel(?:le)?s?|qui|que|cual(?:es)?|quien(?:es)?)(?: (?:¤ *)?([\p{L}]+))?(?: ([\p{L}]+))?/u;
const OF_ROWS =
  /(?<!\p{L})(?:orders?|rows?|entries|records|times|often|sales|visits|lines|bestellungen|zeilen|mal|commandes|lignes|fois|pedidos|filas|veces)(?!\p{L})/u;
const SPENT =
  /(?<!\p{L})(?:spent|spend|paid|bought|earned|sold|ausgegeben|bezahlt|verkauft|depense|paye|vendu|gastado|gasto|pagado|pago|vendido)(?!\p{L})/u;

/** "Which customer spent the most in total?" asks for the highest of groups, not for the highest row. */
function rankedGroup(planning: Planning, group: FigureGroup | undefined): Subject | undefined {
  const { open, table, request } = planning;
  const { kind, rest } = request;
  const [, noun = '', second = ''] = WHICH.exec(open.text) ?? [];
  const texts = table.columns.filter(({ type }) => type === 'text');
  const named = group ?? whichColumn(table, texts, noun, second);
  if (!named) return undefined;
  const measure = measureOf(planning);
  const isMost = measure && measure !== 'unclear' ? namesColumn(measure, contentWords(rest)) > 0 : false;
  if (request.of === 'count' || (!isMost && OF_ROWS.test(rest) && !SPENT.test(rest))) {
    open.take(OF_ROWS);
    return { kind, measures: [], group: named, of: 'count' };
  }
  if (!measure || measure === 'unclear') return undefined;
  const isOfMany = asksForMany(request.asked) && isRepeated(named.column, planning.values);
  if (request.of || SPENT.test(rest) || group || isOfMany)
    return { kind, measures: [measure], group: named, of: request.of ?? 'sum' };
  return undefined;
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
      of: measure ? (planning.request.of ?? 'sum') : 'count',
    };
  }
  const words = contentWords(planning.open.text);
  const named = numbersOf(planning.table).filter((column) =>
    words.some((word) => headingWords(column.heading).some((one) => one === word)),
  );
  if (named.length === 2) planning.open.take(/(?<!\p{L})(?:between|zwischen|entre)(?!\p{L})/u);
  return named.length === 2 ? { kind: 'difference', measures: named, group: undefined, of: undefined } : undefined;
}

const isPair = (sides: readonly Filter[]): boolean => sides.length === 2 && sides[0]?.column === sides[1]?.column;

/** Words for money that need not stand in a heading. */
const OF_MONEY =
  /(?<!\p{L})(?:expensive|cheap\w*|dear(?:er|est)?|cost|costs|spent|spend|paid|pay|earned|money|salary|wages?|revenue|turnover|teuer\w*|gunstig\w*|umsatz|kosten|ausgegeben|bezahlt|gehalt|cher|chere|couts?|depense|paye|salaire|caro|cara|gastado|gasto|pagado|pago|pagaron|salario|coste)(?!\p{L})/u;
const MONEY =
  /(?:price|cost|amount|fee|total|revenue|salary|preis|kosten|betrag|umsatz|gehalt|prix|montant|salaire|importe|precio|coste|eur\b|usd\b|gbp\b|[$€£])/i;

/** The column of numbers that the question names best, or the only one. A count needs none. */
function measureOf({
  open,
  table,
  request: { kind, asked, rest, isOfDays },
}: Planning): Column | undefined | 'unclear' {
  const numbers = isOfDays ? table.columns.filter(({ type }) => type === 'date') : numbersOf(table);
  const words = contentWords(open.text);
  const named = namedColumn(numbers, words);
  // "The maximum load" may be the name of a column.
  if (named) return named === 'unclear' ? namedColumn(numbers, [...words, ...contentWords(asked)]) : named;
  const dimension = dimensionOf(asked);
  if (dimension) return onlyOne(numbers.filter(({ heading }) => dimension.test(heading)));
  const priced = numbers.filter(({ heading }) => MONEY.test(heading) || heading === '');
  if (OF_MONEY.test(rest) && priced.length === 1 && priced[0]) {
    open.take(OF_MONEY);
    return priced[0];
  }
  if (kind === 'share' || kind === 'compare' || kind === 'difference') return undefined;
  return onlyOne(numbers);
}

const onlyOne = ([first, second]: Column[]): Column | 'unclear' => (first && !second ? first : 'unclear');

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
