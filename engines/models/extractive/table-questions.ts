/** Answers counts, sums, averages, extremes and comparisons by a query over tables, if every word of the question has a place in them. */
import { titleOf } from './quotes.ts';
import { fold, QUESTION_WORDS, STOP_WORDS, stem, wordsOf } from './words.ts';

type Column = { column: string; heading: string; type: string };
export type AskedTable = { table: string; name: string; place: string; rows: number; columns: Column[] };
/** A value of a text column: the table, the column, the value. */
export type ColumnValue = readonly [table: string, column: string, value: string];
export type TableFigure = {
  rows: (string | number | null)[][];
  columns: string[];
  used?: { name: string; place: string; rows: number[]; count: number }[] | undefined;
};

type FigureKind = 'count' | 'sum' | 'average' | 'most' | 'least' | 'compare' | 'list';

/** The first pattern that matches decides. */
const KINDS: [FigureKind, RegExp][] = [
  [
    'compare',
    /\b(?:more|less|fewer|higher|lower|larger|smaller|mehr|weniger|plus|moins)\b[^?]{0,80},? \S[^?]{0,60}\b(?:or|oder|ou)\b/i,
  ],
  ['average', /\b(?:average|mean|durchschnitt\w*|mittelwert|moyenne)\b/i],
  [
    'most',
    /\b(?:highest|largest|biggest|greatest|most|maximum|max|top|longest|dearest|höchste\w*|größte\w*|meiste\w*|teuerste\w*|plus (?:élevée?|grande?))\b/i,
  ],
  [
    'least',
    /\b(?:lowest|smallest|least|fewest|minimum|min|cheapest|shortest|niedrigste\w*|kleinste\w*|wenigste\w*|günstigste\w*|plus (?:bas|basse|petite?))\b/i,
  ],
  ['count', /\b(?:how many|count|number of|wie ?viele|combien de)\b/i],
  [
    'list',
    /^\W*(?:please )?(?:list|name|enumerate|show|give)(?: me)? (?:all|every|the|each)\b|\bliste?n? (?:alle|toutes?|tous)\b/i,
  ],
  ['sum', /\b(?:total|sum|altogether|in all|overall|combined|summe|insgesamt|gesamt\w*|somme)\b/i],
];
/** Words that say what to do, and others that every question may hold. */
const NEUTRAL = new Set(
  `average mean highest largest biggest greatest most maximum max top lowest smallest least fewest minimum min cheapest longest shortest more less fewer
   higher lower larger smaller count number total sum altogether all overall combined row entry record item table list file sheet document value figure expensive dear different distinct unique
   recorded had have has been there received get got paid pay made many much time day date month year durchschnitt durchschnittliche summe insgesamt
   mehr weniger oder viele gibt wurde waren hatte moyenne somme total combien`
    .split(/\s+/)
    .map(stem),
);

/** What no statement below can say. A part that is ignored would make a wrong figure. */
const UNSUPPORTED =
  /\b(?:not|no|without|except|excluding|other than|ohne|nicht|kein\w*|sans|per|each|every|pro|between|before|after|since|until|zwischen|vor|nach|seit|different|distinct|unique|second|third|top \d+|median|per ?cent\w*|share|ratio|difference|change|increase|decrease|rank|sort|group|by)\b|%/i;

/** What a kind of figure can say beyond the others. */
const ALLOWED: Partial<Record<FigureKind, RegExp>> = {
  list: /\b(?:each|every)\b/i,
  count: /\b(?:different|distinct|unique)\b/i,
};

export const asksForFigure = (question: string): boolean => KINDS.some(([, asked]) => asked.test(question));

/** Asks in a way that no single passage answers, whatever it says. */
const NEEDS_FIGURE =
  /\b(?:average|mean|sum of|total of|how many (?:rows|entries|records|days|times)|durchschnitt\w*|moyenne)\b/i;
export const needsFigure = (question: string): boolean => NEEDS_FIGURE.test(question);

const MAX_TEXT_COLUMNS = 60;
const MAX_VALUES = 300;
const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The statement for the values of all text columns. */
export function valuesQuery(tables: readonly AskedTable[]): string | undefined {
  const columns = tables.flatMap(({ table, columns: all }) =>
    all.flatMap(({ column, type }) => (type === 'text' ? [{ table, column }] : [])),
  );
  if (columns.length === 0) return undefined;
  return columns
    .slice(0, MAX_TEXT_COLUMNS)
    .map(
      ({ table, column }) =>
        `SELECT * FROM (SELECT DISTINCT '${table}', ${quotedText(column)}, ${quotedName(column)} FROM ${table} WHERE length(${quotedName(column)}) < 80 LIMIT ${MAX_VALUES})`,
    )
    .join(' UNION ALL ');
}

type Filter = { column: string; sql: string; said: string; value?: string };
type Plan = {
  kind: FigureKind;
  table: AskedTable;
  measure: Column | undefined;
  filters: Filter[];
  unexplained: number;
  score: number;
};

/** What is asked, as a statement and the words around its result; undefined if the tables do not fit the question. */
export function planFigure(
  question: string,
  tables: readonly AskedTable[],
  values: readonly ColumnValue[],
): { sql: string; write(figure: TableFigure): string } | undefined {
  const kind = KINDS.find(([, asked]) => asked.test(question))?.[0];
  const rest = question.replace(DATED, ' ').replace(ALLOWED[kind ?? 'compare'] ?? '', '');
  if (!kind || UNSUPPORTED.test(rest)) return undefined;
  const plans = tables
    .flatMap((table) => planFor(kind, question, table, values) ?? [])
    .sort((a, b) => b.score - a.score);
  const [best, next] = plans;
  if (!best || (next && next.score === best.score)) return undefined;
  return { sql: statementOf(best), write: (figure) => written(best, figure) };
}

const isAlike = (one: string, other: string): boolean => {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return (
    short === long ||
    (short.length >= 3 && long.startsWith(short)) ||
    (short.length >= 5 && long.slice(0, short.length - 1) === short.slice(0, -1))
  );
};

/** The noun of a count, as in "how many hours". */
const COUNTED = /\b(?:how many|number of|wie ?viele|combien d['’e]) ?(?:different |distinct )?(\p{L}+)/iu;
const COUNTS_ROWS = /\b(?:rows|entries|records|lines|zeilen|einträge|lignes)\b/i;

function countedColumn(question: string, { columns }: AskedTable, type: string): Column | undefined {
  const noun = stem(fold(COUNTED.exec(question)?.[1] ?? ''));
  const named = columns.filter((column) => column.type === type && namesColumn(column, [noun]) > 0);
  return noun.length > 2 && named.length === 1 ? named[0] : undefined;
}

/** The column whose values a list shows: the one that the question names best and does not filter by. */
function listedColumn({ columns }: AskedTable, words: readonly string[], filters: readonly Filter[]) {
  const free = columns.filter(({ column }) => !filters.some((filter) => filter.column === column));
  const [best] = free
    .map((column) => ({ column, score: namesColumn(column, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  return best?.column;
}

/** The kind of figure that the table can give, and the column it is about. */
function subjectOf(
  kind: FigureKind,
  question: string,
  table: AskedTable,
  filters: readonly Filter[],
  open: Set<string>,
): { kind: FigureKind; measured: Column | undefined | 'unclear' } {
  const words = wordsOf(question).map(stem);
  if (kind === 'list') return { kind, measured: listedColumn(table, words, filters) };
  // "How many hours did she work?" asks for the sum of a column that is called so.
  if (kind === 'count' && countedColumn(question, table, 'number')) return subjectOf('sum', question, table, [], open);
  const distinct = kind === 'count' ? countedColumn(question, table, 'text') : undefined;
  if (kind === 'count' && !distinct && ALLOWED.count?.test(question)) return { kind, measured: 'unclear' };
  return { kind, measured: distinct ?? measureOf(kind, table, question, open) };
}

function planFor(
  asked: FigureKind,
  question: string,
  table: AskedTable,
  values: readonly ColumnValue[],
): Plan | undefined {
  const words = wordsOf(question).filter(
    (word) => word.length > 1 && !STOP_WORDS.has(word) && !QUESTION_WORDS.has(word),
  );
  const open = new Set(words.map(stem));
  const filters = [...daysIn(question, table, open), ...valuesIn(question, table, values, open)];
  const { kind, measured } = subjectOf(asked, question, table, filters, open);
  if (measured === 'unclear') return undefined;
  for (const { heading } of table.columns) explain(open, heading);
  explain(open, table.name);
  const filtersOf = [...filters, ...thresholds(question, measured, open)];
  const unexplained = [...open].filter((word) => !NEUTRAL.has(word)).length;
  const named = measured === undefined ? 0 : namesColumn(measured, words.map(stem));
  const isLoose =
    measured?.type === 'number' && !/^(?:count|list)$/.test(kind) && (named > 0 || OF_MONEY.test(question));
  if (unexplained > (isLoose ? 1 : 0) || !fits(kind, measured, filtersOf, question)) return undefined;
  return {
    kind,
    table,
    measure: measured,
    filters: filtersOf,
    unexplained,
    score: 4 * filtersOf.length + (measured ? 3 + named : 0) - unexplained,
  };
}

/** A count needs rows that a filter names; two values of one column are the sides of a comparison, and no row has both. */
function fits(kind: FigureKind, measure: Column | undefined, filters: readonly Filter[], question: string): boolean {
  const values = filters.filter(({ value }) => value !== undefined);
  const distinct = new Set(values.map(({ column }) => column)).size;
  if (kind === 'compare') return values.length === 2 && distinct === 1;
  if (distinct < values.length) return false;
  if (kind === 'list') return filters.length > 0 || measure !== undefined;
  if (kind !== 'count' || measure?.type === 'text') return true;
  if (filters.length === 0) return !measure && COUNTS_ROWS.test(question);
  return !measure || filters.some(({ column }) => column === measure.column);
}

/** How many words of the heading the question has, and their share. */
function namesColumn({ heading }: Column, words: readonly string[]): number {
  const known = wordsOf(heading.replaceAll('_', ' ')).map(stem);
  const hits = known.filter((one) => words.some((word) => isAlike(word, one))).length;
  return hits === 0 ? 0 : hits + hits / known.length;
}

const explain = (open: Set<string>, text: string): number => {
  const known = wordsOf(text.replaceAll('_', ' ')).map(stem);
  const found = [...open].filter((word) => known.some((other) => isAlike(word, other)));
  for (const word of found) open.delete(word);
  return found.length;
};

/** The column of numbers that the question names best, or the only one. A count needs none. */
function measureOf(
  kind: FigureKind,
  { columns }: AskedTable,
  question: string,
  open: Set<string>,
): Column | undefined | 'unclear' {
  const words = wordsOf(question).map(stem);
  const numbers = columns.filter(
    ({ type, heading }) => type === 'number' && !/^(?:year|jahr|id|no\.?|nr\.?)$/i.test(heading.trim()),
  );
  const scored = numbers
    .map((column) => ({ column, score: namesColumn(column, words) }))
    .sort((a, b) => b.score - a.score);
  const [best, next] = scored;
  if (best && best.score > 0) {
    if (next?.score === best.score) return 'unclear';
    explain(open, best.column.heading);
    return best.column;
  }
  if (kind === 'count' || kind === 'list') return undefined;
  if (OF_MONEY.test(question)) {
    const priced = numbers.filter(({ heading }) => MONEY.test(heading));
    if (priced.length === 1) return priced[0];
  }
  return numbers.length === 1 ? numbers[0] : 'unclear';
}

/** A question about money that names no column. */
const OF_MONEY = /\b(?:expensive|cheap\w*|dear(?:er|est)?|teuer\w*|günstig\w*)\b/i;
const MONEY = /\b(?:price|cost|amount|fee|total|preis|kosten|betrag|prix|montant)\b/i;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'ma[iy]', 'jun', 'jul', 'aug', 'sep', 'o[ck]t', 'nov', 'de[cz]'];
const MONTH = new RegExp(
  `\\b(?:(${MONTHS.join('|')})[a-zäéû]*\\.? )?((?:19|20)\\d\\d)(?:-(\\d\\d))?(?:-(\\d\\d))?\\b`,
  'i',
);

const COMPARED = { before: '<', vor: '<', until: '<=', after: '>', nach: '>', since: '>=', seit: '>=' };
/** A time that begins or ends on a day, as in "after March 2026". */
const DATED = new RegExp(`\\b(${Object.keys(COMPARED).join('|')}) ${MONTH.source.replace('\\b', '')}`, 'i');
/** A day within a month: a filter by the month alone would be wrong. */
const DAY_OF_MONTH = new RegExp(
  `\\b\\d{1,2}(?:st|nd|rd|th|\\.)? (?:of )?(?:${MONTHS.join('|')})|\\b(?:${MONTHS.join('|')})[a-z]* \\d{1,2}\\b`,
  'i',
);

/** A year, a month or a day, by the only column of dates, or a year by a column of that name. */
function daysIn(question: string, { columns }: AskedTable, open: Set<string>): Filter[] {
  const [said = '', named = '', year, month, day] = MONTH.exec(question) ?? [];
  if (year === undefined || DAY_OF_MONTH.test(question)) return [];
  const at = named === '' ? -1 : MONTHS.findIndex((one) => new RegExp(`^${one}`, 'i').test(named));
  const start = [year, at < 0 ? month : String(at + 1).padStart(2, '0'), day].filter(Boolean).join('-');
  const only = dayColumn(columns, start === year);
  if (!only) return [];
  for (const word of wordsOf(said).map(stem)) open.delete(word);
  const word = DATED.exec(question)?.[1]?.toLowerCase();
  const compared = Object.entries(COMPARED).find(([one]) => one === word)?.[1] ?? '=';
  const name = quotedName(only.column);
  const sql =
    only.type === 'date' ? `substr(${name}, 1, ${start.length}) ${compared} '${start}'` : `${name} ${compared} ${year}`;
  return [{ column: only.column, sql, said: `${only.heading} ${word ?? 'in'} ${start}` }];
}

function dayColumn(columns: readonly Column[], isYear: boolean): Column | undefined {
  const days = columns.filter(({ type }) => type === 'date');
  if (days.length > 0 || !isYear) return days.length === 1 ? days[0] : undefined;
  return columns.find(({ type, heading }) => type === 'number' && /^(?:year|jahr|ann[ée]e)$/i.test(heading.trim()));
}

/** Whole values that the question names, or values of which it names a word that stands in no other column. */
function valuesIn(
  question: string,
  { table, columns }: AskedTable,
  values: readonly ColumnValue[],
  open: Set<string>,
): Filter[] {
  const asked = ` ${fold(question)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
  const own = values.filter(([of]) => of === table);
  const flat = (value: string) =>
    fold(value)
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const whole = own.filter(
    ([, , value]) => flat(value).length > 1 && asked.includes(` ${flat(value)} `) && !STOP_WORDS.has(flat(value)),
  );
  const found: Filter[] = [];
  const add = (column: string, value: string, sql: string) => {
    const heading = columns.find((one) => one.column === column)?.heading ?? column;
    found.push({ column, value, sql, said: `${heading} = ${value}` });
  };
  for (const [, column, value] of whole) {
    explain(open, value);
    add(column, value, `fold(${quotedName(column)}) = ${quotedText(fold(value))}`);
  }
  for (const word of [...open].filter((one) => one.length >= 3 && !NEUTRAL.has(one))) {
    const holding = own.filter(([, , value]) => wordsOf(value).map(stem).includes(word));
    const inColumns = new Set(holding.map(([, column]) => column));
    const [first] = holding;
    if (!first || inColumns.size !== 1 || holding.length > 1 || found.some(({ value }) => value === first[2])) continue;
    explain(open, word);
    add(first[1], first[2], `fold(${quotedName(first[1])}) = ${quotedText(fold(first[2]))}`);
  }
  return found;
}

const THRESHOLD =
  /\b(more than|over|above|greater than|higher than|at least|less than|under|below|lower than|at most|über|mehr als|unter|weniger als)\s+(?:[$€£]\s*)?(\d[\d,]*(?:\.\d+)?)/i;
const isUpper = /^(?:less|under|below|lower|at most|unter|weniger)/i;

function thresholds(question: string, measure: Column | undefined, open: Set<string>): Filter[] {
  const [, sign = '', digits = ''] = THRESHOLD.exec(question) ?? [];
  if (sign === '' || !measure) return [];
  const compared = `${isUpper.test(sign) ? '<' : '>'}${/^at /i.test(sign) ? '=' : ''}`;
  const number = digits.replaceAll(',', '');
  for (const word of wordsOf(`${sign} ${digits}`).map(stem)) open.delete(word);
  for (const word of [...open]) if (/^\d/.test(word)) open.delete(word);
  return [
    {
      column: measure.column,
      sql: `${quotedName(measure.column)} ${compared} ${number}`,
      said: `${measure.heading} ${compared} ${number}`,
    },
  ];
}

function statementOf({ kind, table: { table, columns }, measure, filters }: Plan): string {
  const column = quotedName(measure?.column ?? '');
  const sides = filters.filter(({ value }) => value !== undefined);
  const conditions = [
    'is_total = 0',
    ...(kind === 'compare' ? filters.filter(({ value }) => value === undefined) : filters).map(({ sql }) => sql),
  ];
  const where = (more: string[] = []) => `FROM ${table} WHERE ${[...conditions, ...more].join(' AND ')}`;
  const side = quotedName(sides[0]?.column ?? '');
  const shown = columns.map(shownAs).join(', ');
  switch (kind) {
    case 'count':
      return `SELECT count(${measure?.type === 'text' ? `DISTINCT ${column}` : '*'}) ${where()}`;
    case 'list':
      return `SELECT ${measure ? `DISTINCT ${shownAs(measure)}` : shown} ${where()} LIMIT ${MAX_LISTED + 1}`;
    case 'sum':
      return `SELECT sum(${column}), count(${column}) ${where()}`;
    case 'average':
      return `SELECT avg(${column}), count(${column}) ${where()}`;
    case 'compare':
      return `SELECT ${side}, sum(${column}), count(*) ${where([`(${sides.map(({ sql }) => sql).join(' OR ')})`])} GROUP BY ${side} ORDER BY 2 DESC`;
    default: {
      const extreme = `(SELECT ${kind === 'most' ? 'max' : 'min'}(${column}) ${where()})`;
      return `SELECT ${shown} ${where([`${column} = ${extreme}`])} LIMIT 5`;
    }
  }
}

const MAX_LISTED = 60;
const shownAs = ({ column, type }: Column): string => quotedName(type === 'text' ? column : `${column}_text`);

const rounded = (value: unknown): string => {
  const number = Number(value);
  const places = Math.abs(number) >= 1 ? 2 : 4;
  return String(Number(number.toFixed(places)));
};

/** Empty if the rows hold no figure. */
function written({ kind, table, measure, filters }: Plan, { rows, used = [] }: TableFigure): string {
  const [[first = null, second = null] = []] = rows;
  const conditions = filters.map(({ said }) => said).join(' and ');
  const over = conditions === '' ? '' : ` with ${conditions}`;
  const of = measure?.heading ?? '';
  const text = {
    count: () =>
      measure?.type === 'text'
        ? `**${first}** different values of ${of} in ${table.name}${over}.`
        : `**${first}** rows of ${table.name}${over}.`,
    list: () => listOf(measure ? [measure] : table.columns, `${table.name}${over}`, rows),
    sum: () => (Number(second) === 0 ? '' : `The sum of ${of} is **${first}**, over ${second} rows${over}.`),
    average: () =>
      Number(second) === 0 ? '' : `The average of ${of} is **${rounded(first)}**, over ${second} rows${over}.`,
    most: () => extremeOf('highest', table, of, over, rows),
    least: () => extremeOf('lowest', table, of, over, rows),
    compare: () => comparisonOf(of, rows),
  }[kind]();
  return text === ''
    ? ''
    : `${titled(text)}\n\n**Sources**\n\n${used.map(sourceLine).join('\n') || `- [1] ${titleOf(table.name)}, ${titleOf(table.place)}`}`;
}

/** Names and values come from files. */
const titled = (text: string): string => text.replaceAll(/[<>[\]`]/g, ' ');

function extremeOf(word: string, { columns }: AskedTable, of: string, over: string, rows: TableFigure['rows']): string {
  const found = rows.map(
    (row) => `- ${columns.map(({ heading }, at) => `${heading || `column ${at + 1}`}: ${row[at] ?? ''}`).join(', ')}`,
  );
  return found.length === 0 ? '' : `The ${word} ${of}${over}:\n\n${found.join('\n')}`;
}

function listOf(columns: readonly Column[], where: string, all: TableFigure['rows']): string {
  const rows = all.slice(0, MAX_LISTED).map((row) => row.map((cell) => cell ?? '').join(', '));
  const found = rows.filter((row) => row.replaceAll(/[, ]/g, '') !== '').map((row) => `- ${row}`);
  const more = all.length > MAX_LISTED ? '\n- …' : '';
  const of = columns
    .map(({ heading }) => heading)
    .filter(Boolean)
    .join(', ');
  return found.length === 0 ? '' : `${of} in ${where}:\n\n${found.join('\n')}${more}`;
}

function comparisonOf(of: string, rows: TableFigure['rows']): string {
  const [[more, most] = [], [less, least] = []] = rows;
  if (rows.length !== 2) return '';
  return most === least
    ? `${more} and ${less} have the same ${of}: ${most}.`
    : `**${more}** has more ${of}: ${most}, against ${least} for ${less}.`;
}

const MAX_ROWS_NAMED = 10;

function sourceLine({ name, place, rows, count }: NonNullable<TableFigure['used']>[number], at: number): string {
  const named = rows.slice(0, MAX_ROWS_NAMED).join(', ');
  return `- [${at + 1}] ${titleOf(name)}, ${titleOf(place)}, ${count === 1 ? 'row' : 'rows'} ${named}${count > MAX_ROWS_NAMED ? ` and ${count - MAX_ROWS_NAMED} more` : ''} of the table`;
}
