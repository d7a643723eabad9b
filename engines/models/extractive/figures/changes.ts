/** Plans the change of a figure from one day to another: "how much did the rent rise between 2019 and 2023?" */
import { ASKING, fold, OpenText, WHOLE } from '../words.ts';
import { askedGroup } from './asked-subject.ts';
import { askedTables, type Planner } from './asked-tables.ts';
import { dayFilters, STARTED } from './column-conditions.ts';
import {
  type AskedTable,
  type Column,
  columnText,
  type Filter,
  type Plan,
  type PlannedFigure,
  readText,
  rounded,
  type TableFigure,
  withSources,
} from './figure-statement.ts';
import { type FigureRequest, NEUTRAL, readFigureRequests } from './figure-words.ts';
import {
  type ColumnValue,
  contentWords,
  namesColumn,
  ownValues,
  takeColumn,
  valueFilters,
  withoutYear,
} from './match-columns.ts';
import { addsUp, measureOf } from './measured-column.ts';
import { isRanked, yearHeadings } from './row-conditions.ts';
import { spellOut } from './short-names.ts';

const CHANGED = WHOLE(
  `(?:gr[oe]w[ns]?|growing|growth|r[io]se[sn]?|rising|increase[ds]?|increasing|chang(?:e[ds]?|ing)|f[ae]ll(?:en|s|ing)?|drop(?:s|ped)?|decrease[ds]?|declin(?:e[ds]?|ing)|gained?|los[et]s?|verl(?:or(?:en)?|iert)|perd\\p{L}*|(?:go|goes|went|gone) (?:up|down)|develop(?:ed|ment)?
   |gewachsen|w[au]chs(?:en|t)?|gestiegen|stieg(?:en)?|steig\\p{L}*|zugenommen|zunahme|gesunken|sank(?:en)?|gefallen|fiel(?:en)?|abgenommen|(?:ver)?ander(?:t|te|n|ung)|entwickl\\p{L}*|entwickel\\p{L}*
   |augment\\p{L}*|hausse|baiss\\p{L}*|diminu\\p{L}*|evolu\\p{L}*|chang(?:ee?|ement)|progress\\p{L}*
   |crec\\p{L}*|aument\\p{L}*|subi(?:o|do|eron)|baj(?:o|ado|aron)|disminu\\p{L}*|cambi\\p{L}*)`.replaceAll(
    /\s*\n\s*/g,
    '',
  ),
);

/** `value` is the figure at one end, as SQL. */
type End = { value: string; said: string };
type Change = Pick<Plan, 'read'> & {
  table: AskedTable;
  side: Column | undefined;
  sides: readonly Filter[];
  of: Column;
  ends: readonly End[];
  /** Which change is asked for, of all groups. */
  ranked: Ranked | undefined;
};
type Ranked = 'highest' | 'lowest';

const FELL = WHOLE(
  '(?:f[ae]ll|drop|decreas|declin|los[et]|sank|gesunken|gefallen|fiel|abgenommen|verl(?:or|iert)|perd|baiss|diminu|baj|disminu)\\p{L}*|(?:go|goes|went|gone) down',
);
/** "Changed most" is either way, and "grew fastest" may be by the share. */
const UNCLEAR = WHOLE(
  'chang\\p{L}*|(?:ver)?ander\\p{L}*|cambi\\p{L}*|fast\\p{L}*|slow\\p{L}*|strong\\p{L}*|schnell\\p{L}*|stark\\p{L}*|vite',
);

/** "Which region grew the most" is the highest change; "which one fell the most" is the lowest. Undefined if unclear. */
function rankedChange({ question, request: { kind, rank, limit } }: ChangeQuestion): Ranked | undefined {
  const text = fold(question);
  if (UNCLEAR.test(text) || rank > 1 || limit !== undefined) return undefined;
  return (kind === 'most') === FELL.test(text) ? 'lowest' : 'highest';
}

/** Whether a question asks for a change, which no sum and no row of the days between is. */
export function asksForChange(question: string): boolean {
  const [request] = readFigureRequests(question);
  const [first, last, another] = request?.periods ?? [];
  const isOfTwo = last !== undefined && !another && first?.said !== last.said;
  return isOfTwo && (request?.kind === 'difference' || CHANGED.test(fold(question)));
}

export const planChange: Planner = (question, tables, values) => {
  const [read] = readFigureRequests(question);
  const request = read && { ...read, periods: read.periods.toSorted((a, b) => a.start.localeCompare(b.start)) };
  const changes = request
    ? askedTables(tables, values).single.flatMap((table) => changeOf(table, { question, request }, values) ?? [])
    : [];
  const [change, another] = changes;
  return change && !another ? toChangeQuery(change) : undefined;
};

function changeOf(table: AskedTable, asked: ChangeQuestion, values: readonly ColumnValue[]): Change | undefined {
  const { request } = asked;
  const { text, read } = spellOut(request.rest, table.columns, ownValues(table, values), asked.question);
  const open = new OpenText(text);
  const sides = valueFilters({ open, table, values });
  const isRanking = isRanked(request);
  const ranked = isRanking ? rankedChange(asked) : undefined;
  const group = isRanking ? askedGroup({ open, table, request, values, others: [], notes: [] }) : undefined;
  const side = isRanking ? group?.column : sides?.[0]?.column;
  if (isRanking && (!ranked || !side || sides?.length !== 0)) return undefined;
  if (!sides || sides.some(({ column, value }) => value === undefined || column !== side)) return undefined;
  const found = endsOf(table, asked, open, values);
  if (!found) return undefined;
  takeColumn(open, found.of);
  if (side) takeColumn(open, side);
  while (open.take(CHANGED));
  const left = contentWords(open.text).filter((word) => !ASKING.has(word) && !NEUTRAL.has(word));
  return left.length > 0 ? undefined : { table, side, sides, read, ranked, ...found };
}

type ChangeQuestion = { question: string; request: FigureRequest };

/** The salaries of those who joined in 2021 and in 2025 are no change. */
const OF_PERSON_DAY = new RegExp(`${STARTED.source}|birth|born|geb(?:oren|urt)|naissance|nacim`, 'iu');

/** Two columns that are called by their year, or two days of one column. */
function endsOf(
  table: AskedTable,
  { question, request }: ChangeQuestion,
  open: OpenText,
  values: readonly ColumnValue[],
): Pick<Change, 'of' | 'ends'> | undefined {
  const years = yearHeadings(table, { ...request, rest: open.text });
  const [first] = years;
  if (first && years.length === 2)
    return {
      of: { ...first, heading: withoutYear(first.heading) },
      ends: years.map((column, at) => ({ value: columnText(column), said: request.periods[at]?.start ?? '' })),
    };
  const periods = request.periods.map((period) => ({ ...period, sign: '=' as const }));
  const days = dayFilters({ table, request: { ...request, periods }, open, notes: [], values, others: [] });
  const [day] = days ?? [];
  if (day && OF_PERSON_DAY.test(day.column.heading)) return undefined;
  const columns = table.columns.filter((column) => column !== day?.column);
  const words = contentWords(question);
  const measure = measureOf({ open, table: { ...table, columns }, request: { ...request, kind: 'sum' } });
  if (!days || !day || !measure || measure === 'unclear' || namesColumn(measure, words) === 0) return undefined;
  const value = ({ sql }: Filter) => `iif(${sql}, ${columnText(measure)}, NULL)`;
  return { of: measure, ends: days.map((filter, at) => ({ value: value(filter), said: periods[at]?.start ?? '' })) };
}

function toChangeQuery(change: Change): PlannedFigure {
  const { table, side, sides, read, ends } = change;
  const values = ends.map(({ value }) => value);
  const where = [
    ...table.tables.map((name) => `${name}.is_total = 0`),
    ...(sides.length > 0 ? [`(${sides.map(({ sql }) => sql).join(' OR ')})`] : []),
    `coalesce(${values.join(', ')}) IS NOT NULL`,
  ];
  const key = side ? columnText(side) : "''";
  const figures = [...values.map((value) => `sum(${value})`), ...values.map((value) => `count(${value})`)];
  return {
    sql: `SELECT ${key}, ${figures.join(', ')} FROM ${table.from} WHERE ${where.join(' AND ')} GROUP BY 1 LIMIT ${MAX_GROUPS}`,
    detail: () => undefined,
    write: ({ rows, used }) => {
      const text = changeText(rows, change);
      return text === '' ? '' : withSources(table, [text, readText(read)].filter(Boolean).join('\n\n'), used);
    },
  };
}

const MAX_GROUPS = 1_000;
const SHOWN_GROUPS = 5;

/** Empty if a side lacks a figure, or if several rows of one day are no parts of a whole. */
function changeText(rows: TableFigure['rows'], { of, ends: [from, to], ranked }: Change): string {
  const areKnown = rows.every((row) =>
    row.slice(3).every((count) => Number(count) === 1 || (addsUp(of) && Number(count) > 0)),
  );
  if (rows.length === 0 || rows.length === MAX_GROUPS || !areKnown) return '';
  const changes = rows
    .map(([side, first, last]) => ({ side, first: Number(first), last: Number(last) }))
    .map((change) => ({ ...change, by: Number((change.last - change.first).toPrecision(12)) }))
    .sort((a, b) => (ranked === 'lowest' ? a.by - b.by : b.by - a.by));
  const lines = changes.slice(0, ranked && SHOWN_GROUPS).map(({ side, first, last, by }) => {
    const share = first > 0 && last > 0 ? `, ${signed((100 * by) / first)} %` : '';
    return `- ${side ? `${side}: ` : ''}**${signed(by)}**, from ${rounded(first)} to ${rounded(last)}${share}`;
  });
  const left = lines.length < changes.length ? '\n- …' : '';
  return `The ${ranked ? `${ranked} ` : ''}change of ${of.heading || 'the figure'} from ${from?.said} to ${to?.said}:\n\n${lines.join('\n')}${left}`;
}

const signed = (figure: number): string => `${figure > 0 ? '+' : ''}${rounded(figure)}`;
