/** Reads numbers, dates and times in a text, with their positions. */

import {
  anyWord,
  CURRENCY_BEFORE,
  currencyOf,
  isJoinedNumber,
  isWholeNumber,
  NUMBER,
  NUMBER_WORDS,
  plainNumber,
  SCALE,
  timesOf,
} from './amounts.ts';
import { dates } from './dates.ts';
import type { Habits } from './match.ts';

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
export function numbersIn(text: string, habits: Habits): ValueReading[] {
  const days = dates(text, habits);
  return Array.from(text.matchAll(NUMBERS)).flatMap((found): ValueReading[] => {
    const { open, close } = found.groups ?? {};
    const start = found.index + (open && !close ? 1 : 0);
    const end = found.index + found[0].length - (close && !open ? 1 : 0);
    if (days.some((day) => start < day.end && day.start < end)) return [];
    const reading = numberIn(found.groups ?? {}, text, habits);
    return reading ? [{ ...reading, start, end }] : [];
  });
}

function numberIn(groups: Record<string, string | undefined>, text: string, habits: Habits) {
  const { open, sign = '', before, inner = '', number = '', scale, close, behind } = groups;
  const plain = plainNumber(number);
  if (plain === undefined) return undefined;
  const isNegative = /[-−]/.test(sign + inner) || isBookkeepingNegative(text, open, close);
  // "120 m" may be meters, and "5 k" a name; beside a currency both are scales.
  const isScale = scale !== undefined && (scale.length > 1 || before !== undefined || behind !== undefined);
  const value = Number(`${isNegative ? '-' : ''}${shifted(plain, isScale ? timesOf(scale) : 1)}`);
  const currency = currencyOf(before ?? behind ?? '', habits.crowns);
  return { value, ...(currency === undefined ? {} : { currency }) };
}

/** A number alone in brackets is a negative one. */
const isBookkeepingNegative = (text: string, open?: string, close?: string): boolean =>
  open !== undefined && close !== undefined && /^\s*\([^()]*\)\s*$/.test(text);

/** Moves the decimal point, as multiplying would round. */
function shifted(plain: string, times: number): string {
  const places = Math.round(Math.log10(times));
  const [whole = '', fraction = ''] = plain.split('.');
  const digits = fraction.padEnd(places, '0');
  return `${whole}${digits.slice(0, places)}.${digits.slice(places)}0`;
}

export const datesIn = (text: string, habits: Habits): ValueReading[] =>
  dates(text, habits).flatMap(({ value, start, end }) => (value.length === 10 ? [{ value, start, end }] : []));

/** Without a zone, a time could be one of many moments. */
const TIME =
  /^[T ,]{1,3}(?:at )?(?<hours>[01]?\d|2[0-3]):(?<minutes>[0-5]\d)(?::(?<seconds>[0-5]\d)(?:\.\d{1,9})?)? ?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)(?![\p{L}\d])/u;
const ISO_TIME = /T(?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)$/;

export function timesIn(text: string, habits: Habits): ValueReading[] {
  return datesIn(text, habits).flatMap(({ value, start, end }): ValueReading[] => {
    const within = ISO_TIME.exec(text.slice(start, end));
    const found = within ?? TIME.exec(text.slice(end));
    if (!found) return [];
    const { hours = '', minutes = '', seconds = '00', zone = '' } = found.groups ?? {};
    const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
    const written = `${value}T${hours.padStart(2, '0')}:${minutes}:${seconds}${offset}`;
    return [{ value: written, start, end: within ? end : end + found[0].length }];
  });
}

/** Words for one that are articles, too. */
const ARTICLES = new Set(['ein', 'un']);
const SPELLED_OUT = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${anyWord(NUMBER_WORDS)})(?![\\p{L}\\p{N}]|-\\p{L})`, 'giu');

/** Numbers in words, such as `eighteen months` and `twenty-eight days`. */
export function spelledIn(text: string): ValueReading[] {
  return Array.from(text.slice(0, MAX_READ).matchAll(SPELLED_OUT), ({ index, 0: found }) => {
    const word = found.toLowerCase();
    return { value: NUMBER_WORDS.get(word) ?? 0, start: index, end: index + found.length };
  }).filter(({ start, end }) => !ARTICLES.has(text.slice(start, end).toLowerCase()) && isWholeNumber(text, start, end));
}

const IN_COMPOUND = new RegExp(`(?<![\\p{L}\\p{N}])(?:${anyWord(NUMBER_WORDS)})(?=-\\p{L})`, 'giu');

/** Numbers in words at the beginning of a compound, such as `five-year` and `one-off`. */
export const spelledInCompounds = (text: string): number[] =>
  Array.from(text.slice(0, MAX_READ).matchAll(IN_COMPOUND)).flatMap(({ index, 0: found }) =>
    isWholeNumber(text, index, index + found.length) ? (NUMBER_WORDS.get(found.toLowerCase()) ?? []) : [],
  );

/** Whether numbers in words stand there that `spelledIn` reads not or only in part: `eighteen thousand`, `hundertfünfzig`. */
export const unreadSpelledNumbers = (text: string): boolean =>
  Array.from(text.slice(0, MAX_READ).matchAll(SPELLED_OUT)).some(
    ({ index, 0: found }) => !ARTICLES.has(found.toLowerCase()) && !isWholeNumber(text, index, index + found.length),
  ) ||
  (text.slice(0, MAX_READ).match(/\p{L}{6,}/gu) ?? []).some(
    (word) => !NUMBER_WORDS.has(word.toLowerCase()) && isJoinedNumber(word),
  );
