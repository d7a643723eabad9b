/** Reads the values of a field's type in a text, and compares values as people write them. */

import type { SchemaLeaf } from '../../../shared/agents/output-schema.ts';
import {
  anyWord,
  CURRENCY_BEFORE,
  currencyOf,
  isWholeNumber,
  NUMBER,
  NUMBER_WORDS,
  plainNumber,
  SCALE,
  timesOf,
} from '../../values/amounts.ts';
import { emails, urls } from '../../values/contacts.ts';
import { dates } from '../../values/dates.ts';
import type { Habits } from '../../values/match.ts';
import { folded, isFreeText, type Scalar } from '../compare-values.ts';

/** A value and its position in the text that it was read from. */
export type Reading = { value: Scalar; start: number; end: number; currency?: string };

const CURRENCY = `(?:${CURRENCY_BEFORE})`;
const NUMBERS = new RegExp(
  `(?<![\\p{L}\\d]|[\\d.,:/'’-])(?<open>\\()?(?<sign>[-−+])?(?:(?<before>${CURRENCY})[ \\u00a0\\u202f]?)?(?<inner>[-−])?(?<number>${NUMBER})` +
    `(?:[ \\u00a0\\u202f]?(?<scale>${SCALE})(?![\\p{L}²³/]))?(?<close>\\))?(?:[ \\u00a0\\u202f]?(?<behind>${CURRENCY})(?!\\p{L}))?(?!\\d|[:/]\\d|[.,]\\d|(?:st|nd|rd|th)(?!\\p{L}))`,
  'giu',
);
const MAX_READ = 20_000;

/** Reads every value of the leaf's type in the text. A free text has no such values: see `textOf`. */
export function readingsOf(leaf: SchemaLeaf, text: string, habits: Habits): Reading[] {
  const short = text.slice(0, MAX_READ);
  if (leaf.kind === 'boolean') return booleanIn(short);
  if (leaf.kind !== 'string') return numbersIn(short, habits).filter(({ value }) => isAllowedNumber(leaf, value));
  if (leaf.values) return outermost(leaf.values.flatMap((value) => wordIn(short, String(value))));
  if (leaf.format === 'date') return datesIn(short, habits);
  if (leaf.format === 'date-time') return timesIn(short, habits);
  if (leaf.format === 'email') return emails(short, habits).map(({ value, start, end }) => ({ value, start, end }));
  if (leaf.format === 'uri') return urls(short, habits).flatMap((match) => (URL.canParse(match.value) ? [match] : []));
  return [];
}

/** In their order, without `net` of `net 30` if both are values. */
const outermost = (all: readonly Reading[]): Reading[] =>
  all
    .filter((one) => !all.some((other) => lengthOf(other) > lengthOf(one) && covers(other, one)))
    .sort((a, b) => a.start - b.start);
const lengthOf = ({ start, end }: Reading): number => end - start;
const covers = (outer: Reading, { start, end }: Reading): boolean => outer.start <= start && outer.end >= end;

/** A number that is part of a date is not one of its own. */
function numbersIn(text: string, habits: Habits): Reading[] {
  const days = dates(text, habits);
  return Array.from(text.matchAll(NUMBERS)).flatMap((found): Reading[] => {
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

function isAllowedNumber({ kind, values }: SchemaLeaf, value: Scalar): boolean {
  return (kind !== 'integer' || Number.isSafeInteger(value)) && (!values || values.includes(value));
}

const datesIn = (text: string, habits: Habits): Reading[] =>
  dates(text, habits).flatMap(({ value, start, end }) => (value.length === 10 ? [{ value, start, end }] : []));

/** Without a zone, a time could be one of many moments. */
const TIME =
  /^[T ,]{1,3}(?:at )?(?<hours>[01]?\d|2[0-3]):(?<minutes>[0-5]\d)(?::(?<seconds>[0-5]\d)(?:\.\d{1,9})?)? ?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)(?![\p{L}\d])/u;
const ISO_TIME = /T(?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d)(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)$/;

function timesIn(text: string, habits: Habits): Reading[] {
  return datesIn(text, habits).flatMap(({ value, start, end }): Reading[] => {
    const within = ISO_TIME.exec(text.slice(start, end));
    const found = within ?? TIME.exec(text.slice(end));
    if (!found) return [];
    const { hours = '', minutes = '', seconds = '00', zone = '' } = found.groups ?? {};
    const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
    const written = `${value}T${hours.padStart(2, '0')}:${minutes}:${seconds}${offset}`;
    return [{ value: written, start, end: within ? end : end + found[0].length }];
  });
}

const YES =
  'yes|true|ja|oui|sí|si|sì|sim|tak|ya|x|✓|✔|☑|☒|allowed|permitted|erlaubt|gestattet|autorisés?|permitid[oa]s?|ammess[oaie]|toegestaan';
const NO =
  'no|false|nein|non|nee|não|nie|tidak|☐|(?:not|nicht|non|no|não|niet) (?:allowed|permitted|erlaubt|gestattet|autorisés?|permitid[oa]s?|ammess[oaie]|toegestaan)|prohibited|verboten|interdit(?:e?s?)|prohibid[oa]s?|vietat[oaie]';
const BOOLEAN = new RegExp(`^\\W{0,3}?(?:(?<yes>${YES})|(?<no>${NO}))[\\s.,;)\\]]*$`, 'iu');

/** Only a text that says nothing else is a yes or a no. */
function booleanIn(text: string): Reading[] {
  const found = BOOLEAN.exec(text.trim());
  if (!found) return [];
  const start = text.length - text.trimStart().length;
  return [{ value: found.groups?.yes !== undefined, start, end: start + text.trim().length }];
}

/** Finds a word of an enumeration as a whole token, whatever its case and the signs between its parts. */
export function wordIn(text: string, value: string): Reading[] {
  const parts = folded(value)
    .split(' ')
    .filter((part) => part !== '');
  if (parts.length === 0) return [];
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])${parts.map(escaped).join('[^\\p{L}\\p{N}]+')}(?![\\p{L}\\p{N}])`,
    'giu',
  );
  return Array.from(text.matchAll(pattern), ({ index, 0: found }) => ({
    value,
    start: index,
    end: index + found.length,
  }));
}

/** Words for one that are articles, too. */
const ARTICLES = new Set(['ein', 'un']);
const SPELLED_OUT = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${anyWord(NUMBER_WORDS)})(?![\\p{L}\\p{N}]|-\\p{L})`, 'giu');

/** Numbers in words, such as `eighteen months` and `twenty-eight days`. */
export function spelledIn(text: string): Reading[] {
  return Array.from(text.slice(0, MAX_READ).matchAll(SPELLED_OUT), ({ index, 0: found }) => {
    const word = found.toLowerCase();
    return { value: NUMBER_WORDS.get(word) ?? 0, start: index, end: index + found.length };
  }).filter(({ start, end }) => !ARTICLES.has(text.slice(start, end).toLowerCase()) && isWholeNumber(text, start, end));
}

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

const isNumeric = ({ kind }: SchemaLeaf): boolean => kind === 'number' || kind === 'integer';

/** Reads what a model or a rule gives as the value of a leaf; undefined if it is not one. */
export function valueFrom(leaf: SchemaLeaf, given: unknown, habits: Habits): Scalar | undefined {
  if (typeof given === 'boolean') return leaf.kind === 'boolean' ? given : undefined;
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  if (leaf.values?.includes(given)) return given;
  const text = String(given).trim();
  if (isFreeText(leaf)) return text === '' ? undefined : text;
  if (isNumeric(leaf) && /^-?\d+(?:\.\d+)?$/.test(text))
    return isAllowedNumber(leaf, Number(text)) ? Number(text) : undefined;
  const [only, ...more] = readingsOf(leaf, text, habits);
  return more.length === 0 ? only?.value : undefined;
}

/** What keeps a value from being valid; a pattern is tested in a thread. */
export const faultOfValue = (leaf: SchemaLeaf, value: Scalar): string | undefined =>
  typeof value === 'string'
    ? faultOfText(leaf, value)
    : typeof value === 'number'
      ? faultOfNumber(leaf, value)
      : undefined;

function faultOfText({ minLength = 0, maxLength = Infinity, values }: SchemaLeaf, value: string): string | undefined {
  const length = [...value].length;
  if (length < minLength) return `is shorter than ${minLength} characters`;
  if (length > maxLength) return `is longer than ${maxLength} characters`;
  return values && !values.includes(value) ? 'is not one of the allowed values' : undefined;
}

function faultOfNumber(leaf: SchemaLeaf, value: number): string | undefined {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = leaf;
  if (value < minimum) return `is less than ${minimum}`;
  if (value > maximum) return `is more than ${maximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `is not more than ${exclusiveMinimum}`;
  return exclusiveMaximum !== undefined && value >= exclusiveMaximum
    ? `is not less than ${exclusiveMaximum}`
    : undefined;
}
