/** Reads numbers, dates and times in a text, with their positions. */

import { NUMBER, plainNumber, SCALE, timesOf } from './amounts.ts';
import { CURRENCY_BEFORE, currencyOf } from './currencies.ts';
import { dates } from './dates.ts';
import { anyWord, isJoinedNumber, isWholeNumber, NUMBER_WORDS } from './number-words.ts';
import type { DocumentLocale } from './rule.ts';

/** A value and its position in the text that it was read from. */
export type ValueReading = { value: string | number | boolean; start: number; end: number; currency?: string };

const CURRENCY = `(?:${CURRENCY_BEFORE})`;
const NUMBERS = new RegExp(
  `(?<![\\p{L}\\d]|[\\d.,:/'’-])(?<open>\\()?(?<sign>[-−+])?(?:(?<before>${CURRENCY})[ \\u00a0\\u202f]?)?(?<inner>[-−])?(?<number>${NUMBER})` +
    `(?:[ \\u00a0\\u202f]?(?<scale>${SCALE})(?![\\p{L}²³/]))?(?<close>\\))?(?:[ \\u00a0\\u202f]?(?<behind>${CURRENCY})(?!\\p{L}))?(?!\\d|[:/]\\d|[.,]\\d|(?:st|nd|rd|th)(?!\\p{L}))`,
  'giu',
);
const MAX_READ = 20_000;

/** A number that is part of a date is not one of its own. */
export function numbersIn(text: string, locale: DocumentLocale): ValueReading[] {
  const days = dates(text, locale);
  return Array.from(text.matchAll(NUMBERS)).flatMap((match): ValueReading[] => {
    const { open, close } = match.groups ?? {};
    const start = match.index + (open && !close ? 1 : 0);
    const end = match.index + match[0].length - (close && !open ? 1 : 0);
    if (days.some((day) => start < day.end && day.start < end)) return [];
    const reading = numberIn(match.groups ?? {}, text, locale);
    return reading ? [{ ...reading, start, end }] : [];
  });
}

export const datesIn = (text: string, locale: DocumentLocale): ValueReading[] =>
  dates(text, locale).flatMap(({ value, start, end }) => (value.length === 10 ? [{ value, start, end }] : []));

/** Without a zone, a time could be one of many moments. */
const TIME =
  /^[T ,]{1,3}(?:at )?(?<hours>[01]?\d|2[0-3]):(?<minutes>[0-5]\d)(?::(?<seconds>[0-5]\d)(?:\.\d{1,9})?)? ?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)(?![\p{L}\d])/u;
const ISO_TIME = /T(?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)$/;

export function timesIn(text: string, locale: DocumentLocale): ValueReading[] {
  return datesIn(text, locale).flatMap(({ value, start, end }): ValueReading[] => {
    const within = ISO_TIME.exec(text.slice(start, end));
    const match = within ?? TIME.exec(text.slice(end));
    if (!match) return [];
    const { hours = '', minutes = '', seconds = '00', zone = '' } = match.groups ?? {};
    const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
    const written = `${value}T${hours.padStart(2, '0')}:${minutes}:${seconds}${offset}`;
    return [{ value: written, start, end: within ? end : end + match[0].length }];
  });
}

/** Words for one that are articles, too. */
const ARTICLES = new Set(['ein', 'un']);
const SPELLED_OUT = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${anyWord(NUMBER_WORDS)})(?![\\p{L}\\p{N}]|-\\p{L})`, 'giu');

/** Numbers in words, such as `eighteen months` and `twenty-eight days`. */
export function spelledNumbersIn(text: string): ValueReading[] {
  return Array.from(text.slice(0, MAX_READ).matchAll(SPELLED_OUT), ({ index, 0: written }) => {
    const word = written.toLowerCase();
    return { value: NUMBER_WORDS.get(word) ?? 0, start: index, end: index + written.length };
  }).filter(({ start, end }) => !ARTICLES.has(text.slice(start, end).toLowerCase()) && isWholeNumber(text, start, end));
}

const IN_COMPOUND = new RegExp(`(?<![\\p{L}\\p{N}])(?:${anyWord(NUMBER_WORDS)})(?=-\\p{L})`, 'giu');

/** Numbers in words at the beginning of a compound, such as `five-year` and `one-off`. */
export const spelledInCompounds = (text: string): number[] =>
  Array.from(text.slice(0, MAX_READ).matchAll(IN_COMPOUND)).flatMap(({ index, 0: written }) =>
    isWholeNumber(text, index, index + written.length) ? (NUMBER_WORDS.get(written.toLowerCase()) ?? []) : [],
  );

/** Whether numbers in words stand there that `spelledNumbersIn` reads not or only in part: `eighteen thousand`, `hundertfünfzig`. */
export const hasUnreadSpelledNumbers = (text: string): boolean =>
  Array.from(text.slice(0, MAX_READ).matchAll(SPELLED_OUT)).some(
    ({ index, 0: written }) =>
      !ARTICLES.has(written.toLowerCase()) && !isWholeNumber(text, index, index + written.length),
  ) ||
  (text.slice(0, MAX_READ).match(/\p{L}{6,}/gu) ?? []).some(
    (word) => !NUMBER_WORDS.has(word.toLowerCase()) && isJoinedNumber(word),
  );

function numberIn(groups: Record<string, string | undefined>, text: string, locale: DocumentLocale) {
  const { open, sign = '', before, inner = '', number = '', scale, close, behind } = groups;
  const plain = plainNumber(number);
  if (plain === undefined) return undefined;
  const isNegative = /[-−]/.test(sign + inner) || isBookkeepingNegative(text, open, close);
  // "120 m" may be meters, and "5 k" a name; beside a currency both are scales.
  const isScale = scale !== undefined && (scale.length > 1 || before !== undefined || behind !== undefined);
  const value = Number(`${isNegative ? '-' : ''}${shiftedDecimal(plain, isScale ? timesOf(scale) : 1)}`);
  const currency = currencyOf(before ?? behind ?? '', locale.crowns);
  return { value, ...(currency === undefined ? {} : { currency }) };
}

/** A number alone in brackets is a negative one. */
const isBookkeepingNegative = (text: string, open?: string, close?: string): boolean =>
  open !== undefined && close !== undefined && /^\s*\([^()]*\)\s*$/.test(text);

/** Moves the decimal point, as multiplying would round. */
function shiftedDecimal(plain: string, times: number): string {
  const places = Math.round(Math.log10(times));
  const [whole = '', fraction = ''] = plain.split('.');
  const digits = fraction.padEnd(places, '0');
  return `${whole}${digits.slice(0, places)}.${digits.slice(places)}0`;
}
