/** Compares a date with the dates of a text, as they stand and as they may be meant. */

import { dates } from '../../values/dates.ts';
import { monthNamed } from '../../values/months.ts';
import { numbersIn, spelledNumbersIn } from '../../values/readings.ts';
import type { DocumentLocale, RuleMatch } from '../../values/rule.ts';
import type { FigureCheck } from '../located-quote.ts';
import type { FigureTexts } from './figure-texts.ts';

const DAY_LENGTH = '2026-03-01'.length;
const MONTH_LENGTH = '2026-03'.length;
const YEAR_LENGTH = '2026'.length;

export function checkDate(written: string, texts: FigureTexts): FigureCheck {
  const match = dateMatch(written, texts);
  if (match !== undefined) return match;
  const { quote, near, locale } = texts;
  const quoted = dates(quote, locale);
  // Beside a term, another date may be the one that it leads to: `from 3 June 2026 for two weeks`.
  if (quoted.length > 0 && !hasTerm(withoutDates(quote, quoted), locale)) return 'contradicts';
  return dates(near, locale).length > 0 ? 'doubt' : 'none';
}

/** What speaks for the date: it stands there, or something there can be read as it. */
function dateMatch(written: string, { near, around, locale }: FigureTexts): 'stands' | 'doubt' | undefined {
  const value = written.slice(0, DAY_LENGTH);
  const readings = dates(near, locale);
  const equal = readings.filter((reading) => readingsOf(reading).some((date) => date.startsWith(value)));
  if (equal.some(({ more }) => more?.ambiguous !== true) || isYearIn(near, value)) return 'stands';
  if (equal.length > 0 || readings.some((reading) => isLessExact(reading, value))) return 'doubt';
  const outside = withoutDates(near, readings);
  if (isPartlyIn(outside, value, readings.length === 0) || sharesMonth(outside, readings, value)) return 'doubt';
  const isAround = dates(around, locale).some((reading) => readingsOf(reading).some((date) => date.startsWith(value)));
  return isAround ? 'doubt' : undefined;
}

const hasTerm = (outside: string, locale: DocumentLocale): boolean =>
  numbersIn(outside, locale).length > 0 || spelledNumbersIn(outside).length > 0;

/** A date such as 03/04/2026 may have two readings. */
const readingsOf = ({ value, more }: RuleMatch): string[] =>
  typeof more?.or === 'string' ? [value, more.or] : [value];

/** `March 2026` of 3 March 2026. */
const isLessExact = (reading: RuleMatch, value: string): boolean =>
  readingsOf(reading).some((date) => value.startsWith(date));

/** With spaces in place of whole dates: that a date shares its month with the value makes it no other. */
function withoutDates(text: string, readings: readonly RuleMatch[]): string {
  let masked = text;
  for (const { start, end } of readings) masked = masked.slice(0, start) + ' '.repeat(end - start) + masked.slice(end);
  return masked;
}

/** `from 3 to 5 April 2026` */
function sharesMonth(outside: string, readings: readonly RuleMatch[], value: string): boolean {
  const [month, day] = [value.slice(0, MONTH_LENGTH), Number(value.slice(MONTH_LENGTH + 1))];
  return (
    readings.some((reading) => readingsOf(reading).some((date) => date.startsWith(month))) &&
    (outside.match(/(?<![\d.,])\d{1,2}(?![\d])/g) ?? []).some((digits) => Number(digits) === day)
  );
}

const isYearIn = (text: string, value: string): boolean =>
  value.length === YEAR_LENGTH &&
  new RegExp(`(?<![\\p{L}\\d.,-])${Number(value)}(?![\\p{L}\\d]|[.,]\\d)`, 'u').test(text);

const WORD = /\p{L}{3,14}/gu;
const PAIR = /(?<![\d.,])(?<first>\d{1,4})[./-] ?(?<second>\d{1,4})(?![\d]|[.,]\d)/g;
const EAST_ASIAN = /(?<first>\d{1,4}) ?[年년月월] ?(?<second>\d{1,2}) ?[月월日일]/g;
const EIGHT = /(?<!\d)\d{8}(?!\d)/g;

/**
 * Whether day and month, or month and year, stand there: in figures, by the name of the month, or in words beside it if no
 * other date stands there.
 */
function isPartlyIn(text: string, value: string, isAlone: boolean): boolean {
  const [year = '', month = '', day = ''] = value.split('-');
  const pairs = [...text.matchAll(PAIR), ...text.matchAll(EAST_ASIAN)].map(({ groups }) =>
    [Number(groups?.first), Number(groups?.second)].join(' '),
  );
  const dayAndMonth = [`${Number(day)} ${Number(month)}`, `${Number(month)} ${Number(day)}`];
  const monthAndYear = [year, year.slice(2)].flatMap((writtenYear) => [
    `${Number(month)} ${Number(writtenYear)}`,
    `${Number(writtenYear)} ${Number(month)}`,
  ]);
  if (pairs.some((pair) => dayAndMonth.includes(pair) || monthAndYear.includes(pair))) return true;
  const joined = [`${year}${month}${day}`, `${day}${month}${year}`, `${month}${day}${year}`];
  if ((text.match(EIGHT) ?? []).some((digits) => joined.includes(digits))) return true;
  return Array.from(text.matchAll(WORD)).some(({ 0: word, index }) => {
    const namedMonth = monthNamed(word);
    return (
      namedMonth?.months.includes(Number(month)) &&
      isBeside(text, index, index + word.length, { day, year, mayBeAlone: isAlone && namedMonth.isCommon })
    );
  });
}

const BESIDE = 24;

type Beside = { day: string; year: string; mayBeAlone: boolean };

/** Whether the name of a month has the day or the year beside it, or no figure, so that words may say them. */
function isBeside(text: string, start: number, end: number, { day, year, mayBeAlone }: Beside): boolean {
  const before = (text.slice(Math.max(0, start - BESIDE), start).match(/\d+/g) ?? []).at(-1);
  const behind = text.slice(end, end + BESIDE).match(/\d+/g) ?? [];
  const expected = [day, year, year.slice(2)].filter((digits) => digits !== '').map(Number);
  const figures = [before, behind[0]].filter((digits) => digits !== undefined).map(Number);
  return figures.some((figure) => expected.includes(figure)) || (mayBeAlone && figures.length === 0);
}
