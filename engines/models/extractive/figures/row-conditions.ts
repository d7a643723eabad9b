/** Finds what a question says of the rows it is about: their days, their numbers, yes or no, money in or out. */

import { FIGURE_STOP_WORDS, fold, stem, wordsOf } from '../words.ts';
import {
  type AskedTable,
  type Column,
  columnText,
  type FigureGroup,
  type Filter,
  type Plan,
  quotedText,
} from './figure-statement.ts';
import {
  dimensionOf,
  type FigureRequest,
  NEUTRAL,
  type OpenText,
  PEOPLE,
  type Period,
  ROW_NOUNS,
} from './figure-words.ts';
import {
  type ColumnValue,
  contentWords,
  headingWords,
  NO,
  namedColumn,
  namesColumn,
  numbersOf,
  OPEN_STATES,
  SIGNED,
  spaced,
  takeColumn,
  valueFilter,
  valueFilters,
  YES,
} from './match-columns.ts';
import { columnOf, dayColumn, STARTED } from './measured-column.ts';
import { keyedFilters } from './row-keys.ts';

export type Planning = {
  open: OpenText;
  table: AskedTable;
  request: FigureRequest;
  values: readonly ColumnValue[];
  /** Words of the names of other tables. */
  others: readonly string[];
};

type Conditions = Pick<Plan, 'days' | 'sides' | 'limits' | 'group'>;

const AGED = /^(?:oldest|youngest|altest|jungst)/;
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
  if (!AGED.test(request.asked)) return true;
  const ages = numbersOf(table).filter(({ heading }) => dimensionOf('oldest')?.test(spaced(heading)));
  const isOfAge = ages.length === 1 || contentWords(request.rest).some((word) => PEOPLE.has(word));
  if (!isOfAge) return true;
  const kind = /^(?:oldest|altest)/.test(request.asked) ? 'most' : 'least';
  planning.request = { ...request, kind, asked: kind === 'most' ? 'oldest' : 'youngest', isOfDays: false };
  return ages.length === 1;
}

/** Undefined if a condition of the question is unclear. */
export function conditionsOf(planning: Planning, years: Column[]): Conditions | undefined {
  const days = years.length > 0 ? [] : dayFilters(planning);
  const apart = [...lateFilters(planning), ...openFilters(planning), ...besideColumn(planning)];
  const keyed = keyedFilters(planning);
  const sides = valueFilters(planning);
  takeRowNoun(planning);
  const group = takeGroup(planning);
  const limits = thresholds(planning);
  if (!days || !sides || !limits || group === 'unclear') return undefined;
  const flags = flagFilters(planning, [group?.column, ...sides.map(({ column }) => column)]);
  const signs = signFilters(planning);
  if (!flags || !signs) return undefined;
  const all = [...apart, ...sides, ...keyed, ...flags];
  const numbers = [...limits, ...signs, ...emptyFilters(planning), ...all.filter(({ value }) => value === undefined)];
  return apartOf(planning.request, {
    days,
    sides: all.filter(({ value }) => value !== undefined),
    limits: numbers,
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

/** Tables with a column for each year: "in 2025" names the column. */
export function yearHeadings(table: AskedTable, { periods }: FigureRequest): Column[] {
  const found = periods.flatMap(({ start }) => numbersOf(table).filter(({ heading }) => heading.trim() === start));
  return found.length === periods.length ? found : [];
}

const TIMES: [RegExp, number][] = [
  [/^(?:months?|monthly|monat\w*|mois|mensuel\w*|mes(?:es)?)$/u, 7],
  [/^(?:years?|yearly|jahr\w*|ans?|annees?|anos?)$/u, 4],
  [/^(?:days?|daily|tag\w*|jours?|dias?)$/u, 10],
];
/** These words always begin a group; the others may. */
const GROUPED =
  /(?<!\p{L})(for each|for every|in each|in every|per|each|every|pro|je|jede[nrsm]?|pour chaque|par chaque|chaque|por cada|para cada|cada|by|nach|par|por)(?: (?:the|der|die|das|dem|den|einzelne[nrm]?))?(?: (?:number|type|kind|anzahl|nombre|type|tipo|numero) (?:of|de|der))? ([\p{L}]+)(?: ([\p{L}]+))?/gu;

function takeGroup(planning: Planning): FigureGroup | undefined | 'unclear' {
  const { open, table, request } = planning;
  for (const { index, 0: whole, 1: word = '', 2: first = '', 3: second = '' } of open.text.matchAll(GROUPED)) {
    if (request.kind === 'list' && /^(?:each|every)$/.test(word)) continue;
    const group = groupBy(table, [first, second].filter(Boolean)) ?? groupBy(table, [first]);
    if (!group) continue;
    if (group === 'unclear') return 'unclear';
    const part = partOfGroup(planning, group, first, second);
    const length = {
      preposition: word.length,
      time: whole.length - second.length,
      both: whole.length,
      first: whole.length - second.length,
    };
    open.blank(index, length[part]);
    if (part === 'both' || part === 'first') return group;
  }
  return undefined;
}

const isOfColumn = (word: string, { column }: FigureGroup): boolean =>
  word !== '' && namesColumn(column, [stem(word)]) > 0;

/** "The top three by weight" says what they are ranked by, and "salary per month" names monthly salaries. */
function partOfGroup(planning: Planning, group: FigureGroup, first: string, second: string) {
  if (group.column.type === 'number' && isRanked(planning.request)) return 'preposition';
  if (isNamedPer(planning, group, first)) return 'time';
  return second === '' || isOfColumn(second, group) ? 'both' : 'first';
}

function isNamedPer({ table }: Planning, { length }: FigureGroup, time: string): boolean {
  const per = TIMES.find(([pattern]) => pattern.test(time))?.[0];
  const isNamed = numbersOf(table).some(({ heading }) => wordsOf(spaced(heading)).some((word) => per?.test(word)));
  return length !== undefined && isNamed;
}

/** "The average per match" is that of all rows. */
function takeRowNoun({ open, table, request }: Planning): void {
  const found = /(?<!\p{L})(?:per|pro|je|par|por) (\p{L}+)/u.exec(open.text);
  if (request.kind === 'average' && found && isRowNoun(found[1] ?? '', table)) open.blank(found.index, found[0].length);
}

/** "Matches" are rows where no column holds matches. */
export const isRowNoun = (word: string, { columns, name }: AskedTable): boolean =>
  (ROW_NOUNS.has(stem(word)) || headingWords(name).includes(stem(word))) &&
  columns.every((column) => namesColumn(column, [stem(word)]) === 0);

/** The column of numbers that is called so. "How many people" may ask for the figures of a column such as `Staff`. */
export function numberCalled(table: AskedTable, nouns: readonly string[]): Column | undefined | 'unclear' {
  const named = namedColumn(numbersOf(table), nouns);
  if (named || !nouns.some((noun) => PEOPLE.has(noun))) return named;
  const isOfPeople = ({ heading }: Column) => headingWords(heading).some((word) => PEOPLE.has(word));
  const [column, another] = numbersOf(table).filter(isOfPeople);
  return another ? undefined : column;
}

export const isRanked = ({ kind }: Pick<Plan, 'kind'>): boolean => kind === 'most' || kind === 'least';

export function groupBy(table: AskedTable, words: string[]): FigureGroup | undefined | 'unclear' {
  const days = table.columns.filter(({ type }) => type === 'date');
  const length = TIMES.find(([pattern]) => pattern.test(words[0] ?? ''))?.[1];
  const column = namedColumn(table.columns, words.map(stem));
  if (column === 'unclear') return 'unclear';
  if (column && column.type !== 'date') return { column };
  const [only] = days;
  return length && only && days.length === 1 ? { column: only, length } : undefined;
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
  const column = years[0] ?? dayColumn(days, open);
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

/** Undefined if it is unclear which column is compared with the number. */
function thresholds(planning: Planning): Filter[] | undefined {
  const { open, request } = planning;
  const { threshold, rest } = request;
  if (!threshold) return [];
  const { sign, number, unit, at } = threshold;
  const isMoney = /^(?:eur|usd|gbp|chf)/.test(unit) || COSTS.test(rest.slice(Math.max(0, at - NEAR), at));
  const column = comparedColumn(planning, threshold, isMoney);
  if (!column || (unit === '%' && !columnOf('percent', [column]))) return undefined;
  takeColumn(open, column);
  if (isMoney) open.take(COSTS);
  const shown = columnText({ ...column, column: `${column.column}_text` });
  // A cell that shows 70 % is stored as 0.7.
  const factor = unit === '%' ? `iif(instr(${shown}, '%') > 0, 100, 1) * ` : '';
  const said = `${column.heading} ${sign} ${number}`;
  return [{ column, sql: `${factor}${columnText(column)} ${sign} ${number}`, said }];
}

const NEAR = 40;
type Threshold = NonNullable<FigureRequest['threshold']>;

function comparedColumn(
  { table, request: { rest } }: Planning,
  { words, unit, at, end }: Threshold,
  isMoney: boolean,
): Column | undefined {
  const numbers = numbersOf(table);
  const after = /^\W*([\p{L}]+)/u.exec(rest.slice(end))?.[1] ?? '';
  const measured = unit === '' ? [] : numbers.filter(({ heading }) => headingWords(heading).includes(stem(unit)));
  const behind = measured.length === 1 ? measured[0] : namedColumn(numbers, [stem(after)]);
  const isNoun = after !== '' && !FIGURE_STOP_WORDS.has(after) && !NEUTRAL.has(stem(after));
  if (isNoun && !behind && after !== '¤') return undefined;
  const before = lastNamed(numbers, contentWords(rest.slice(Math.max(0, at - NEAR), at)));
  const dimension = dimensionOf(words);
  const [measure, second] = dimension ? numbers.filter(({ heading }) => dimension.test(heading)) : [];
  const named = behind ?? (second ? undefined : measure) ?? before ?? (isMoney ? columnOf('each', numbers) : undefined);
  const column = named ?? (numbers.length === 1 ? numbers[0] : undefined);
  return column === 'unclear' ? undefined : column;
}

const COSTS = /(?<!\p{L})(?:costs?|costing|kosten|kostet|coute\w*|cuesta\w*)(?!\p{L})/u;

function lastNamed(columns: readonly Column[], words: readonly string[]): Column | undefined | 'unclear' {
  for (const word of words.toReversed()) {
    const named = namedColumn(columns, [word]);
    if (named) return named;
  }
  return undefined;
}

/** What marks a row that is not what the name of its column says. */
const OPPOSITE = /^(?:un|non|not|in|nicht)/u;
const NEGATED =
  /(?<!\p{L})(?:not|never|nicht|non|pas|no|without|ohne|sans|sin)(?: (?:been|yet|noch|encore|an?|eine?))? *$/u;
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
    const words = parts.flatMap((part) => flagWord(open.text, part) ?? []);
    const isNo = words.some(({ isOpposite }) => isOpposite);
    const value = isNo ? answers.no : answers.yes;
    if (words.length === 0 || (value === undefined && !isNo)) continue;
    if (words.length < parts.length || value === undefined) return undefined;
    for (const { at, length } of words) open.blank(at, length);
    filters.push({ ...valueFilter(column, value), isFlag: true });
  }
  return filters;
}

function yesAndNo({ table, column }: Column, values: readonly ColumnValue[]) {
  const own = values.filter(([of, name]) => of === table && name === column).map(([, , value]) => value);
  const saying = (words: readonly string[]) => own.find((value) => words.includes(value.toLowerCase()));
  const [yes, no] = [saying(YES), saying(NO)];
  return yes === undefined && no === undefined ? undefined : { yes, no };
}

/** The word of the question that says a part of a heading, or its opposite. */
function flagWord(text: string, part: string): { at: number; length: number; isOpposite: boolean } | undefined {
  for (const { 0: word, index } of text.matchAll(/[\p{L}]+/gu)) {
    const rest = word.replace(OPPOSITE, '');
    const isOpposite =
      (rest !== word && isForm(rest, part)) || ANTONYMS.some(([of, other]) => of.test(part) && other.test(word));
    if (!isOpposite && !isForm(word, part)) continue;
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
/** "Survivors" and "survive" are forms of "survived". */
function isForm(word: string, part: string): boolean {
  const [one, other] = [stem(word), stem(part)];
  if (FIGURE_STOP_WORDS.has(word)) return false;
  return (
    one === other ||
    (Math.min(one.length, other.length) >= MIN_FORM &&
      (one.startsWith(other) || other.startsWith(one)) &&
      one[0] === other[0])
  );
}

const OUTGOING =
  /(?<!\p{L})(?:spen[dt]|spending|paid|pay|payments? (?:to|made|out)|outgoings?|expenses?|expenditures?|withdrawn|withdrawals?|debits?|ausgegeben|ausgaben?|bezahlt|gezahlt|abgebucht|abgang|abgange|zahlungen an|depense[sr]?|payee?s?|sorties|gast(?:ado|os?|e)|pag(?:ado|ue|amos|aron))(?!\p{L})/u;
const INCOMING =
  /(?<!\p{L})(?:payments? (?:received )?from|zahlungen von|paiements? de|pagos? de|received?|income|incoming|earned|deposits?|deposited|credits?|(?:came|come|paid) in|einnahmen?|eingenommen|eingegangen|erhalten|gutschriften?|recettes?|encaiss\w*|entrees|recus?|recibid[oa]s?|ingresos?|ingresado|cobrado)(?!\p{L})/u;

const marksOf = ({ table, column }: Column, values: readonly ColumnValue[]): number =>
  Number(values.find(([mark, of]) => mark === SIGNED && of === `${table}.${column}`)?.[2] ?? 0);
const isSigned = (column: Column, values: readonly ColumnValue[]): boolean => marksOf(column, values) % 2 === 1;

/** In a column of amounts below and above zero, what was spent is below. Undefined if both are asked for. */
function signFilters({ open, table, values }: Planning): Filter[] | undefined {
  const [column, another] = numbersOf(table).filter((one) => isSigned(one, values));
  if (!column || another) return [];
  const incoming = open.take(INCOMING);
  const outgoing = open.take(OUTGOING);
  if (incoming && outgoing) return undefined;
  const sign = incoming ? '>' : '<';
  return incoming || outgoing
    ? [{ column, sql: `${columnText(column)} ${sign} 0`, said: `${column.heading} ${sign} 0`, sign }]
    : [];
}

const EMPTY =
  /(?<!\p{L})(out of|without(?: an?)?|no|missing(?: an?| the)?|ohne|kein\p{L}*|sans|pas de|sin) ([\p{L}]+)(?!\p{L})/gu;
/** "Out of stock" and "without a discount" are the rows whose number is zero, or that have none. */
function emptyFilters({ open, table, values }: Planning): Filter[] {
  for (const { 0: whole, 1: said = '', 2: word = '', index } of open.text.matchAll(EMPTY)) {
    const named = namedColumn(table.columns, [stem(word)]);
    const column = named ?? (word === 'stock' ? columnOf('stock', numbersOf(table)) : undefined);
    if (!column || column === 'unclear') continue;
    const isNumber = column.type === 'number' && (said === 'out of' || marksOf(column, values) < 2);
    open.blank(index, whole.length);
    return [isNumber ? { column, sql: `${columnText(column)} = 0`, said: `${column.heading} = 0` } : isEmpty(column)];
  }
  return [];
}

const isEmpty = (column: Column): Filter => ({
  column,
  sql: `(${columnText(column)} IS NULL OR ${columnText(column)} = '')`,
  said: `${column.heading} empty`,
});

/** What is not paid yet, and what is. */
const OPEN =
  /(?<!\p{L})(?:(?:still |yet )?(?:unpaid|outstanding|unsettled)|(?:not|never) (?:been )?(?:yet )?(?:been )?(?:paid|settled)(?: yet)?|still (?:open|to pay)|still owed?|owe[sd]?(?: us)?|(?:noch )?(?:nicht|un)[ -]?bezahlt\p{L}*|(?:noch )?(?:offen|ausstehend)\p{L}*|schulde[nt](?: uns)?|impaye\p{L}*|(?:pas|non) (?:encore )?(?:ete )?payee?s?|(?:nous )?doi(?:t|vent)|(?:sin|no) pagar|pendientes?(?: de pago)?|impagad\p{L}*|debe)(?!\p{L})/u;
const PAID = /(?<!\p{L})(?:paid|settled|bezahlt\p{L}*|payee?s?|regle\p{L}*|pagad[oa]s?)(?!\p{L})/u;
const PAID_ON =
  /(?<!\p{L})(?:paid|settled|payment|bezahlt|zahlung(?:sdatum|seingang)?|pay[ée]e?|paiement|r[ée]gl[ée]e?|pagad[oa]|pago)(?!\p{L})/iu;

/** By a column of states, or by the day of the payment. */
function openFilters({ open, table, values }: Planning): Filter[] {
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
  if (!day || !open.take(PAID)) return [];
  return [{ column: day, sql: `${columnText(day)} IS NOT NULL`, said: `${day.heading} not empty` }];
}

const LATE =
  /(?<!\p{L})(?:(?:too )?late|after (?:the|its|their) due date|zu spat|verspatet|en retard|trop tard|con retraso|tarde)(?!\p{L})/u;
const DUE_ON =
  /(?<!\p{L})(?:due|deadline|f[äa]llig\p{L}*|[ée]ch[ée]ance|venc\p{L}+|planned|promised|expected|geplant)(?!\p{L})/iu;
/** What was paid or delivered late has a day after the day it was due. */
function lateFilters({ open, table }: Planning): Filter[] {
  if (!LATE.test(open.text)) return [];
  const days = table.columns.filter(({ type }) => type === 'date');
  const [due, second] = days.filter(({ heading }) => DUE_ON.test(spaced(heading)));
  const words = contentWords(open.text);
  const [done, another] = days.filter((column) => column !== due && namesColumn(column, words) > 0);
  if (!due || !done || second || another) return [];
  open.take(LATE);
  takeColumn(open, done);
  return [comparedWith(done, '>', due)];
}

const comparedWith = (column: Column, sign: '<' | '>', other: Column): Filter => ({
  column,
  sql: `${columnText(column)} ${sign} ${columnText(other)}`,
  said: `${column.heading} ${sign} ${other.heading}`,
});

const BESIDE_COLUMN =
  /(?<!\p{L})(below|under|less than|lower than|above|over|more than|higher than|exceed\p{L}*|unter|uber|sous|au-dessous de|au-dessus de|por debajo de|por encima de) (?:their|its|the|his|her|dem|der|den|ihrem|ihren|ihrer|le|la|leur|su|el) ((?:\p{L}+ ?){1,3})/u;
/** "Below their reorder level" compares two columns. */
function besideColumn({ open, table }: Planning): Filter[] {
  const found = BESIDE_COLUMN.exec(open.text);
  if (!found) return [];
  const [whole, said = '', name = ''] = found;
  const numbers = numbersOf(table);
  const other = namedColumn(numbers, contentWords(name));
  if (!other || other === 'unclear') return [];
  const words = contentWords(open.text.replace(whole, ' '));
  const named = namedColumn(
    numbers.filter((column) => column !== other),
    words,
  );
  const column =
    named ??
    (/reorder|minimum|melde|mindest|seuil/iu.test(other.heading) ? columnOf('stock', numbersOf(table)) : undefined);
  if (!column || column === 'unclear' || column === other) return [];
  open.blank(found.index, whole.length);
  takeColumn(open, column);
  return [
    comparedWith(column, /^(?:below|under|less|lower|unter|sous|au-dessous|por debajo)/.test(said) ? '<' : '>', other),
  ];
}

/** How the plan reads what could be read otherwise. */
export function notesOn({ kind, measures }: Plan, { values }: Planning, hasSign: boolean): string[] {
  const [measure] = measures;
  const isBoth = measure && !hasSign && kind !== 'count' && !isRanked({ kind }) && isSigned(measure, values);
  return isBoth ? [`Amounts below and above zero of ${measure.heading} are added up.`] : [];
}

/** A row of this table, or of these two, is none of what another table holds. */
export const isElsewhere = ({ table, others }: Planning, noun: string): boolean =>
  others.includes(noun) || table.lookup?.includes(noun) === true;
