/** Finds what a question says of the rows it is about: its values, yes or no, open or paid, groups. */

import { ASKING, FIGURE_STOP_WORDS, fold, type OpenText, stem, wordsOf } from '../../../retrieval/words.ts';
import { areSynonyms } from '../synonyms.ts';
import {
  besideColumn,
  dayFilters,
  filledFilters,
  hasGaps,
  isEmpty,
  numberFilters,
  STARTED,
} from './column-conditions.ts';
import {
  type AskedTable,
  type Column,
  columnText,
  type FigureGroup,
  type Filter,
  type Plan,
} from './figure-statement.ts';
import { type FigureRequest, NEUTRAL, PEOPLE, ROW_NOUNS } from './figure-words.ts';
import {
  contentWords,
  headingWords,
  isAlike,
  isCounter,
  isUnique,
  MIN_SHORT,
  namedColumn,
  namesColumn,
  numbersOf,
  OF_PERSON,
  OPEN_STATES,
  type Planning,
  spaced,
  takeColumn,
  takeWord,
  valueFilter,
  valueFilters,
  withoutYear,
  yesAndNo,
} from './match-columns.ts';
import { dimensionOf, earnedColumn } from './measured-column.ts';
import { countryFilters, keyedFilters, wordFilters } from './short-names.ts';

type Conditions = Pick<Plan, 'days' | 'sides' | 'limits' | 'group'>;

const OLDEST = /^(?:oldest|altest|(?:l[ae]s? )?plus (?:age|vieux|vieille)|mas viej)/;
const YOUNGEST = /^(?:youngest|jungst|(?:l[ae]s? )?plus jeune|mas joven)/;
const LONGEST = /^(?:longest|langst\w*|am langsten|plus longtemps)$/;
/** Who has been there the longest started first. */
function byStart({ table, open, request }: Planning): FigureRequest | undefined {
  const isOfTime = table.columns.some(({ heading }) =>
    /duration|length|time|hours|dauer|l[äa]nge|dur[ée]e/i.test(heading),
  );
  const days = table.columns.filter(({ type }) => type === 'date');
  const isStart = days.length === 1 && STARTED.test(days[0]?.heading ?? '');
  if (isOfTime || !isStart) return undefined;
  open.take(
    /(?<!\p{L})(?:been )?(?:with|at|in) (?:the|our|us)(?: (?:company|firm|team|organi[sz]ation|club))?(?!\p{L})/u,
  );
  return { ...request, kind: 'least', isOfDays: true };
}

/** The oldest of people is not the first of days: with a column of ages, it is the highest of them. */
export function fitsAge(planning: Planning): boolean {
  const { table, request } = planning;
  if (LONGEST.test(request.asked)) planning.request = byStart(planning) ?? request;
  if (!OLDEST.test(request.asked) && !YOUNGEST.test(request.asked)) return true;
  const ages = numbersOf(table).filter(({ heading }) => dimensionOf('oldest')?.test(spaced(heading)));
  // A work order is not a worker.
  const isThing = (word: string) =>
    table.columns.some((column) => !OF_PERSON.test(spaced(column.heading)) && namesColumn(column, [word]) > 0);
  const isOfAge = ages.length === 1 || contentWords(request.rest).some((word) => PEOPLE.has(word) && !isThing(word));
  if (!isOfAge) return true;
  const kind = OLDEST.test(request.asked) ? 'most' : 'least';
  planning.request = { ...request, kind, asked: kind === 'most' ? 'oldest' : 'youngest', isOfDays: false };
  return ages.length === 1;
}

/** Undefined if a condition of the question is unclear. */
export function conditionsOf(planning: Planning, years: Column[]): Conditions | undefined {
  const { periods, rest } = planning.request;
  // Of two quarters, only the first was read.
  if (periods.length > 0 && QUARTER.test(rest)) return undefined;
  const days = years.length > 0 ? [] : dayFilters(planning);
  const apart = [...besideColumn(planning), ...openFilters(planning), ...gapFilters(planning)];
  const keyed = keyedFilters(planning);
  const countries = countryFilters(planning);
  const named = valueFilters(planning);
  const sides = named && [...countries, ...named, ...wordFilters(planning, named)];
  takeRowNoun(planning);
  const group = takeGroup(planning);
  const limits = numberFilters(planning);
  if (!days || !sides || !limits || group === 'unclear') return undefined;
  const taken = sides.flatMap(({ column, value }) => (value === undefined ? [] : [column]));
  const flags = flagFilters(planning, [group?.column, ...taken]);
  const filled = filledFilters(planning);
  if (!flags || !filled) return undefined;
  const all = [...apart, ...sides, ...keyed, ...flags];
  const numbers = [...limits, ...filled, ...all.filter(({ value }) => value === undefined)];
  return apartOf(planning.request, {
    days,
    sides: all.filter(({ value }) => value !== undefined),
    limits: numbers.filter(({ sql }, at) => numbers.findIndex((other) => other.sql === sql) === at),
    group,
  });
}

/** Beside the part of a share and the sides of a comparison, other values limit the rows: "what share of the women survived". */
function apartOf({ kind }: FigureRequest, conditions: Conditions): Conditions {
  const { sides, limits } = conditions;
  const columns = [...Map.groupBy(sides, ({ column }) => column).values()];
  const chosen = columns.filter((filters) => (kind === 'share' ? filters[0]?.isFlag : isPair(filters)));
  const [part] = chosen;
  const others = columns.filter((filters) => filters !== part);
  const isApart = kind === 'share' || kind === 'compare' || kind === 'difference';
  if (!isApart || !part || chosen.length > 1 || others.some(({ length }) => length > 1)) return conditions;
  return { ...conditions, sides: part, limits: [...limits, ...others.flat()] };
}

export const isPair = (sides: readonly Filter[]): boolean =>
  sides.length === 2 && sides[0]?.column === sides[1]?.column;

const QUARTER = /(?<!\p{L})q[1-4](?!\d)/iu;
/** How headings write a period: by its quarter or its year. */
const wordOf = ({ said, start }: FigureRequest['periods'][number]): string => QUARTER.exec(said)?.[0] ?? start;

/** "In 2025" names the column `2025`, or `Sales 2025` where the question is of sales, and "in Q2" the column `Sales Q2`. */
export function yearHeadings(table: AskedTable, request: FigureRequest): Column[] {
  const { periods, rest, asked } = request;
  const words = contentWords(`${rest} ${asked}`);
  const said = [...new Set(periods.filter(({ said: text, hasYear }) => !hasYear || !QUARTER.test(text)).map(wordOf))];
  const found = said.flatMap((word) => {
    const ofYear = numbersOf(table).filter(({ heading }) => wordsOf(heading).includes(word));
    const without = (heading: string) =>
      QUARTER.test(word) ? withoutYear(heading).replace(QUARTER, '').trim() : withoutYear(heading);
    const bare = ofYear.map((column) => ({ ...column, heading: without(column.heading) }));
    const [whole, another] = bare.filter(({ heading }) => heading === '');
    // `Q2 2023` and `Q2 2024` are both called by the quarter.
    if (another) return [];
    const named = whole ?? namedColumn(bare, words) ?? earnedColumn(request, { columns: bare });
    return ofYear.filter((_, at) => bare[at] === named);
  });
  return found.length === said.length ? found : [];
}

const TIMES: [RegExp, number][] = [
  [/^(?:months?|monthly|monat\w*|mois|mensuel\w*|mes(?:es)?)$/u, 7],
  [/^(?:years?|yearly|jahr\w*|ans?|annees?|anos?)$/u, 4],
  [/^(?:days?|daily|tag\w*|jours?|dias?)$/u, 10],
];
/** These words always begin a group; the others may. */
const GROUPED =
  /(?<!\p{L})(for each|for every|in each|in every|per|each|every|pro|je|jede[nrsm]?|pour chaque|par chaque|chaque|por cada|para cada|cada|by|nach|par|por)(?: (?:of the|the|der|die|das|dem|den|einzelne[nrm]?))?(?: (number|type|kind|anzahl|nombre|type|tipo|numero) (?:of|de|der))? ([\p{L}]+)(?: (?!(?:by|per|pro|nach|par|por)(?!\p{L}))([\p{L}]+)(?: (?=([\p{L}]+)))?)?/gu;

/** "By a society" is a condition where a column says yes or no to it. */
const ARTICLE = /^(?:an?|une?|un[ao]|eine[rmn]?)$/;
const isOfFlag = ({ table, values }: Planning, [first = '', noun = '']: string[]): boolean =>
  ARTICLE.test(first) &&
  table.columns.some((column) => namesColumn(column, [stem(noun)]) > 0 && yesAndNo(column, values) !== undefined);

function takeGroup(planning: Planning): FigureGroup | undefined | 'unclear' {
  const { open, request } = planning;
  for (const found of open.text.matchAll(GROUPED)) {
    const [, word = '', , first = '', second = ''] = found;
    if ((request.kind === 'list' && /^(?:each|every)$/.test(word)) || isOfFlag(planning, [first, second])) continue;
    const group = groupIn(planning, found);
    if (group) return group;
  }
  return undefined;
}

function groupIn(planning: Planning, found: RegExpExecArray): FigureGroup | undefined | 'unclear' {
  const { open, table } = planning;
  const [whole = '', word = '', kind = '', first = '', second = '', third = ''] = found;
  const named = groupNamed(table, [first, second, third, kind].filter(Boolean));
  const isWhole = named !== undefined && named !== 'unclear' && namesColumn(named.column, [stem(first)]) === 2;
  const isOfRows = !isWhole && isAgent(planning, open.text.slice(0, found.index), [word, first]);
  const group = isOfRows ? undefined : named;
  // "Per capita" is a part of a name, as `GDP per capita`.
  if (!group && (isOfRows || isPerOne(table, first))) open.blank(found.index, word.length);
  if (!group || group === 'unclear') return group;
  const part = partOfGroup(planning, group, [word, first, second]);
  const both = whole.trimEnd().length;
  const length = { preposition: word.length, noun: both - second.length, both, first: both - second.length };
  open.blank(found.index, length[part]);
  return part === 'both' || part === 'first' ? group : undefined;
}

/** By two words or one; the word behind them or "type of" before them tells two columns apart. */
function groupNamed(table: AskedTable, words: string[]): FigureGroup | undefined | 'unclear' {
  const group = groupBy(table, words.slice(0, 2)) ?? groupBy(table, words.slice(0, 1));
  return group === 'unclear' && words.length > 2 ? groupBy(table, words) : group;
}

/** "Individuals affected by breaches" names what the rows are, and no groups. */
function isAgent({ table }: Planning, before: string, [word, noun = '']: string[]): boolean {
  const [, verb = ''] = /(?<!\p{L})(\p{L}+ed) $/u.exec(before) ?? [];
  const isOfRows = /s$/.test(noun) && (ROW_NOUNS.has(stem(noun)) || headingWords(table.name).includes(stem(noun)));
  return word === 'by' && isOfRows && numbersOf(table).some((column) => namesColumn(column, [stem(verb)]) > 0);
}

const isOfColumn = (word: string, { column }: FigureGroup): boolean =>
  word !== '' && namesColumn(column, [stem(word)]) > 0;

/** "The average per order" is that of all rows, if each is one order. */
const isPerRow = ({ request, table, values }: Planning, { column }: FigureGroup, [word = '', ...nouns]: string[]) =>
  request.kind === 'average' &&
  /^(?:per|pro|je|par|por)$/.test(word) &&
  isUnique(column, values) &&
  nouns.map(stem).some((noun) => ROW_NOUNS.has(noun) || headingWords(table.name).includes(noun));

/**
 * What of "per first second" is read: both or the first word as the group, or, without a group, the preposition ("the top
 * three by weight" says what they are ranked by) or the noun too ("salary per month" names monthly salaries).
 */
function partOfGroup(planning: Planning, group: FigureGroup, [word, first, second]: [string, string, string]) {
  if (group.column.type === 'number' && isRanked(planning.request)) return 'preposition';
  if (isNamedPer(planning, group, first) || isPerRow(planning, group, [word, first, second])) return 'noun';
  return second === '' || isOfColumn(second, group) ? 'both' : 'first';
}

const PER_ONE = /(?:[\p{L}€$£]\s*\/|(?<!\p{L})(?:per|pro|je|par|por)\s)\s*(\p{L}+)/gu;

function isNamedPer({ table }: Planning, { length }: FigureGroup, time: string): boolean {
  const per = TIMES.find(([pattern]) => pattern.test(time))?.[0];
  const isNamed = numbersOf(table).some(({ heading }) => wordsOf(spaced(heading)).some((word) => per?.test(word)));
  return isPerOne(table, time) || (length !== undefined && isNamed);
}

/** "Per night" is a part of the name `Rate/night`. */
const isPerOne = (table: AskedTable, one: string): boolean =>
  numbersOf(table).some(({ heading }) =>
    Array.from(fold(spaced(heading)).matchAll(PER_ONE)).some(([, word = '']) => isAlike(stem(word), stem(one))),
  );

/** "The average per match" is that of all rows. */
function takeRowNoun({ open, table, request }: Planning): void {
  const found = /(?<!\p{L})(?:per|pro|je|par|por) (\p{L}+)/u.exec(open.text);
  if (request.kind === 'average' && found && isRowNoun(found[1] ?? '', table)) open.blank(found.index, found[0].length);
}

/** "Matches" are rows where no column holds matches. */
export const isRowNoun = (word: string, { columns, name }: AskedTable): boolean =>
  ((ROW_NOUNS.has(stem(word)) || headingWords(name).includes(stem(word))) &&
    columns.every((column) => namesColumn(column, [stem(word)]) === 0)) ||
  columns.some((column) => isCounter(column) && headingWords(column.heading).includes(stem(word)));

const POPULATION = stem('population');

/** The column of numbers that is called so. "How many people" may ask for the figures of a column such as `Staff`. */
function numberCalled(table: AskedTable, nouns: readonly string[]): Column | undefined | 'unclear' {
  const named = namedColumn(numbersOf(table), nouns);
  if (named || !nouns.some((noun) => PEOPLE.has(noun))) return named;
  const isOfPeople = ({ heading }: Column) =>
    headingWords(heading).some((word) => PEOPLE.has(word) || word === POPULATION || areSynonyms(word, POPULATION));
  const [column, another] = numbersOf(table).filter(isOfPeople);
  return another ? undefined : column;
}

/** "How many hours did she work?" asks for the sum of a column that is called so. */
export function takeNumberCalled({ open, table }: Planning, nouns: readonly string[]): Column | undefined | 'unclear' {
  const number = numberCalled(table, nouns);
  if (number && number !== 'unclear') for (const noun of nouns.filter((one) => PEOPLE.has(one))) takeWord(open, noun);
  return number;
}

export const isRanked = ({ kind }: Pick<Plan, 'kind'>): boolean => kind === 'most' || kind === 'least';

export function groupBy(table: AskedTable, words: string[]): FigureGroup | undefined | 'unclear' {
  const days = table.columns.filter(({ type }) => type === 'date');
  const length = TIMES.find(([pattern]) => pattern.test(words[0] ?? ''))?.[1];
  const column = namedColumn(table.columns, words.map(stem));
  if (column === 'unclear') return 'unclear';
  if (column && column.type !== 'date') return { column };
  const [first] = days;
  return length && first ? { column: first, length } : undefined;
}

/** What marks a row that is not what the name of its column says. */
const OPPOSITE = /^(?:un|non|not|in|im|nicht)/u;
const NEGATED =
  /(?<!\p{L})(?:not|never|nicht|non|pas|no|without|ohne|sans|sin)(?: (?:been|yet|noch|encore|ete|an?|eine?|in|im|en|on|at)){0,2} *$/u;
/** Words that are the opposite of a column's name. */
const ANTONYMS: [RegExp, RegExp][] = [
  [/^surviv/, /^(?:die[ds]?|dead|deaths?|perish\w*|killed)$/],
  [/^(?:uberleb|gerettet)/, /^(?:gestorben\w*|starben|tot\w*)$/],
  [/^paid$/, /^(?:outstanding|owing|owed)$/],
  [/^bezahlt$/, /^(?:offene?n?|ausstehende?n?)$/],
  [/^full/, /^part$/],
  [/^vollzeit/, /^teilzeit$/],
];

/** "Smokers" and "unpaid" are the rows whose column says yes or no. Undefined if the question may mean others. */
function flagFilters(planning: Planning, taken: readonly (Column | undefined)[]): Filter[] | undefined {
  const { open, table, values } = planning;
  const filters: Filter[] = [];
  for (const column of table.columns) {
    const answers = yesAndNo(column, values);
    if (!answers || taken.includes(column)) continue;
    const parts = wordsOf(spaced(column.heading)).filter((word) => word.length > 1 && !FIGURE_STOP_WORDS.has(word));
    const isShort = column.heading.endsWith('.');
    const words = parts.flatMap((part) => flagWord(open.text, part, isShort) ?? []);
    const isNo = words.some(({ isOpposite }) => isOpposite);
    const value = isNo ? answers.no : answers.yes;
    if (words.length === 0 || (value === undefined && !isNo)) continue;
    if (words.length < parts.length || value === undefined) return undefined;
    takeFlag(open, words);
    filters.push({ ...valueFilter(column, value), isFlag: true });
  }
  return filters;
}

/** "The unpaid invoices that are still open" says it twice. */
function takeFlag(open: OpenText, words: readonly { at: number; length: number }[]): void {
  const isOpen = words.some(({ at, length }) => OPEN.test(open.text.slice(at, at + length)));
  for (const { at, length } of words) open.blank(at, length);
  while (isOpen && open.take(OPEN));
}

/** The word of the question that says a part of a heading, or its opposite: "unpaid" or "not paid" where it is "paid", or `pd.` */
function flagWord(
  text: string,
  part: string,
  isShort = false,
): { at: number; length: number; isOpposite: boolean } | undefined {
  const isSaid = (word: string) => isForm(word, part) || (isShort && part.length >= MIN_SHORT && word.startsWith(part));
  for (const { 0: word, index } of text.matchAll(/[\p{L}]+/gu)) {
    const rest = word.replace(OPPOSITE, '');
    const isOpposite =
      (rest !== word && isSaid(rest)) || ANTONYMS.some(([of, other]) => of.test(part) && other.test(word));
    if (!isOpposite && !isSaid(word)) continue;
    const before = isOpposite ? undefined : NEGATED.exec(text.slice(0, index));
    const at = before?.index ?? index;
    return {
      at,
      length: index + word.length - at,
      isOpposite: isOpposite || (before !== null && before !== undefined),
    };
  }
  return undefined;
}

const MIN_FORM = 4;
const MIN_ROOT = 5;
/** Endings of verbs and of the nouns made of them, in four languages. */
const ENDING =
  /^(?:[aeo]s?|ed|er?s?|ing|ion|ment|ung|te?n?|ete?n?|[aei]?(?:n|r|d[ao]s?|ron|ban?|ndo)|ieron|ees?|ent|ant|aient|ont)?$/;
/** "Survivors" and "survive" are forms of "survived", and "abandonaron" is one of "abandono". */
function isForm(word: string, part: string): boolean {
  const [one, other] = [stem(word), stem(part)];
  if (FIGURE_STOP_WORDS.has(word)) return false;
  const root = [...word].findIndex((letter, at) => letter !== part[at]);
  if (root >= MIN_ROOT && ENDING.test(word.slice(root)) && ENDING.test(part.slice(root))) return true;
  return (
    one === other ||
    (Math.min(one.length, other.length) >= MIN_FORM &&
      (one.startsWith(other) || other.startsWith(one)) &&
      one[0] === other[0])
  );
}

/** What is not paid yet, and what is. */
const OPEN =
  /(?<!\p{L})(?:(?:still |yet )?(?:unpaid|outstanding|unsettled)|(?:not|never) (?:been )?(?:yet )?(?:been )?(?:paid|settled)(?: yet)?|still (?:open|to pay)|still owed?|owe[sd]?(?: us)?|(?:noch )?(?:nicht|un)[ -]?bezahlt\p{L}*|(?:noch )?(?:offen|ausstehend)\p{L}*|schulde[nt](?: uns)?|impaye\p{L}*|(?:pas|non) (?:encore )?(?:ete )?payee?s?|(?:nous )?doi(?:t|vent)|(?:sin|no) pagar|pendientes?(?: de pago)?|impagad\p{L}*|debe)(?!\p{L})/u;
const PAID = /(?<!\p{L})(?:paid|settled|bezahlt\p{L}*|payee?s?|regle\p{L}*|pagad[oa]s?)(?!\p{L})/u;
const PAID_ON =
  /(?<!\p{L})(?:paid|settled|payment|bezahlt|zahlung(?:sdatum|seingang)?|pay[ée]e?|paiement|r[ée]gl[ée]e?|pagad[oa]|pago)(?!\p{L})/iu;

const isFilled = (column: Column): Filter => ({
  column,
  sql: `${columnText(column)} IS NOT NULL`,
  said: `${column.heading} not empty`,
});

/** By a column of states, or by the day of the payment. */
function openFilters({ open, table, values, request }: Planning): Filter[] {
  const states = table.columns.flatMap((column) => {
    const own = values.filter(
      ([of, name, value]) => of === column.table && name === column.column && OPEN_STATES.includes(fold(value)),
    );
    return own.length > 0 ? [own.map(([, , value]) => valueFilter(column, value))] : [];
  });
  const [day, second] = table.columns.filter(({ type, heading }) => type === 'date' && PAID_ON.test(spaced(heading)));
  const [state, another] = states;
  const isOne = (state !== undefined) !== (day !== undefined) && !second && !another;
  if (!isOne) return [];
  if (open.take(OPEN)) {
    while (open.take(/(?<!\p{L})(?:open|outstanding|unpaid|offene?\p{L}*)(?!\p{L})/u));
    return state ?? (day ? [isEmpty(day)] : []);
  }
  // "How much has been paid" adds up the column of what was paid.
  const isAmount = numbersOf(table).some(({ heading }) => PAID_ON.test(spaced(heading)));
  if (!day || (isAmount && request.kind !== 'list' && request.kind !== 'count') || !open.take(PAID)) return [];
  return [isFilled(day)];
}

/** "Not delivered yet" are the rows without a day of delivery, where the column of these days has gaps. */
function gapFilters({ open, table, values, request }: Planning): Filter[] {
  if (request.periods.length > 0) return [];
  const days = table.columns.filter((column) => column.type === 'date' && hasGaps(column, values));
  const parts = days.flatMap((column) => wordsOf(spaced(column.heading)).map((word) => ({ column, word })));
  for (const { column, word } of parts.filter((part) => part.word.length > MIN_PART && !OF_DAY.test(part.word))) {
    const said = flagWord(open.text, word);
    if (!said || !(said.isOpposite || (request.kind === 'count' && isFact(open, said)))) continue;
    open.blank(said.at, said.length);
    return [said.isOpposite ? isEmpty(column) : isFilled(column)];
  }
  return [];
}

const isFact = ({ text }: OpenText, { at }: { at: number }): boolean => !NAMED_BEFORE.test(text.slice(0, at));

/** "In the Returned column" names the column, where "was returned" says something of the rows. */
const NAMED_BEFORE = /(?<!\p{L})(?:the|in|by|per|der|die|das|la|le|el|with|without|nothing|no) *$/u;
const MIN_PART = 3;
const OF_DAY = /^(?:date|datum|fecha|day|tag|jour|time)$/;

/** A row of this table, or of these two, is none of what another table holds. */
export const isElsewhere = ({ table, others }: Planning, noun: string): boolean =>
  others.includes(noun) || table.lookup?.includes(noun) === true;

/** One word of a question is not a value of one column and the heading of another: "whose inspection is due" filters by no inspection. */
function isReadTwice({ request: { rest } }: Planning, { sides, days, limits, measures }: Plan): boolean {
  const said = wordsOf(rest).map(stem);
  const others = [...measures, ...[...days, ...limits].map(({ column }) => column)];
  return sides.some(({ column, value }) => {
    const words = wordsOf(value ?? '').map(stem);
    return others.some(
      (other) =>
        other !== column &&
        words.every(
          (word) => headingWords(other.heading).includes(word) && said.indexOf(word) === said.lastIndexOf(word),
        ),
    );
  });
}

/** What a value is called: "the T3b line". */
const BEHIND_VALUE = /(?<=¤ *)(?:line|route|type|model|brand|category|series|version)(?=\W*$)/u;

/** A column that the question names and the plan does not use may be a condition, as in "with a discount". */
function mentionsFit({ open, table, values }: Planning, { kind, days, sides, limits }: Plan): boolean {
  for (const { column } of [...days, ...sides, ...limits]) takeColumn(open, column);
  if (kind === 'count') open.take(BEHIND_VALUE);
  const showsRows = kind === 'most' || kind === 'least' || kind === 'list';
  for (const column of table.columns) {
    if (namesColumn(column, contentWords(open.text)) === 0) continue;
    const isCondition = new RegExp(
      `(?:with|having|whose|where|mit|deren|avec|dont|con|cuy[oa]s?) (?:an? |the |einen? |une? |del? )?(?:${headingWords(column.heading).join('|')})`,
      'u',
    ).test(open.text);
    const isFigure = yesAndNo(column, values) !== undefined || numbersOf(table).includes(column);
    if (!showsRows && (isCondition || isFigure)) return false;
    takeColumn(open, column);
  }
  return true;
}

/** "The delivery cost" is not asked of the day of delivery. */
const QUANTITIES = new Set(
  'cost costs price rate level amount value number weight fee kosten preis betrag wert gewicht gebuhr nummer montant prix taux poids valor precio importe coste peso'
    .split(' ')
    .map(stem),
);
/** Rows are no answer to these. */
const ASKS_ELSE =
  /^\W*(?:who|when|where|why|how|wer|wann|wo|warum|wie|weshalb|qui|quand|ou|pourquoi|comment|quien(?:es)?|cuando|donde|por que|como)(?!\p{L})/u;
const ASKS_VALUE =
  /^\W*(?:what|was|wie|quel(?:le)?|cual|que) (?:is|are|was|were|ist|sind|war|est|sont|etait|es|son|fue)(?!\p{L})/u;
/** A question without words for a figure asks for the rows that it describes, or for a column of them. */
function describesRows({ request, table }: Planning, { sides, days, limits, measures }: Plan): boolean {
  const filters = [...sides, ...days, ...limits];
  const [key] = table.columns;
  const asksValue = ASKS_VALUE.test(request.rest) || filters.some(({ column, value }) => column === key && value);
  const named = [...measures, ...filters.map(({ column }) => column)];
  const isSaid = contentWords(request.rest)
    .filter((word) => QUANTITIES.has(word))
    .every((word) => named.some((column) => namesColumn(column, [word]) > 0));
  const isOfRows = !asksValue && !ASKS_ELSE.test(request.rest);
  return filters.length > 0 && isSaid && (measures.length > 0 || isOfRows);
}

const OF_ROW =
  /^(?:(?:at|on|in|by|with|for|from|to|of|under|bei|an|am|in|von|mit|aus|auf|zu|fur|a|de|dans|par|pour|avec|en|con|por|para) )?(?:which|what|who|whose|when|where|welche[rsmn]?|was|wer|wann|wo|quel(?:le)?s?|qui|quand|ou|cual(?:es)?|que|quien|cuando|donde)(?!\p{L})/u;
/** Whether a second part asks for cells of the row that the first shows: "and with which variety". */
export function asksOfRow(rest: string, { columns }: AskedTable): boolean {
  const [, ...words] = fold(rest.normalize('NFC')).replace(OF_ROW, '¤').split('¤');
  const asked = contentWords(words.join(' ')).filter((word) => !ASKING.has(word) && !NEUTRAL.has(word));
  return words.length > 0 && asked.every((word) => columns.some((column) => namesColumn(column, [word]) > 0));
}

/** Whether the rows of the plan are those that the question describes. */
export function fitsRows(planning: Planning, plan: Plan): boolean {
  const { isNamed, kind } = planning.request;
  if (!isNamed && kind === 'list' && !describesRows(planning, plan)) return false;
  return mentionsFit(planning, plan) && !isReadTwice(planning, plan);
}
