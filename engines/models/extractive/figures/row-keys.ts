/** Finds rows that a question names by a number or a few letters beside a heading: `group 3`, `version 2.0`, `6 cylinders`. */
import { FIGURE_STOP_WORDS, stem, wordsOf } from '../words.ts';
import { type AskedTable, type Column, columnText, type Filter } from './figure-statement.ts';
import type { OpenText } from './figure-words.ts';
import { type ColumnValue, isAlike, numbersOf, ownValues, spaced, valueFilter } from './match-columns.ts';

type Keyed = { open: OpenText; table: AskedTable; values: readonly ColumnValue[] };

/** "Group 3", "version 2.0" and "6 cylinders" name a value of a column, by a number or a few letters beside its heading. */
export function keyedFilters({ open, table, values }: Keyed): Filter[] {
  const own = ownValues(table, values);
  const keyed = table.columns.flatMap((column) => {
    const last = wordsOf(spaced(column.heading)).at(-1) ?? '';
    if (last.length < MIN_SHORT) return [];
    for (const { 0: whole, 1: first = '', 2: second = '', index } of open.text.matchAll(BESIDE)) {
      const key = keyBeside(last, first, second);
      const filter = key === undefined ? undefined : keyFilter(column, key, own);
      if (!filter) continue;
      open.blank(index, whole.length);
      return [filter];
    }
    return [];
  });
  return [...keyed, ...ratedFilters({ open, table, values })];
}

/** Whether a number of one digit, or a letter that is a value, was left out of a plan: "with 4 doors", "of class B". */
export function leavesOutKey({ open, table, values }: Keyed): boolean {
  const letters = new Set(ownValues(table, values).flatMap(({ words }) => (words.length === 1 ? words : [])));
  return wordsOf(open.text).some(
    (word) => word.length === 1 && (/\d/.test(word) || (letters.has(word) && word !== 'a')),
  );
}

/** The number or the few letters behind the heading, or the number before it. */
function keyBeside(heading: string, first: string, second: string): string | undefined {
  const isKey = (word: string) =>
    /^\d/.test(word) || /^[b-z]$/.test(word) || (word.length <= 2 && !FIGURE_STOP_WORDS.has(word));
  const isNamed = (word: string) => isAlike(stem(word), stem(heading));
  if (isKey(second) && isNamed(first)) return second;
  return /^\d+$/.test(first) && isNamed(second) ? first : undefined;
}

function keyFilter(column: Column, key: string, own: ReturnType<typeof ownValues>): Filter | undefined {
  const held = own.find((one) => one.column === column && one.words.join(' ') === wordsOf(key).join(' '));
  if (held) return valueFilter(column, held.value);
  return column.type === 'number' && /^\d+(?:\.\d+)?$/.test(key) ? numberFilter(column, key) : undefined;
}

const MIN_SHORT = 3;
const BESIDE = /(?<![\p{L}\p{N}.,¤])([\p{L}\p{N}]+(?:\.\d+)?) ([\p{L}\p{N}]+(?:\.\d+)?)(?![\p{L}\p{N}]|[.,]\d)/gu;

const numberFilter = (column: Column, value: string): Filter => ({
  column,
  value,
  sql: `${columnText(column)} = ${value}`,
  said: `${column.heading} = ${value}`,
});

const RATED =
  /(?<!\p{L})(?:gave|gives?|rated|scored|answered|voted|chose|with|vergaben?|gaben|bewerteten?|ont (?:donne|mis)|dieron)(?: (?:us|uns|nous|it))?(?: (?:an?|the|eine?n?|une?|la note))?(?: (?:rating|score|grade|mark|note|bewertung)(?: of| von| de)?)? (\d+(?:\.\d+)?)(?![\p{L}\p{N}]|[.,]\d| ?%)/u;
/** "Gave us a 5" names a value of the only column of numbers. */
function ratedFilters({ open, table }: Keyed): Filter[] {
  const [column, another] = numbersOf(table);
  const found = column && !another ? open.take(RATED) : undefined;
  return column && found ? [numberFilter(column, found[1] ?? '')] : [];
}
