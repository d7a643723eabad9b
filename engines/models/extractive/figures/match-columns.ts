/** Finds which columns and which values of a table a question names. */

import { FIGURE_STOP_WORDS, stem, wordsOf } from '../words.ts';
import {
  type AskedTable,
  type Column,
  type ColumnValue,
  columnText,
  type Filter,
  quotedText,
  SEXES,
  shortDays,
  YES,
} from './figure-statement.ts';
import { NEUTRAL, type OpenText } from './figure-words.ts';

const MIN_SHARED = 4;
const MAX_ENDING = 3;
const SHORTENED = /^(?:max|min|num)$/;

/** Two forms of a word, or a word within a compound. */
function isAlike(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short === long) return true;
  if (short.length < MIN_SHARED) return long === `${short}s` || (SHORTENED.test(short) && long.startsWith(short));
  if (long.startsWith(short) || (short.length > MIN_SHARED && long.endsWith(short))) return true;
  let shared = 0;
  while (shared < short.length && short[shared] === long[shared]) shared++;
  return shared > MIN_SHARED && long.length - shared <= MAX_ENDING && shared >= long.length * 0.6;
}

/** "lifeExp" and "life_exp" are two words. */
const spaced = (heading: string): string =>
  heading
    .normalize('NFC')
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .replaceAll('_', ' ');

const COUNTER =
  /^#$|(?:^|\s)(?:id|no\.?|nr\.?|row|pos\.?|year|jahr|ann[ée]e|año|code|zip|postcode|plz)$|\s(?:number|num|nummer|num[ée]ro|número)$/i;
/** The numbers of years and of things are no figures. */
export const isCounter = ({ heading }: Column): boolean => COUNTER.test(spaced(heading).trim());

export const headingWords = (heading: string): string[] =>
  wordsOf(spaced(heading))
    .filter((word) => word.length > 1)
    .map(stem);
export const contentWords = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => word.length > 1 && !FIGURE_STOP_WORDS.has(word))
    .map(stem);

const CUT = 3;
/** "Exp" is a short form of what stands beside a word of the heading, as in "life expectancy". */
function isNamed(one: string, words: readonly string[], known: readonly string[]): boolean {
  const isAny = (heading: string) => words.some((word) => isAlike(word, heading));
  if (isAny(one)) return true;
  return one.length === CUT && words.some((word) => word.startsWith(one)) && known.some(isAny);
}

/** How many words of the heading the text has, and their share. */
export function namesColumn({ heading }: Column, words: readonly string[]): number {
  const known = headingWords(heading).filter((word) => !FIGURE_STOP_WORDS.has(word));
  const hits = known.filter((one) => isNamed(one, words, known)).length;
  return hits === 0 ? 0 : hits + hits / known.length;
}

/** The one that the words name best; undefined if none or two do. */
export function namedColumn(columns: readonly Column[], words: readonly string[]): Column | undefined | 'unclear' {
  const scored = columns
    .map((column) => ({ column, score: namesColumn(column, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const [best, next] = scored;
  return best && next?.score === best.score ? 'unclear' : best?.column;
}

export function takeColumn(open: OpenText, { heading }: Column): void {
  const known = headingWords(heading);
  const named = known.filter((one) => isNamed(one, contentWords(open.text), known));
  for (const { 0: word, index } of open.text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const isOne = named.some((one) => isAlike(stem(word), one) || (one.length === CUT && word.startsWith(one)));
    if (isOne && !FIGURE_STOP_WORDS.has(word)) open.blank(index, word.length);
  }
}

export function takeWord(open: OpenText, known: string): void {
  for (const { 0: word, index } of open.text.matchAll(/[\p{L}\p{N}]+/gu))
    if (isAlike(stem(word), known)) open.blank(index, word.length);
}

const flat = (value: string): string[] => wordsOf(value.normalize('NFC'));
/** "High" is a value where the question names its column, as in "high priority". */
const isNoise = (words: string[], isNamed: boolean): boolean =>
  words.every((word) => FIGURE_STOP_WORDS.has(word) || (!isNamed && NEUTRAL.has(stem(word))));

type Value = { column: Column; value: string; words: string[] };
type Question = { open: OpenText; table: AskedTable; values: readonly ColumnValue[] };

/** Whole values that the question names, or values of which it names a word that no other value has. */
export function valueFilters({ open, table, values }: Question): Filter[] | undefined {
  const asked = contentWords(open.text);
  const own = ownValues(table, values).filter(
    ({ column, words }) => !isNoise(words, namesColumn(column, asked) > 0) && !isHeading(words, column, table, asked),
  );
  const filters: Filter[] = [];
  for (const { column, value, words } of own.toSorted((a, b) => b.words.join(' ').length - a.words.join(' ').length)) {
    if (!mayHold(open.text, words) || !open.take(valuePattern(words))) continue;
    const same = own.filter((other) => other.column !== column && other.words.join(' ') === words.join(' '));
    const chosen =
      same.length === 0 ? column : namedColumn([column, ...same.map((other) => other.column)], contentWords(open.text));
    if (!chosen || chosen === 'unclear') return undefined;
    filters.push(valueFilter(chosen, value));
  }
  for (const word of contentWords(open.text).filter((one) => one.length > 2 && !NEUTRAL.has(one))) {
    const holding = own.filter(({ words }) => words.map(stem).includes(word));
    const [first] = holding;
    if (!first || holding.length > 1 || table.columns.some((column) => namesColumn(column, [word]) > 0)) continue;
    filters.push(valueFilter(first.column, first.value));
    takeWord(open, word);
  }
  return [...filters, ...renamed(open, ownValues(table, values))];
}

function ownValues({ columns }: AskedTable, values: readonly ColumnValue[]): Value[] {
  return values.flatMap(([of, name, value]) => {
    const column = columns.find((one) => one.table === of && one.column === name);
    const words = flat(value);
    return column && words.length > 0 ? [{ column, value, words }] : [];
  });
}

/** In a table with a winner "Joly" and a column of votes "Joly", the column is meant unless that of winners is named. */
const isHeading = (words: string[], column: Column, { columns }: AskedTable, asked: string[]): boolean =>
  namesColumn(column, asked) === 0 &&
  columns.some(({ type, heading }) => type === 'number' && flat(heading).join(' ') === words.join(' '));

/** Weekdays that the table shortens, and sexes by another word. */
function renamed(open: OpenText, own: readonly Value[]): Filter[] {
  const filters: Filter[] = [];
  for (const { 0: word, index } of open.text.matchAll(/[\p{L}]+/gu)) {
    const sex = SEXES.find((names) => names.includes(word));
    const opposite = SEXES.find((names) => names !== sex) ?? [];
    const isOf = (names: readonly string[]) => (value: Value) =>
      value.words.length === 1 && names.includes(value.words[0] ?? '');
    const found = own.filter(isOf(sex ?? shortDays(word)));
    const fitting = sex
      ? found.filter(({ column }) => own.some((other) => other.column === column && isOf(opposite)(other)))
      : found;
    const [only] = fitting;
    if (!only || fitting.length > 1) continue;
    filters.push(valueFilter(only.column, only.value));
    open.blank(index, word.length);
  }
  return filters;
}

/** Columns that say yes or no of each row. */
export function flagsOf({ table, values }: Question): { column: Column; value: string }[] {
  return ownValues(table, values).filter(({ words }) => words.length === 1 && YES.includes(words[0] ?? ''));
}

/** "How many women" asks for rows, where "how many pumps" may ask for a quantity. */
export const saysWhichRows = ({ value = '' }: Filter): boolean =>
  [...YES, ...SEXES.flat()].includes(foldedValue(value));

/** "Smokers" are the rows whose column "smoker" says yes. */
export function flagFilters(question: Question, taken: readonly (Column | undefined)[]): Filter[] {
  const { open } = question;
  return flagsOf(question).flatMap(({ column, value }) => {
    const known = headingWords(column.heading);
    const words = contentWords(open.text);
    if (taken.includes(column) || known.length === 0 || !known.every((one) => words.includes(one))) return [];
    for (const word of known) takeWord(open, word);
    return [valueFilter(column, value)];
  });
}

/** A quick look, as there may be many values. */
const mayHold = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word));

/** The words in a row; the last of them may have the ending of a plural. */
const valuePattern = (words: string[]): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])${words.join('[^\\p{L}\\p{N}]+')}${(words.at(-1)?.length ?? 0) > 3 ? '(?:s|es|e|n|en)?' : ''}(?![\\p{L}\\p{N}])`,
    'u',
  );

const valueFilter = (column: Column, value: string): Filter => ({
  column,
  value,
  sql: `fold(${columnText(column)}) = ${quotedText(foldedValue(value))}`,
  said: `${column.heading} = ${value}`,
});

/** As `fold` of `query_table` does. */
const foldedValue = (value: string): string => value.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
