/** Reads the tables that a question may be about: which of them belong together, and which of their values it names. */

import { FIGURE_STOP_WORDS, fold, OpenText, QUESTION_WORDS, stem, wordsOf } from '../../../retrieval/words.ts';
import { areSynonyms } from '../synonyms.ts';
import {
  type AskedTable,
  type Column,
  columnText,
  type PlannedFigure,
  quotedName,
  quotedText,
  type SetPlan,
} from './figure-statement.ts';
import {
  ALWAYS_READ,
  type ColumnValue,
  contentWords,
  headingWords,
  isAlike,
  isCounter,
  isUnique,
  MARKS,
  MIN_SHORT,
  namesColumn,
  namingColumn,
  numbersOf,
  OF_PERSON,
  STATES,
  spaced,
  valueFilters,
} from './match-columns.ts';
import { shortDays } from './periods.ts';

/** A table as `query_table` describes it. */
export type DescribedTable = Pick<AskedTable, 'name' | 'place' | 'parts'> & {
  table: string;
  columns: Omit<Column, 'table'>[];
};

/** Undefined if the tables do not answer the question in the planner's way. */
export type Planner = (
  question: string,
  tables: readonly DescribedTable[],
  values: readonly ColumnValue[],
) => PlannedFigure | undefined;

/** `P-7` and `B/12` are written with signs. */
const KEY_LIKE = /[\p{L}\p{N}]{1,20}(?:[-/.:][\p{L}\p{N}]{1,20}){1,5}/gu;

const MAX_TOKENS = 20;
const MAX_TEXT_COLUMNS = 60;
const MAX_VALUES = 1_000;
const MAX_SAMPLES = 3;

/** The tables as questions see them, each by itself and two as one. */
export function askedTables(question: string, all: readonly DescribedTable[], values: readonly ColumnValue[]) {
  const data = all.filter((table) => !explainsColumns(table));
  const tables = data.length > 0 ? data : all;
  const versions = tables.flatMap((one, at) =>
    tables.slice(at + 1).flatMap((other) => sideBySide(one, other, question, values) ?? []),
  );
  // Each of them alone would answer for one of the two.
  if (versions.length > 0) return { single: versions, joined: [] };
  return { single: tables.map(toAsked(values)), joined: joinedTables(tables, values) };
}

const EXPLAINED =
  /^(?:columns?|fields?|variables?|attributes?|spalten?|felder|feld|colonnes?|champs?|columnas?|campos?)(?: name)?$/i;

const EXPLANATION =
  /^(?:meaning|description|explanation|definition|notes?|bedeutung|beschreibung|erkl[äa]rung|signification|descripci[óo]n|significado)$/i;

/** A sheet that says what the columns of another one mean holds nothing to count. */
const explainsColumns = ({ columns }: DescribedTable): boolean =>
  columns.some(({ heading }) => EXPLAINED.test(heading.trim())) &&
  columns.some(({ heading }) => EXPLANATION.test(heading.trim()));

/** The words of a question that may be a part of a value. */
const searchedWords = (question: string): string[] =>
  [
    ...new Set(wordsOf(question.normalize('NFC')).filter((word) => word.length > 2 && !FIGURE_STOP_WORDS.has(word))),
  ].slice(0, 40);

/** Without its ending: "pumps" and "African" are of the values "Pump" and "Africa". */
function beginningOf(word: string): string {
  const short = stem(word);
  if (short.length < word.length && word.startsWith(short)) return short;
  return word.length > 5 ? word.slice(0, -1) : word;
}

/** The statement for the values of text columns that share a word with the question, and for the keys of two tables. */
export function valuesQuery(question: string, tables: readonly DescribedTable[]): string | undefined {
  const columns = tables.flatMap(({ table, columns: all }) =>
    all.flatMap(({ column, type }) => (type === 'text' ? [{ table, column }] : [])),
  );
  const asked = contentWords(question);
  const named = columns.filter(
    ({ column }) =>
      namesColumn({ heading: column, column, table: '', type: 'text' }, asked) > 0 ||
      headingWords(column).some((part) => asked.some((word) => areSynonyms(word, part))) ||
      (ASKS_WHO.test(question) && OF_PERSON.test(spaced(column))),
  );
  const keys = [
    ...sharedKeys(tables).flatMap(({ tables: pair, columns: both }) =>
      pair.map((table, at) => ({ table, column: both[at] ?? '' })),
    ),
    ...firstColumns(tables),
    ...named.slice(0, MAX_KEYS),
  ];
  const searched = searchedWords(question);
  const text = question.normalize('NFC');
  const keyLike = (text.match(KEY_LIKE) ?? []).map((key) => fold(key));
  const tokens = [...keyLike, ...wordsOf(text).filter((word) => word.length <= 2 || /\d/.test(word))];
  const words = [
    `w IN (${[...ALWAYS_READ, ...STATES, ...searched.flatMap(shortDays), ...tokens.slice(0, MAX_TOKENS)].map(quotedText).join(', ')})`,
    ...searched
      .filter((word) => word.length > MIN_SHORT)
      .map((word) => `length(w) >= ${MIN_SHORT} AND ${quotedText(word)} LIKE w || '%'`),
    ...searched.map((word) => `w LIKE ${quotedText(`%${beginningOf(word).replaceAll(/[%_]/g, '')}%`)}`),
  ];
  const all = columns
    .slice(0, MAX_TEXT_COLUMNS)
    .map(
      ({ table, column }) =>
        `SELECT DISTINCT '${table}' AS t, ${quotedText(column)} AS c, ${quotedName(column)} AS v FROM ${table} WHERE length(${quotedName(column)}) < 80`,
    );
  const found = `SELECT t, c, v FROM (SELECT t, c, v, fold(v) AS w FROM (${all.join(' UNION ALL ')})) WHERE ${words.join(' OR ')} LIMIT ${MAX_VALUES}`;
  const parts = [
    ...markQueries(tables),
    ...(all.length > 0 ? [`SELECT * FROM (${found})`, ...numberingQueries(tables)] : []),
    ...keys.map(uniqueQuery),
  ];
  return parts.length === 0 ? undefined : `SELECT * FROM (${parts.join(' UNION ALL ')})`;
}

/** A longer statement is refused. */
const MAX_STATEMENT = 19_000;
/**
 * The tables whose values one statement can look up: of very many, those with the most words of the question in their headings. No
 * figure is calculated from the others, since a condition on a value that is not known would be ignored.
 */
export function searchedTables(question: string, tables: readonly DescribedTable[]): readonly DescribedTable[] {
  const asked = contentWords(question);
  const named = ({ columns }: DescribedTable): number =>
    asked.filter((word) => columns.some(({ heading }) => headingWords(heading).includes(word))).length;
  const isLong = (some: readonly DescribedTable[]) =>
    some.flatMap(({ columns }) => columns).filter(({ type }) => type === 'text').length > MAX_TEXT_COLUMNS ||
    (valuesQuery(question, some)?.length ?? 0) > MAX_STATEMENT;
  if (!isLong(tables)) return tables;
  const counts = new Map(tables.map((table) => [table, named(table)]));
  let first = tables.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  while (first.length > 1 && isLong(first)) first = first.slice(0, Math.floor(0.8 * first.length));
  return tables.filter((table) => first.includes(table));
}

/** The columns that may name the rows of their tables. */
const firstColumns = (tables: readonly DescribedTable[]) =>
  tables
    .flatMap(({ table, columns: [first] }) =>
      first && first.type !== 'number' ? [{ table, column: first.column }] : [],
    )
    .slice(0, MAX_KEYS);

const uniqueQuery = ({ table, column }: Omit<Column, 'heading' | 'type'>): string =>
  `SELECT '${MARKS.key}', ${quotedText(`${table}.${column}`)}, count(DISTINCT ${quotedName(column)}) = count(*) FROM ${table}`;

/** What marks columns: values of those without a name, amounts of both signs and gaps, and values that are all in another. */
function markQueries(tables: readonly DescribedTable[]): string[] {
  const samples = tables
    .flatMap(({ table, columns: own }) => own.map((column) => ({ table, ...column })))
    .filter(({ heading, type }) => heading === '' && type === 'text')
    .slice(0, MAX_KEYS)
    .map(
      ({ table, column }) =>
        `SELECT * FROM (SELECT '${MARKS.sample}', ${quotedText(`${table}.${column}`)}, ${quotedName(column)} FROM ${table} WHERE length(${quotedName(column)}) < 80 LIMIT ${MAX_SAMPLES})`,
    );
  const states = tables
    .flatMap(({ table, columns: own }) => own.map((column) => ({ table, ...column })))
    .filter((column) => column.type === 'date' || (column.type === 'number' && !isCounter(column)))
    .slice(0, MAX_MARKED)
    .map(({ table, column, type }) => {
      const name = quotedName(column);
      const conditions = {
        gaps: `count(${name}) < count(*)`,
        ...(type === 'date' && {
          texts: `count(iif(${name} IS NULL AND is_total = 0, nullif(${quotedName(`${column}_text`)}, ''), NULL)) > 0`,
        }),
        ...(type === 'number' && {
          signed: `max(${name}) > 0 AND min(${name}) < 0`,
          flags: `min(${name}) = 0 AND max(${name}) = 1 AND sum(${name} <> round(${name})) = 0`,
          years: `min(${name}) >= 1900 AND max(${name}) <= 2100 AND sum(${name} <> round(${name})) = 0`,
        }),
      };
      const said = Object.entries(conditions).map(([state, holds]) => `iif(${holds}, '${state} ', '')`);
      return `SELECT '${MARKS.states}', ${quotedText(`${table}.${column}`)}, ${said.join(' || ')} FROM ${table}`;
    });
  const spans = tables
    .flatMap(({ table, columns: own }) => own.map((column) => ({ table, ...column })))
    .filter(({ type }) => type === 'date')
    .slice(0, MAX_KEYS)
    .map(
      ({ table, column }) =>
        `SELECT '${MARKS.span}', ${quotedText(`${table}.${column}`)}, substr(min(${quotedName(column)}), 1, 10) || ' ' || substr(max(${quotedName(column)}), 1, 10) FROM ${table}`,
    );
  const within = sharedKeys(tables)
    .filter(({ isSame }) => !isSame)
    .map(withinQuery);
  return [...states, ...spans, ...within, ...samples];
}

/** Whether the numbers of a first column stand once each and follow each other. */
const numberingQueries = (tables: readonly DescribedTable[]): string[] =>
  tables.flatMap(({ table, columns: [first] }) => {
    if (first?.type !== 'number') return [];
    const key = quotedName(first.column);
    const isWhole = `count(DISTINCT ${key}) = count(*) AND sum(${key} <> round(${key})) = 0`;
    const areDense = `count(*) > 2 AND max(${key}) - min(${key}) < 2 * count(*)`;
    return [`SELECT '${MARKS.numbering}', '${table}', ${isWhole} AND ${areDense} FROM ${table}`];
  });

const MAX_KEYS = 12;
const MAX_MARKED = 24;
const ASKS_WHO = /(?<!\p{L})(?:who|wer|qui|qui[eé]n(?:es)?)(?!\p{L})/iu;

type SharedKey = { tables: [string, string]; columns: [string, string]; isSame: boolean };

/** Columns that two tables have in common, by one name or as `customer_id` and the `id` of customers. */
function sharedKeys(tables: readonly DescribedTable[]): SharedKey[] {
  const found = tables.flatMap((one, at) =>
    tables.slice(at + 1).flatMap((other) =>
      one.columns.flatMap((first) =>
        other.columns
          .filter((second) => first.type === second.type && first.type !== 'date')
          .filter(
            (second) => first.column === second.column || isKeyOf(first, other, second) || isKeyOf(second, one, first),
          )
          .map(
            (second): SharedKey => ({
              tables: [one.table, other.table],
              columns: [first.column, second.column],
              isSame: first.column === second.column,
            }),
          ),
      ),
    ),
  );
  return found.slice(0, MAX_KEYS);
}

const KEY_ENDING = /_?(?:id|no|nr|code|key|number|num|nummer)$/;

type Heading = { column: string };

/** `customer_id` and `dept` name the `id` of customers and the `dept_id` of departments. */
function isKeyOf({ column }: Heading, { name }: DescribedTable, { column: key }: Heading): boolean {
  if (!KEY_ENDING.test(key)) return false;
  const [of, own] = [column, key].map((one) => one.replace(KEY_ENDING, '')) as [string, string];
  if (of.length < MIN_SHORT) return false;
  return own === '' ? headingWords(name).some((word) => isAlike(word, stem(of))) : own === of;
}

const toAsked =
  (values: readonly ColumnValue[]) =>
  ({ table, name, place, columns, parts }: DescribedTable): AskedTable => ({
    name,
    place,
    parts,
    from: table,
    tables: [table],
    columns: columns.map((column, at) => {
      const isKey =
        at === 0 && values.some(([mark, of, is]) => mark === MARKS.numbering && of === table && Number(is) === 1);
      return { ...column, table, ...(isKey && { isKey }) };
    }),
  });

/** Two tables with one column in common, whose values in one of them are all different, read as one. */
function joinedTables(tables: readonly DescribedTable[], values: readonly ColumnValue[]): AskedTable[] {
  const isKey = (table: string, column: string) => isUnique({ table, column }, values);
  const all = sharedKeys(tables);
  const between = (one: string, other: string) =>
    all.filter(({ tables: [first, second] }) => first === one && second === other);
  const keys = all.filter(
    ({ isSame, tables: [one, other], columns }) =>
      isSame ||
      (!between(one, other).some((key) => key.isSame) && isWithin(one, columns[0], other, columns[1], values)),
  );
  return keys.flatMap(({ tables: [one, other], columns: [column, key] }) => {
    const only = keys.filter(({ tables: [first, second] }) => first === one && second === other).length === 1;
    const pair = tables.filter(({ table }) => table === one || table === other);
    if (!only || pair.length !== 2 || !(isKey(one, column) || isKey(other, key))) return [];
    const on = `${one}.${quotedName(column)} = ${other}.${quotedName(key)}`;
    const [first, second] = pair.map(toAsked(values));
    if (!first || !second) return [];
    const [many, lookup] = isKey(other, key) ? [first, second] : [second, first];
    const rows = headingWords(many.name);
    return {
      name: `${first.name} ${second.name}`,
      place: '',
      from: `${one} JOIN ${other} ON ${on}`,
      tables: [one, other],
      lookup: headingWords(lookup.name).filter((word) => !rows.includes(word)),
      columns: [...first.columns, ...second.columns.filter((of) => of.column !== key)],
    };
  });
}

/** Two versions of a table, if the question names both: the deliveries of `FY23` and of `FY24` are columns beside each other. */
function sideBySide(
  one: DescribedTable,
  other: DescribedTable,
  question: string,
  values: readonly ColumnValue[],
): AskedTable | undefined {
  const [first, second] = [one, other].map(toAsked(values)) as [AskedTable, AskedTable];
  const [key, otherKey] = [first, second].map((table) => namingColumn(table, values));
  const words = contentWords(question);
  const labels = ownNames(one, other).map((own) => words.filter((word) => own.includes(word)));
  if (labels.some(({ length }) => length !== 1) || !key || key.column !== otherKey?.column) return undefined;
  const [from = '', to = ''] = labels.flat();
  const pairs = numbersOf(first).flatMap((column) => {
    const same = numbersOf(second).find(({ heading }) => sameWords(heading, column.heading));
    return same ? [[called(column, from, one), called(same, to, other)]] : [];
  });
  const topic = words.filter((word) => word !== from);
  const named = pairs.filter(([column]) => column && namesColumn(column, topic) > 0);
  const texts = second.columns.filter((column) => column.type !== 'number' && column !== otherKey);
  return pairs.length === 0
    ? undefined
    : {
        name: `${one.name} ${other.name}`,
        place: '',
        from: `${one.table} JOIN ${other.table} ON ${columnText(key)} = ${columnText(otherKey)}`,
        tables: [one.table, other.table],
        columns: [key, ...(named.length > 0 ? named : pairs).flat(), ...texts],
        isSideBySide: true,
      };
}

const sameWords = (one: string, other: string): boolean => headingWords(one).join() === headingWords(other).join();

/** With the word of a version as its file or sheet has it. */
const called = (column: Column, version: string, { name, place }: DescribedTable): Column => ({
  ...column,
  heading: `${column.heading} ${new RegExp(`${version}\\p{L}*`, 'iu').exec(`${name} ${place}`)?.[0] ?? version}`,
});

const WITHIN = '~';
const withinName = (one: string, first: string, other: string, second: string): string =>
  `${one}.${first}=${other}.${second}`;

/** Whether the values of one of two columns are all in the other. */
const isWithin = (one: string, first: string, other: string, second: string, values: readonly ColumnValue[]): boolean =>
  values.some(([mark, of, all]) => mark === WITHIN && of === withinName(one, first, other, second) && all === '1');

function withinQuery({ tables: [one, other], columns: [first, second] }: SharedKey): string {
  const left = (from: string, key: string, to: string, of: string) =>
    `NOT EXISTS (SELECT 1 FROM ${from} WHERE ${quotedName(key)} IS NOT NULL AND ${quotedName(key)} NOT IN (SELECT ${quotedName(of)} FROM ${to} WHERE ${quotedName(of)} IS NOT NULL))`;
  return `SELECT '${WITHIN}', ${quotedText(withinName(one, first, other, second))}, ${left(one, first, other, second)} OR ${left(other, second, one, first)}`;
}

/** What one table has and another has not. */
const LACKS =
  /(?<!\p{L})(?:never|not|no|none|without|\p{L}+n['’]t|nie|niemals|nicht|kein\p{L}*|ohne|jamais|aucune?|pas|sans|nunca|ningun\p{L}*|sin)(?!\p{L})/u;
/** Says by itself that a thing stands in no row of the other table. */
const LACKS_ALL = /(?<!\p{L})(?:never|at all|any\p{L}*|nie|niemals|jamais|nunca)(?!\p{L})/u;
const SHARES =
  /(?<!\p{L})(?:both|in common|also|too|beiden?|auch|gemeinsam|les deux|aussi|en commun|amb[oa]s|tambien)(?!\p{L})/u;
const SHARES_ALL = /(?<!\p{L})(?:both|in common|beiden?|les deux|en commun|amb[oa]s)(?!\p{L})/u;
const COUNTED = /(?<!\p{L})(?:how many|number of|wie ?viele|anzahl|combien|nombre de|cuant[oa]s|numero de)(?!\p{L})/u;
/** Words for tables, and for standing in one. */
const OF_TABLES = new Set(
  `sheet list table file tab row exist appear occur contain include listed anything nothing something number place make take
   blatt liste tabelle datei gibt stehen steht vorkommen kommen feuille tableau fichier figure apparaissent hoja lista tabla aparecen`
    .split(/\s+/)
    .map(stem),
);
/** Words that may say how a row came about; a condition on what is lacking would change the answer. */
const MAX_UNSAID = 2;
const MAX_UNSAID_LACKING = 1;

/** What two tables share, or one lacks of the other. Undefined unless the question is clear about the two and their key. */
export function askedSets(
  question: string,
  tables: readonly DescribedTable[],
  values: readonly ColumnValue[],
): SetPlan | undefined {
  const text = fold(question.normalize('NFC'));
  if (!LACKS.test(text) && !SHARES.test(text)) return undefined;
  const plans = sharedKeys(tables).flatMap((shared) => setPlan(shared, text, tables, values) ?? []);
  const asked = plans.filter(({ key }) => namesColumn(key, contentWords(question)) > 0);
  const isKeyed = ({ key, other }: SetPlan) => isUnique(key, values) || isUnique(other, values);
  const [only, another] = asked.length > 0 ? asked : plans.filter(isKeyed);
  return another ? undefined : only;
}

function setPlan(
  { tables: [one, other], columns }: SharedKey,
  text: string,
  tables: readonly DescribedTable[],
  values: readonly ColumnValue[],
): SetPlan | undefined {
  const [first, second] = [one, other].map((name) => tables.find(({ table }) => table === name));
  if (!first || !second) return undefined;
  const pair = orderedPair(ownNames(first, second), text, tables.length === 2);
  if (!pair) return undefined;
  const [of, lacked] = pair.map((at) => toAsked(values)(at === 0 ? first : second)) as [AskedTable, AskedTable];
  const [key, otherKey] = pair.map((at, nth) =>
    (nth === 0 ? of : lacked).columns.find(({ column }) => column === columns[at]),
  );
  if (!key || !otherKey) return undefined;
  const open = new OpenText(
    text.replaceAll(/\p{L}+/gu, (word) => (OF_TABLES.has(stem(word)) ? ' '.repeat(word.length) : word)),
  );
  const filters = valueFilters({ open, table: of, values });
  const [own, others] = pair.map((at) => ownNames(first, second)[at] ?? []) as [string[], string[]];
  const unsaid = unsaidOfSets(open.text, [...own, ...others, ...headingWords(key.heading)]);
  const isElsewhere = unsaid.some(
    (word) => /\d/.test(word) || isKnown(word, [...of.columns, ...lacked.columns], values),
  );
  const most = LACKS.test(text) ? MAX_UNSAID_LACKING : MAX_UNSAID;
  if (!filters?.every(({ value }) => value !== undefined) || isElsewhere || unsaid.length > most) return undefined;
  const isOne = isUnique(key, values);
  // Of a table with several rows for one key, nothing but its name tells what it lacks.
  if (!isOne && LACKS.test(text) && !isNamedIn(others, text)) return undefined;
  const [, noun = ''] = NOUN.exec(text) ?? [];
  const names = [calledAs(of, lacked), calledAs(lacked, of)] as const;
  const kind = { isIn: !LACKS.test(text), isCount: COUNTED.test(text), isOfRows: isOne || isNamedIn(own, noun) };
  return { table: of, key, other: otherKey, names, ...kind, filters, unsaid };
}

/** What is counted or listed: rows of the table, if it is called so. */
const NOUN =
  /(?<!\p{L})(?:how many|number of|which|what|list|all|welche[rn]?|wie ?viele|anzahl|combien d[e'’]|quel(?:le)?s?|cuant[oa]s|que) (?:of )?(?:our |the |unserer |der |nos |les |de )*(\p{L}+)/u;

const isNamedIn = (names: readonly string[], text: string): boolean =>
  names.some((name) => wordsOf(text).some((word) => isAlike(stem(word), name)));

/** Whether a word is a part of a heading or a value. */
const isKnown = (word: string, columns: readonly Column[], values: readonly ColumnValue[]): boolean =>
  columns.some((column) => namesColumn(column, [stem(word)]) > 0) ||
  values.some(([, , value]) => wordsOf(value).some((part) => isAlike(stem(part), stem(word))));

/** The words that neither the names of the tables nor that of the key explain. */
const unsaidOfSets = (text: string, named: readonly string[]): string[] =>
  [...new Set(wordsOf(text))].filter(
    (word) =>
      (word.length > 1 || /\d/.test(word)) &&
      !FIGURE_STOP_WORDS.has(word) &&
      !LACKS.test(word) &&
      !SHARES.test(word) &&
      !QUESTION_WORDS.has(word) &&
      !OF_TABLES.has(stem(word)) &&
      !named.some((name) => isAlike(stem(word), name)),
  );

/** Which of two tables has what is asked for, and which is the other: behind a negation stands what is lacking. */
function orderedPair(names: readonly string[][], text: string, isOfTwo: boolean): [0 | 1, 0 | 1] | undefined {
  const lacks = LACKS.exec(text);
  if (!lacks) return sharingPair(names, text, isOfTwo);
  const [isFirstBehind, isSecondBehind] = names.map((own) => isNamedIn(own, text.slice(lacks.index)));
  if (isFirstBehind !== isSecondBehind) return isFirstBehind ? [1, 0] : [0, 1];
  const [isFirst, isSecond] = names.map((own) => isNamedIn(own, text.slice(0, lacks.index)));
  const isClear = isOfTwo && LACKS_ALL.test(text) && !isFirstBehind && isFirst !== isSecond;
  return isClear ? (isFirst ? [0, 1] : [1, 0]) : undefined;
}

/** The table that is named first is the one whose rows are shown. */
function sharingPair(names: readonly string[][], text: string, isOfTwo: boolean): [0 | 1, 0 | 1] | undefined {
  const words = wordsOf(text);
  const [first = -1, second = -1] = names.map((own) => words.findIndex((word) => isNamedIn(own, word)));
  if ((first < 0 || second < 0) && !(isOfTwo && SHARES_ALL.test(text))) return undefined;
  return second >= 0 && second < first ? [1, 0] : [0, 1];
}

/** The sheet, if both are of one file. */
const calledAs = ({ name, place }: Named, other: Named): string =>
  name === other.name ? place.replace(/!.*/, '') : name;

type Named = Pick<DescribedTable, 'name' | 'place'>;

/** Words of the names of two tables that only one of them has. */
function ownNames(first: Named, second: Named): [string[], string[]] {
  const words = ({ name, place }: Named) =>
    headingWords(`${name.replace(/\.\w+$/, '')} ${place.replace(/(?:^|!)[A-Z]+\d+:.*/, '')}`);
  const [one, other] = [words(first), words(second)];
  return [one.filter((word) => !other.includes(word)), other.filter((word) => !one.includes(word))];
}
