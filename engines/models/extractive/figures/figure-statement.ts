/** A planned figure as a statement for `query_table`, and the words around its result. */

import { titleOf } from '../../../retrieval/quotes.ts';
import type { FigureKind } from './figure-words.ts';

/** `sql` calculates a column that the table does not have. The numbers of an `isKey` column name the rows, as those of rooms. */
export type Column = { column: string; heading: string; type: string; table: string; sql?: string; isKey?: boolean };
/** One table, or two that are read as one. */
export type AskedTable = {
  name: string;
  place: string;
  from: string;
  tables: string[];
  columns: Column[];
  /** The tables whose rows it has together. */
  parts?: readonly string[] | undefined;
  /** Of two tables, words for the one whose rows are looked up. */
  lookup?: readonly string[];
  /** Two versions of a table: a thing that only one of them has is in none of its rows. */
  isSideBySide?: boolean;
};
export type TableFigure = {
  rows: (string | number | null)[][];
  columns: string[];
  used?: { name: string; place: string; rows: number[]; count: number }[] | undefined;
};
/** `isOfRows`: "how many women" counts rows, where "how many pumps" may ask for a quantity. */
export type Filter = {
  column: Column;
  sql: string;
  said: string;
  value?: string;
  isOfRows?: boolean;
  sign?: '<' | '>';
  /** By a column of yes and no. */
  isFlag?: boolean;
  /** By several columns that hold the value. */
  isOfAny?: boolean;
};
/** Days are grouped by as many characters of them: 7 for months. */
export type FigureGroup = { column: Column; length?: number };
export type Plan = {
  kind: FigureKind;
  table: AskedTable;
  measures: Column[];
  group: FigureGroup | undefined;
  /** What is compared, shared or ranked. */
  of: 'sum' | 'average' | 'count' | 'range' | undefined;
  /** Filters by values, by days and by numbers. */
  sides: Filter[];
  days: Filter[];
  limits: Filter[];
  /** Limits the groups by their figure. */
  having?: { sign: string; number: number };
  rank: number;
  /** The lower of two is asked for. */
  isLess?: boolean;
  /** It is about a column that the table does not have. */
  isComputed?: boolean;
  limit: number | undefined;
  /** The rows themselves are the answer, if there are no more of them; the cells of these columns come first. */
  wholeRows?: { maxRows: number; askedColumns: readonly Column[] };
  score: number;
  /** Words of the question that are read as a heading. */
  read: readonly { said: string; heading: string }[];
  /** How an ambiguous question was read. */
  notes: readonly string[];
  /** Words of the question that the table does not have. */
  unsaid: readonly string[];
  /** Refuses for these words, and shows beside it the rows that the question names, or the figure without the words. */
  besideRefusal?: 'rows' | 'figure';
};

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const columnText = ({ table, column, sql }: Column): string => sql ?? `${table}.${quotedName(column)}`;
const shownAs = (column: Column): string =>
  column.type === 'text' || column.sql
    ? columnText(column)
    : columnText({ ...column, column: `${column.column}_text` });

/** `detail` is the statement for the few rows of a sum. */
export type PlannedFigure = {
  sql: string;
  detail(figure: TableFigure): string | undefined;
  write(figure: TableFigure, detail?: TableFigure): string;
};

/** A figure, or two of them, one below the other. */
export const toQuery = (plan: Plan, second?: Plan): PlannedFigure => ({
  sql: statementOf(plan),
  detail: (figure) => (second ? statementOf(second) : detailOf(plan, figure)),
  write: (figure, other) => {
    if (!second) return writeFigure(plan, figure, other);
    const texts = [writeFigure(plan, figure), other ? writeFigure(second, other) : ''];
    return texts.includes('') ? '' : joinAnswers(texts);
  },
});

/** The sources of two figures are those of the same rows as a rule. */
function joinAnswers(answers: readonly string[]): string {
  const parts = answers.map((answer) => answer.split(SOURCES));
  const sources = [...new Set(parts.flatMap(([, lines = '']) => lines.split('\n')))];
  const numbered = sources.map((line, at) => line.replace('- [1]', `- [${at + 1}]`));
  return `${parts.map(([text]) => text).join('\n\n')}${SOURCES}${numbered.join('\n')}`;
}

const SOURCES = '\n\n**Sources**\n\n';

/** The rows of a table whose key stands in another table, or does not. */
export type SetPlan = {
  table: AskedTable;
  key: Column;
  other: Column;
  /** What the two tables are called. */
  names: readonly [string, string];
  isIn: boolean;
  isCount: boolean;
  /** Whole rows, where several keys of other tables are shown once each. */
  isOfRows: boolean;
  filters: readonly Filter[];
  unsaid: readonly string[];
};

/** "Which customers have no order?" in two tables with the customers' number. */
export function toSetQuery({ table, key, other, names, filters, unsaid, ...kind }: SetPlan): PlannedFigure {
  const folded = (column: Column) => `fold(${columnText(column)})`;
  const known = (column: Column) => `${column.table}.is_total = 0 AND coalesce(${columnText(column)}, '') <> ''`;
  const own = [known(key), ...anyOf(filters)].join(' AND ');
  const where = `FROM ${table.from} WHERE ${own} AND ${folded(key)} ${kind.isIn ? 'IN' : 'NOT IN'} (SELECT ${folded(other)} FROM ${other.table} WHERE ${known(other)})`;
  const columns = kind.isOfRows ? table.columns : [key];
  const shown = `${kind.isOfRows ? '' : 'DISTINCT '}${columns.map(shownAs).join(', ')}`;
  const limited = [names[0], ...anySaid(filters)].join(' with ');
  const which = `${limited} whose ${key.heading} is ${kind.isIn ? 'in' : 'not in'} ${names[1]}`;
  const counted = kind.isOfRows ? '*' : `DISTINCT ${folded(key)}`;
  const of = (count: unknown) =>
    kind.isOfRows ? `${Number(count) === 1 ? 'row' : 'rows'} of` : `different values of ${key.heading} in`;
  return {
    sql: kind.isCount ? `SELECT count(${counted}) ${where}` : `SELECT ${shown} ${where} LIMIT ${MAX_LISTED + 1}`,
    detail: () => undefined,
    write: ({ rows, used }) => {
      const answer = kind.isCount
        ? `**${rows[0]?.[0] ?? 0}** ${of(rows[0]?.[0])} ${which}.`
        : listOf(columns, which, rows);
      const taken = unsaid.length === 0 ? '' : unsaidText(unsaid);
      return withSources(table, [answer, taken].filter(Boolean).join('\n\n'), used);
    },
  };
}

const unsaidText = (words: readonly string[]): string =>
  `Check this: nothing in the table is called ${quotedWords(words)}.`;

const quotedWords = (words: readonly string[]): string => words.map((word) => `“${word}”`).join(' or ');

const refusalText = ({ unsaid, besideRefusal }: Plan): string =>
  `I cannot count or compare this${unsaid.length === 0 ? '' : `: nothing in the table is called ${quotedWords(unsaid)}`}. ${besideRefusal === 'figure' ? 'Leaving that out' : 'What it names'}:`;

const MAX_LISTED = 60;

/** The condition of several values: any value of a column, in each column. */
function anyOf(sides: readonly Filter[]): string[] {
  const columns = Map.groupBy(sides, ({ column }) => column);
  return [...columns.values()].map((filters) => `(${filters.map(({ sql }) => sql).join(' OR ')})`);
}

/** The same in words: "Product = Pump or Valve". */
const anySaid = (sides: readonly Filter[]): string[] =>
  [...Map.groupBy(sides, ({ column }) => column)].map(
    ([{ heading }, filters]) =>
      `${heading === '' ? '' : `${heading} = `}${filters.map(({ value }) => value).join(' or ')}`,
  );

function whereOf(plan: Plan): Where {
  const { kind, table, sides, days, limits, group } = plan;
  const isShare = kind === 'share' && !group;
  const base = isShare ? shareBase(plan) : [...days, ...limits].map(({ sql }) => sql);
  const conditions = [...table.tables.map((name) => `${name}.is_total = 0`), ...base, ...(isShare ? [] : anyOf(sides))];
  return (more = []) => `FROM ${table.from} WHERE ${[...conditions, ...more].join(' AND ')}`;
}

const MAX_DETAILS = 5;

/** A sum of few rows shows them. */
function detailOf(plan: Plan, { rows }: TableFigure): string | undefined {
  const count = rows[0]?.[1] ?? null;
  const { kind, group, table, measures } = plan;
  const [measure] = measures;
  if (kind !== 'sum' || group || !measure || !(Number(count) > 0) || Number(count) > MAX_DETAILS) return undefined;
  return `SELECT ${table.columns.map(shownAs).join(', ')} ${whereOf(plan)([`${columnText(measure)} IS NOT NULL`])}`;
}

function statementOf(plan: Plan): string {
  const { kind } = plan;
  const where = whereOf(plan);
  if (kind === 'share' && !plan.group) return shareOf(plan, where());
  if (kind === 'compare' || kind === 'difference') return comparisonSql(plan, where());
  if (plan.group) return groupSql(plan, plan.group, where);
  return plainSql(plan, where);
}

type Where = (more?: string[]) => string;

const aggregate = (of: Plan['of'], measure: Column | undefined): string =>
  of === 'count' || !measure ? 'count(*)' : `${of === 'average' ? 'avg' : 'sum'}(${columnText(measure)})`;

function plainSql(plan: Plan, where: Where): string {
  const { kind, table, measures } = plan;
  const [measure] = measures;
  const column = measure ? columnText(measure) : '';
  const shown = table.columns.map(shownAs).join(', ');
  if (kind === 'count') return `SELECT count(${measure ? `DISTINCT ${column}` : '*'}) ${where()}`;
  if (kind === 'list')
    return `SELECT ${measure ? `DISTINCT ${shownAs(measure)}` : shown} ${where()} LIMIT ${MAX_LISTED + 1}`;
  if (kind === 'sum') return `SELECT sum(${column}), count(${column}) ${where()}`;
  if (kind === 'average') return `SELECT avg(${column}), count(${column}) ${where()}`;
  const order = kind === 'most' ? 'DESC' : 'ASC';
  const edge = atRank(plan, `${column} ${where([`${column} IS NOT NULL`])}`);
  return `SELECT ${shown} ${where([`${column} ${edge}`])} ORDER BY ${column} ${order} LIMIT ${MAX_LISTED}`;
}

/** A sum of more digits than a number holds is a text, and sorts as one. */
const byNumber = (figure: string): string => `CAST(${figure} AS REAL)`;

/** What is calculated for each group. */
const groupFigure = ({ kind, of, measures }: Plan): 'sum' | 'average' | 'count' =>
  of && of !== 'range' && (kind === 'most' || kind === 'least')
    ? of
    : kind === 'average' || kind === 'count'
      ? kind
      : kind === 'share' && measures.length === 0
        ? 'count'
        : 'sum';

function groupSql(plan: Plan, { column, length }: FigureGroup, where: Where): string {
  const { kind, measures } = plan;
  const key = length ? `substr(${columnText(column)}, 1, ${length})` : columnText(column);
  const isRanked = kind === 'most' || kind === 'least';
  const [measure] = measures;
  const of = groupFigure(plan);
  const figure = of === 'count' && measure ? `count(DISTINCT ${columnText(measure)})` : aggregate(of, measure);
  const order = length && !isRanked ? '1' : `${byNumber(figure)} ${kind === 'least' ? 'ASC' : 'DESC'}, 1`;
  const groups = where([`${columnText(column)} IS NOT NULL`]);
  const having = plan.having ? [`${byNumber(figure)} ${plan.having.sign} ${plan.having.number}`] : [];
  if (isRanked) {
    const all = `${byNumber(figure)} ${groups} GROUP BY ${key}${havingAll(having)}`;
    having.push(`${byNumber(figure)} ${atRank(plan, all)}`);
  }
  return `SELECT ${key}, ${figure}, count(*) ${groups} GROUP BY 1${havingAll(having)} ORDER BY ${order} LIMIT ${MAX_LISTED + 1}`;
}

const havingAll = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` HAVING ${conditions.join(' AND ')}`;

/** Compares with the figure of a rank, so that equal ones are all named; of fewer than the limit, all are. */
function atRank({ kind, rank, limit }: Plan, figures: string): string {
  const [order, sign, none] = kind === 'most' ? ['DESC', '>=', '-9e999'] : ['ASC', '<=', '9e999'];
  const nth = `SELECT ${limit ? '' : 'DISTINCT '}${figures} ORDER BY 1 ${order} LIMIT 1 OFFSET ${(limit ?? rank) - 1}`;
  return limit ? `${sign} ifnull((${nth}), ${none})` : `= (${nth})`;
}

function comparisonSql({ kind, measures, sides, of }: Plan, where: string): string {
  const [first, second] = measures;
  if (of === 'range' && first)
    return `SELECT max(${columnText(first)}), min(${columnText(first)}), max(${columnText(first)}) - min(${columnText(first)}) ${where}`;
  if (kind === 'difference' && first && second) {
    const [one, other] = [first, second].map((measure) => aggregate(of ?? 'sum', measure));
    return `SELECT ${one}, ${other}, abs(${one} - ${other}) ${where}`;
  }
  const side = columnText(sides[0]?.column ?? { table: '', column: '', heading: '', type: '' });
  const figure = aggregate(of ?? 'sum', first);
  return `SELECT ${side}, ${figure}, count(*) ${where} GROUP BY 1 ORDER BY ${byNumber(figure)} DESC`;
}

/** What a share is taken of: the rows that the values, or else the days, or else the numbers, are not about. */
const shareBase = ({ sides, days, limits }: Plan): string[] => {
  const base = sides.length > 0 ? [...days, ...limits] : days.length > 0 ? limits : [];
  return base.map(({ sql }) => sql);
};

function shareOf({ sides, days, limits, measures }: Plan, where: string): string {
  const part = sides.length > 0 ? anyOf(sides) : (days.length > 0 ? days : limits).map(({ sql }) => sql);
  const value = measures[0] ? columnText(measures[0]) : '1';
  return `SELECT sum(iif(${part.join(' AND ')}, ${value}, 0)), sum(${value}) ${where}`;
}

export const rounded = (value: unknown): string => {
  const number = Number(value);
  return String(Number(number.toFixed(Math.abs(number) >= 1 ? 2 : 4)));
};

/** Empty if the rows hold no figure. */
function writeFigure(plan: Plan, figure: TableFigure, detail?: TableFigure): string {
  const { table } = plan;
  const answer = figureText(plan, figure.rows);
  const read = readText(plan.read);
  const isEmpty = plan.unsaid.length === 0 && (plan.besideRefusal === 'figure' || plan.notes.length > 0);
  const isRefused = plan.besideRefusal !== undefined && !isEmpty;
  const unsaid = plan.unsaid.length === 0 || isRefused ? '' : unsaidText(plan.unsaid);
  const text =
    answer === ''
      ? ''
      : [
          isRefused ? refusalText(plan) : '',
          answer,
          detail ? rowsOf(table.columns, detail.rows) : '',
          read,
          ...plan.notes,
          unsaid,
        ]
          .filter(Boolean)
          .join('\n\n');
  return text === '' ? '' : withSources(table, text, figure.used);
}

export const readText = (read: Plan['read']): string =>
  read.map(({ said, heading }) => `Here “${said}” is the column ${heading}.`).join(' ');

/** Without rows that the statement used, the whole table is the source. */
export function withSources(table: AskedTable, text: string, used: TableFigure['used'] = []): string {
  const whole = `- [1] ${titleOf(table.name)}, ${titleOf(table.place)}`;
  return `${titled(text)}${SOURCES}${used.map(sourceLine).join('\n') || whole}`;
}

/** Names and values come from files. */
const titled = (text: string): string => text.replaceAll(/[<>[\]`]/g, ' ').replaceAll(/ {2,}(?=\S)/g, ' ');

function figureText(plan: Plan, rows: TableFigure['rows']): string {
  const { kind, measures, group, sides, days, limits } = plan;
  const [[first = null, second = null] = []] = rows;
  const conditions = [...anySaid(sides), ...[...days, ...limits].map(({ said }) => inWords(said))].join(' and ');
  const over = conditions === '' ? '' : ` with ${conditions}`;
  const of = measures[0]?.heading ?? '';
  if (plan.wholeRows) return fewRows(plan, plan.wholeRows, over, rows);
  if (kind === 'compare') return comparisonOf(plan, of || 'rows', rows);
  if (kind === 'difference') return differenceOf(plan, rows);
  if (kind === 'share' && !group) return shareText(plan, of, first, second);
  return group ? groupsOf(plan, group, over, rows) : plainText(plan, of, over, rows);
}

function fewRows(
  { table, limits }: Plan,
  { maxRows, askedColumns }: NonNullable<Plan['wholeRows']>,
  over: string,
  rows: TableFigure['rows'],
): string {
  const [first, another] = rows;
  if (!first || rows.length > maxRows) return '';
  const cells = another
    ? []
    : askedColumns.map((column) => [column.heading, first[table.columns.indexOf(column)]] as const);
  const said = cells.flatMap(([heading, value]) => (value ? [`${heading}: **${value}**`] : []));
  const shown = `${another ? 'The rows' : 'The row'} of ${table.name}${over}:\n\n${rowsOf(table.columns, rows)}`;
  // Which of the columns is meant, nothing says.
  const open = another ? limits.filter(({ isOfAny }) => isOfAny).map(({ value }) => `“${value}”`) : [];
  const note = open.length > 0 ? `Check this: it is not said in which column ${open.join(' and ')} is meant.` : '';
  return [said.join(', '), shown, note].filter(Boolean).join('\n\n');
}

function plainText(plan: Plan, of: string, over: string, rows: TableFigure['rows']): string {
  const { kind, table, measures } = plan;
  const [[first = null, second = null] = []] = rows;
  switch (kind) {
    case 'count':
      return of === ''
        ? `**${first}** ${Number(first) === 1 ? 'row' : 'rows'} of ${table.name}${over}.`
        : `**${first}** different values of ${of} in ${table.name}${over}.`;
    case 'list':
      return listOf(measures[0] ? measures : table.columns, `${table.name}${over}`, rows);
    case 'sum':
    case 'average': {
      const figure = kind === 'sum' ? first : rounded(first);
      return Number(second) === 0
        ? ''
        : `The ${kind} of ${of} is **${figure}**, over ${second} ${Number(second) === 1 ? 'row' : 'rows'}${over}.`;
    }
    default:
      return extremeOf(plan, of, over, rows);
  }
}

/** Angle brackets could be markup. */
const SIGNS: Record<string, string> = { '<': 'under', '<=': 'at most', '>': 'over', '>=': 'at least', '=': '=' };
const inWords = (said: string): string => said.replace(/ (<=|>=|<|>) /, (_, sign) => ` ${SIGNS[sign]} `);

const RANKS = ['', '', 'second ', 'third ', 'fourth '];
const WORDS = { most: 'highest', least: 'lowest' } as const;
const WORDS_OF_DAYS = { most: 'latest', least: 'earliest' } as const;
const rankOf = ({ kind, rank, limit, group, measures: [measure] }: Plan): string => {
  const words = measure?.type === 'date' && !group ? WORDS_OF_DAYS : WORDS;
  return `${limit ? `${limit} ` : RANKS[rank]}${words[kind === 'least' ? 'least' : 'most']}`;
};

function extremeOf(plan: Plan, of: string, over: string, rows: TableFigure['rows']): string {
  const [measure] = plan.measures;
  const named = of === '' && measure ? `column ${plan.table.columns.indexOf(measure) + 1}` : of;
  return rows.length === 0 ? '' : `The ${rankOf(plan)} ${named}${over}:\n\n${rowsOf(plan.table.columns, rows)}`;
}

const rowsOf = (columns: readonly Column[], rows: TableFigure['rows']): string =>
  rows
    .map(
      (row) => `- ${columns.map(({ heading }, at) => `${heading || `column ${at + 1}`}: ${row[at] ?? ''}`).join(', ')}`,
    )
    .join('\n');

function groupsOf(plan: Plan, { column }: FigureGroup, over: string, found: TableFigure['rows']): string {
  const all = found.filter((row) => row[1] !== null);
  const { kind, measures } = plan;
  const figure = groupFigure(plan);
  if (all.length === 0) return plan.having ? `**None**: no ${column.heading} of ${plan.table.name}${over}.` : '';
  const of = measures[0]?.heading ?? '';
  const name = {
    count: of === '' ? 'Number of rows' : `Number of different ${of}`,
    average: `Average of ${of}`,
    sum: `Sum of ${of}`,
  }[figure];
  const whole = all.reduce((sum, [, value]) => sum + Number(value), 0);
  const isShare = kind === 'share';
  const isCount = figure === 'count' && of === '' && !isShare;
  // Beyond the groups that are listed, the whole is not known.
  if (isShare && (all.length > MAX_LISTED || !(whole > 0))) return '';
  const rows = all.slice(0, MAX_LISTED).map(([key, value, count]) => {
    const shown = isShare
      ? `${rounded((100 * Number(value)) / whole)} %`
      : figure === 'average'
        ? rounded(value)
        : value;
    return `- ${key}: **${shown}**${isCount ? '' : ` (${count} ${count === 1 ? 'row' : 'rows'})`}`;
  });
  const more = all.length > MAX_LISTED ? '\n- …' : '';
  const ranked = kind === 'most' || kind === 'least' ? `The ${rankOf(plan)}: ` : '';
  return `${ranked}${isShare ? 'Share. ' : ''}${name} for each ${column.heading}${over}:\n\n${rows.join('\n')}${more}`;
}

function listOf(columns: readonly Column[], where: string, all: TableFigure['rows']): string {
  const rows = all.slice(0, MAX_LISTED).map((row) => row.map((cell) => cell ?? '').join(', '));
  const found = rows.filter((row) => row.replaceAll(/[, ]/g, '') !== '').map((row) => `- ${row}`);
  const more = all.length > MAX_LISTED ? '\n- …' : '';
  const of = columns
    .map(({ heading }) => heading)
    .filter(Boolean)
    .join(', ');
  if (all.length > 0 && found.length === 0) return `**Empty**: ${of} has no value in ${where}.`;
  if (columns.length === 1 && rows.length === 1 && rows[0]) return `${of} in ${where}: **${rows[0]}**`;
  return found.length === 0 ? `**None**: no row of ${where}.` : `${of} in ${where}:\n\n${found.join('\n')}${more}`;
}

function comparisonOf({ of: by, isLess }: Plan, of: string, rows: TableFigure['rows']): string {
  const [[one, first] = [], [other, second] = []] = isLess ? rows.toReversed() : rows;
  if (rows.length !== 2) return '';
  const figure =
    by === 'average' ? `a ${isLess ? 'lower' : 'higher'} average of ${of}` : `${isLess ? 'less' : 'more'} ${of}`;
  const shown = by === 'average' ? [rounded(first), rounded(second)] : [first, second];
  if (first === second) return `${one} and ${other} have the same ${of}: ${first}.`;
  const apart = Math.abs(Number(shown[0]) - Number(shown[1]));
  return `**${one}** has ${figure}: ${shown[0]}, against ${shown[1]} for ${other}, a difference of ${Number(apart.toPrecision(12))}.`;
}

function columnsApart([first, second]: [Column, Column], of: Plan['of'], [figures = []]: TableFigure['rows']): string {
  const [one, other, apart] = of === 'average' ? figures.map((figure) => figure && rounded(figure)) : figures;
  if (one === null || other === null) return '';
  const average = of === 'average' ? 'the average of ' : '';
  return `The difference is **${apart}**: ${average}${first.heading} is ${one}, ${average}${second.heading} is ${other}.`;
}

function differenceOf({ measures, of }: Plan, rows: TableFigure['rows']): string {
  const [first, second] = measures;
  if (of === 'range') {
    const [[high, low, apart] = []] = rows;
    return apart === null || !first
      ? ''
      : `The difference is **${apart}**: the highest ${first.heading} is ${high}, the lowest ${low}.`;
  }
  if (first && second) return columnsApart([first, second], of, rows);
  const [[more, most] = [], [less, least] = []] = rows;
  if (rows.length !== 2) return '';
  const apart = Number((Number(most) - Number(least)).toPrecision(15));
  const figure = of === 'count' ? 'rows' : `${of === 'average' ? 'average of ' : ''}${first?.heading}`;
  return `The difference is **${of === 'average' ? rounded(apart) : apart}** (${figure}): ${rounded(most)} for ${more}, ${rounded(least)} for ${less}.`;
}

function shareText({ sides, days, limits }: Plan, of: string, part: unknown, whole: unknown): string {
  if (!(Number(whole) > 0)) return '';
  const isPart = sides.length > 0 ? sides : days.length > 0 ? days : limits;
  const rest = sides.length > 0 ? [...days, ...limits] : days.length > 0 ? limits : [];
  const within = rest.length === 0 ? '' : ` with ${rest.map(({ said }) => inWords(said)).join(' and ')}`;
  const percent = rounded((100 * Number(part)) / Number(whole));
  return `**${percent} %**: ${part} of ${whole}${of === '' ? ' rows' : ` (${of})`}${within} are those with ${isPart.map(({ said }) => inWords(said)).join(' or ')}.`;
}

const MAX_ROWS_NAMED = 10;

function sourceLine({ name, place, rows, count }: NonNullable<TableFigure['used']>[number], at: number): string {
  const named = rows.slice(0, MAX_ROWS_NAMED).join(', ');
  return `- [${at + 1}] ${titleOf(name)}, ${titleOf(place)}, ${count === 1 ? 'row' : 'rows'} ${named}${count > MAX_ROWS_NAMED ? ` and ${count - MAX_ROWS_NAMED} more` : ''} of the table`;
}
