/** Plans how a figure differs from one day to another ("how much did the rent rise between 2019 and 2023?"), and from one table to another. */
import { sheetOf } from '../../../documents/sheets/sheet.ts';
import { ASKING, fold, OpenText, WHOLE } from '../../../retrieval/words.ts';
import { meansSame } from '../synonyms.ts';
import { askedGroup, COMPARED } from './asked-subject.ts';
import { askedTables, type Planner } from './asked-tables.ts';
import { dayFilters, STARTED } from './column-conditions.ts';
import {
  type AskedTable,
  type Column,
  columnText,
  type Filter,
  type Plan,
  type PlannedFigure,
  quotedName,
  readText,
  rounded,
  type TableFigure,
  withSources,
} from './figure-statement.ts';
import { type FigureRequest, NEUTRAL, ROW_NOUNS, readFigureRequests } from './figure-words.ts';
import {
  type ColumnValue,
  contentWords,
  headingWords,
  namedColumn,
  namesColumn,
  namingColumn,
  numbersOf,
  ownValues,
  type Planning,
  takeColumn,
  unitOf,
  valueFilters,
  withoutYear,
} from './match-columns.ts';
import { addsUp, measureOf } from './measured-column.ts';
import { DENIES } from './named-rows.ts';
import { isRanked, yearHeadings } from './row-conditions.ts';
import { spellOut } from './short-names.ts';

const ROSE =
  'gr[oe]w[ns]?|growing|growth|r[io]se[sn]?|rising|increase[ds]?|increasing|gained?|(?:go|goes|went|gone) up|gewachsen|w[au]chs(?:en|t)?|gestiegen|stieg(?:en)?|steig\\p{L}*|erhoht(?:en?)?|zugenommen|zunahme|augment\\p{L}*|hausse|progress\\p{L}*|crec\\p{L}*|aument\\p{L}*|subi(?:o|do|eron)';
const FELL =
  'f[ae]ll(?:en|s|ing)?|drop(?:s|ped)?|decrease[ds]?|decreasing|declin(?:e[ds]?|ing)|los[et]s?|(?:go|goes|went|gone) down|gesunken|gesenkt|senkten?|sank(?:en)?|gefallen|fiel(?:en)?|abgenommen|verl(?:or(?:en)?|iert)|perd\\p{L}*|baiss\\p{L}*|diminu\\p{L}*|baj(?:o|ado|aron)|disminu\\p{L}*';
const EITHER =
  'chang(?:e[ds]?|ing|ee|ement)|develop(?:ed|ment)?|(?:ver)?ander(?:t|te|n|ung)|entwickl\\p{L}*|entwickel\\p{L}*|evolu\\p{L}*|cambi\\p{L}*';
const CHANGED = WHOLE(`(?:${ROSE}|${FELL}|${EITHER})`);

/** The first word for a rise or a fall. */
export function riseOrFall(text: string): { said: string; rises: boolean } | undefined {
  const rise = WHOLE(ROSE).exec(text);
  const [said] = rise ?? WHOLE(FELL).exec(text) ?? [];
  return said === undefined ? undefined : { said, rises: rise !== null };
}

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
  isAverage: boolean;
};
type Ranked = { direction: 'rise' | 'fall'; order: 'biggest' | 'smallest' | 'all' };

/** "Whose salary fell" asks for all that fell. */
const ASKS_WHICH =
  /^\W*(?:(?:in|at|bei|von|dans|en) )?(?:who|whose|which|wer|wessen|welche[rsmn]?|qui|quel(?:le)?s?|quien(?:es)?|cual(?:es)?|que) /u;
const ASKS_WHO = /^\W*(?:who|whose|wer|wessen|qui|quien(?:es)?) /u;

/** By how much, or by which share? */
const BY_SHARE = WHOLE('fast\\p{L}*|slow\\p{L}*|strong\\p{L}*|schnell\\p{L}*|stark\\p{L}*|vite');

/** "Which region grew the most" is the biggest rise. Undefined if the words of the question leave the direction open. */
function rankedChange(changed: string, rest: string, { kind, rank, limit }: FigureRequest): Ranked | undefined {
  const [rises, falls] = [WHOLE(ROSE).test(changed), WHOLE(FELL).test(changed)];
  const isOpen = rises === falls || WHOLE(EITHER).test(changed) || BY_SHARE.test(rest);
  if (isOpen || rank > 1 || limit !== undefined) return undefined;
  const order = kind === 'most' ? 'biggest' : kind === 'least' ? 'smallest' : 'all';
  return { direction: rises ? 'rise' : 'fall', order };
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
  // Which changes are meant is not said by their direction alone.
  if ((read?.thresholds.length ?? 0) > 0 || DENIES.test(fold(question))) return undefined;
  const request = read && { ...read, periods: read.periods.toSorted((a, b) => a.start.localeCompare(b.start)) };
  const changes = request
    ? askedTables(question, tables, values).single.flatMap(
        (table) => changeOf(table, { question, request }, values) ?? [],
      )
    : [];
  const [change, another] = changes;
  return change && !another ? toChangeQuery(change) : undefined;
};

function changeOf(table: AskedTable, asked: ChangeQuestion, values: readonly ColumnValue[]): Change | undefined {
  const { request } = asked;
  const { text, read } = spellOut(request.rest, table.columns, ownValues(table, values), asked.question);
  const open = new OpenText(text);
  const planning: Planning = { open, table, request, values, others: [], notes: [] };
  const of = sideOf(planning, asked.question);
  if (!of) return undefined;
  const { side, sides, isRanking } = of;
  const found = endsOf(planning, asked.question);
  if (!found) return undefined;
  takeColumn(open, found.of);
  if (side) takeColumn(open, side);
  const changed: string[] = [];
  for (let said = open.take(CHANGED); said; said = open.take(CHANGED)) changed.push(said[0]);
  const ranked = isRanking ? rankedChange(changed.join(' '), open.text, request) : undefined;
  open.take(COMPARED);
  const names = headingWords(table.name);
  const left = contentWords(open.text).filter(
    (word) => !ASKING.has(word) && !NEUTRAL.has(word) && !names.includes(word),
  );
  if (left.length > 0 || (isRanking && !ranked)) return undefined;
  const isAverage = request.kind === 'average' || request.of === 'average';
  return { table, side, sides, read, ranked, isAverage, ...found };
}

/** The values or the groups of one column whose change is asked for; neither, of a whole table. */
function sideOf(planning: Planning, question: string) {
  const sides = valueFilters(planning);
  const group = sides?.length === 0 ? groupOf(planning, fold(question)) : undefined;
  const isRanking = isRanked(planning.request) || group !== undefined;
  const side = group ?? sides?.[0]?.column;
  const areOfSide = sides?.every(({ column, value }) => value !== undefined && column === side);
  const isUnclear = isRanking && !group;
  return sides && areOfSide && !isUnclear && !leavesOutRows(planning.table, side)
    ? { side, sides, isRanking }
    : undefined;
}

/** What only one of two versions has is in none of their common rows: no change of a whole is calculated from these. */
const leavesOutRows = ({ isSideBySide, columns: [key] }: AskedTable, side: Column | undefined): boolean =>
  isSideBySide === true && (side === undefined || side !== key);

/** What the changes are listed or ranked by: "which site", or those who are named in the first column. */
function groupOf(planning: Planning, question: string): Column | undefined {
  const { request, table, values } = planning;
  if (!isRanked(request) && !ASKS_WHICH.test(question)) return undefined;
  return askedGroup(planning)?.column ?? (ASKS_WHO.test(question) ? namingColumn(table, values) : undefined);
}

type ChangeQuestion = { question: string; request: FigureRequest };

/** The salaries of those who joined in 2021 and in 2025 are no change. */
const OF_PERSON_DAY = new RegExp(`${STARTED.source}|birth|born|geb(?:oren|urt)|naissance|nacim`, 'iu');

/** Two columns that are called by their year, or two days of one column. */
function endsOf(planning: Planning, question: string): Pick<Change, 'of' | 'ends'> | undefined {
  const { open, table, request } = planning;
  const years = yearHeadings(table, { ...request, rest: open.text });
  const [first] = years;
  if (first && years.length === 2)
    return {
      of: { ...first, heading: withoutYear(first.heading) },
      ends: years.map((column, at) => ({ value: columnText(column), said: request.periods[at]?.start ?? '' })),
    };
  const periods = request.periods.map((period) => ({ ...period, sign: '=' as const }));
  const days = dayFilters({ ...planning, request: { ...request, periods } });
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
  const { table, side, sides, read, ends, isAverage } = change;
  const values = ends.map(({ value }) => value);
  const where = [
    ...table.tables.map((name) => `${name}.is_total = 0`),
    ...(sides.length > 0 ? [`(${sides.map(({ sql }) => sql).join(' OR ')})`] : []),
    `coalesce(${values.join(', ')}) IS NOT NULL`,
  ];
  const key = side ? columnText(side) : "''";
  const figures = [
    ...values.map((value) => `${isAverage ? 'avg' : 'sum'}(${value})`),
    ...values.map((value) => `count(${value})`),
  ];
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
const MAX_SHOWN = 60;

/** Empty if a side lacks a figure, if several rows of one day are no parts of a whole, or if none rose or fell as asked. */
function changeText(rows: TableFigure['rows'], { of, ends: [from, to], ranked, isAverage }: Change): string {
  const isKnown = (count: number) => count === 1 || (count > 0 && (isAverage || addsUp(of)));
  const areKnown = rows.every((row) => row.slice(3).every((count) => isKnown(Number(count))));
  if (rows.length === 0 || rows.length === MAX_GROUPS || !areKnown) return '';
  const sign = ranked?.direction === 'fall' ? -1 : 1;
  const changes = rows
    .map(([side, first, last]) => ({ side, first: Number(first), last: Number(last) }))
    .map((change) => ({ ...change, by: Number((change.last - change.first).toPrecision(12)) }))
    .filter(({ by }) => !ranked || by * sign > 0)
    .sort((a, b) => (ranked?.order === 'smallest' ? a.by - b.by : b.by - a.by) * sign);
  const isAll = ranked?.order === 'all';
  if (changes.length === 0 && !isAll) return '';
  const lines = changes.slice(0, isAll ? MAX_SHOWN : ranked && SHOWN_GROUPS).map(({ side, first, last, by }) => {
    const share = first > 0 && last > 0 ? `, ${signed((100 * by) / first)} %` : '';
    return `- ${side ? `${side}: ` : ''}**${signed(by)}**, from ${rounded(first)} to ${rounded(last)}${share}`;
  });
  const left = lines.length < changes.length ? '\n- …' : '';
  const kind = isAll ? `${ranked?.direction}s` : ranked ? `${ranked.order} ${ranked.direction}` : 'change';
  const what = `${isAverage ? 'the average ' : ''}${of.heading || 'the figure'}`;
  return `The ${kind} of ${what} from ${from?.said} to ${to?.said}:\n\n${lines.join('\n') || '**None**'}${left}`;
}

const signed = (figure: number): string => `${figure > 0 ? '+' : ''}${rounded(figure)}`;

const AGREE = WHOLE(
  'agree[sd]?|match(?:es|ed)?|differ(?:s|ed|ent|ences?|ing)?|deviat\\w*|discrepanc\\w*|correspond\\w*|stimm(?:t|en)|uberein|ubereinstimm\\w*|abweich\\w*|weich(?:t|en)|unterschied\\w*|unterscheid\\w*|differ\\w*|concord\\w*|ecarts?|coincid\\w*|difier\\w*|diferenci\\w*|distint[oa]s?|the same|correct|richtig|korrekt',
);
/** Whether a question asks if one file says the same as another. */
export const asksForAgreement = (question: string): boolean => AGREE.test(fold(question.normalize('NFC')));

/** "The differences" are those of rows, where "the difference" is a figure. */
const ROWS_APART = WHOLE('differences|unterschiede|differenzen|ecarts|diferencias');

/** The tables of one file, or of one sheet, which have a key and what is compared. */
type Side = { name: string; tables: readonly AskedTable[]; key: Column; of: Column };

/** "Do the prices of the order agree with the price list?" Undefined unless two files, or two sheets, have a key and one such column each. */
export const planAgreement: Planner = (question, tables, values) => {
  const [request] = readFigureRequests(question);
  if (request?.isNamed && !ROWS_APART.test(fold(question)) && request.kind !== 'count' && request.kind !== 'list')
    return undefined;
  const all = askedTables(question, tables, values).single;
  const areFiles = new Set(all.map(({ name }) => name)).size > 1;
  const groups = Map.groupBy(all, ({ name, place }) => (areFiles ? name : sheetOf(place)));
  const words = contentWords(question).filter((word) => !AGREE.test(word));
  const sides = [...groups].flatMap(([name, own]) => measuredSide(name, own, words) ?? []);
  const [one, other, another] = sides;
  const keys = one && other && !another ? sharedKey(one.tables, other.tables) : undefined;
  if (!one || !other || !keys || unitOf(one.of) !== unitOf(other.of)) return undefined;
  const pair: [Side, Side] = [
    { ...one, key: keys[0] },
    { ...other, key: keys[1] },
  ];
  return leavesOutWords(question, pair) ? undefined : toAgreementQuery(pair);
};

/** The tables with the column that the question names. */
function measuredSide(
  name: string,
  tables: readonly AskedTable[],
  words: readonly string[],
): Omit<Side, 'key'> | undefined {
  const found = tables.flatMap((table) => {
    const numbers = numbersOf(table);
    const translated = numbers.filter(({ heading }) =>
      headingWords(heading).some((own) => words.some((word) => meansSame(word, own))),
    );
    const column = namedColumn(numbers, words) ?? (translated.length === 1 ? translated[0] : undefined);
    return column && column !== 'unclear' ? [{ table, column }] : [];
  });
  const [first] = found;
  const own = found.filter(({ column }) => column.column === first?.column.column).map(({ table }) => table);
  return first && { name, tables: own, of: first.column };
}

const CODE = /(?<!\p{L})(?:code|id|no|nr|num(?:ber|mer|ero|éro)?|ref(?:erence|erenz)?|sku)(?!\p{L})/iu;

/** Two columns whose headings share a word; of several, those of a code. */
function sharedKey([one]: readonly AskedTable[], [other]: readonly AskedTable[]): [Column, Column] | undefined {
  const isKey = ({ type, heading }: Column) => type === 'text' || CODE.test(heading);
  const pairs = (one?.columns ?? []).filter(isKey).flatMap((first) =>
    (other?.columns ?? [])
      .filter((second) => isKey(second) && second.type === first.type)
      .filter((second) => headingWords(first.heading).some((word) => headingWords(second.heading).includes(word)))
      .map((second): [Column, Column] => [first, second]),
  );
  return pairs.find((pair) => pair.every(({ heading }) => CODE.test(heading))) ?? pairs[0];
}

/** Those that do not agree are shown in any case. */
const NOT = WHOLE('(?:do|does|is|are)n.?t|not|nicht|ne|pas|no');
/** A word that neither file explains may be a condition. */
function leavesOutWords(question: string, sides: readonly Side[]): boolean {
  const open = new OpenText(fold(question.normalize('NFC')).replaceAll(new RegExp(NOT, 'gu'), ' '));
  while (open.take(AGREE));
  for (const { of, key } of sides) for (const column of [of, key]) takeColumn(open, column);
  const known = sides.flatMap(({ tables }) =>
    tables.flatMap(({ name, place }) => headingWords(`${name} ${sheetOf(place)}`)),
  );
  const headings = sides.flatMap(({ of, key }) => headingWords(`${of.heading} ${key.heading}`));
  const isKnown = (word: string) =>
    headings.some((own) => meansSame(word, own)) ||
    ASKING.has(word) ||
    NEUTRAL.has(word) ||
    ROW_NOUNS.has(word) ||
    known.includes(word);
  return contentWords(open.text).some((word) => !isKnown(word)) || DENIES.test(open.text);
}

const MAX_COMPARED = 500;
const MAX_MISSING = 10;

function toAgreementQuery(pair: [Side, Side]): PlannedFigure {
  const rowsOf = ({ tables, key, of }: Side) =>
    tables
      .map(({ from }) => {
        const [value, text] = [quotedName(of.column), quotedName(`${of.column}_text`)];
        const known = `"is_total" = 0 AND ${quotedName(key.column)} IS NOT NULL AND ${value} IS NOT NULL`;
        return `SELECT '${from}' AS t, "row" AS r, ${quotedName(key.column)} AS k, ${value} AS v, ${text} AS s FROM ${from} WHERE ${known}`;
      })
      .join(' UNION ALL ');
  const both = `WITH a AS (${rowsOf(pair[0])}), b AS (${rowsOf(pair[1])})`;
  return {
    sql: `${both} SELECT a.k, a.s, b.s, round(a.v - b.v, 6), a.t, a.r, b.t, b.r FROM a JOIN b ON fold(a.k) = fold(b.k) ORDER BY a.t, a.r LIMIT ${MAX_COMPARED + 1}`,
    detail: ({ rows }) =>
      agreementText(rows, pair, []) &&
      `${both} SELECT k FROM a WHERE fold(k) NOT IN (SELECT fold(k) FROM b) LIMIT ${MAX_MISSING + 1}`,
    write: ({ rows }, missing) => {
      const text = agreementText(rows, pair, missing?.rows ?? []);
      return text && withSources(pair[0].tables[0] as AskedTable, text, rowsUsed(rows, pair));
    },
  };
}

/** Empty if nothing is compared, or if a thing has several figures in one of the tables. */
function agreementText(rows: TableFigure['rows'], [one, other]: [Side, Side], missing: TableFigure['rows']): string {
  const areOnce = [4, 6].every((at) => new Set(rows.map((row) => `${row[at]} ${row[at + 1]}`)).size === rows.length);
  if (rows.length === 0 || rows.length > MAX_COMPARED || !areOnce) return '';
  const apart = rows.filter(([, , , by]) => by !== 0);
  const what = `${one.of.heading} in ${one.name} and ${other.of.heading} in ${other.name}`;
  const lines = apart
    .slice(0, MAX_SHOWN)
    .map(([key, first, second, by]) => `- ${key}: **${first}** and **${second}** (${signed(Number(by))})`);
  const answer =
    apart.length === 0
      ? `**None** of ${rows.length} differ: ${what} are the same for each ${one.key.heading}.`
      : `**${apart.length}** of ${rows.length} differ, ${what}:\n\n${lines.join('\n')}${apart.length > MAX_SHOWN ? '\n- …' : ''}`;
  const keys =
    missing.length > MAX_MISSING ? `more than ${MAX_MISSING} of ${one.name}` : missing.map(([key]) => key).join(', ');
  const left = missing.length === 0 ? '' : `Not in ${other.name}: ${keys}.`;
  return [answer, left].filter(Boolean).join('\n\n');
}

/** The rows that were compared, by their tables. */
function rowsUsed(rows: TableFigure['rows'], sides: readonly Side[]): TableFigure['used'] {
  const used = [4, 6].flatMap((at) => rows.map((row) => ({ table: row[at], row: Number(row[at + 1]) })));
  return sides
    .flatMap(({ tables }) => tables)
    .map(({ name, place, from }) => {
      const own = used.filter(({ table }) => table === from).map(({ row }) => row);
      return { name, place, rows: own, count: own.length };
    })
    .filter(({ count }) => count > 0);
}
