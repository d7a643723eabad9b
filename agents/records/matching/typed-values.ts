/** Reads the values of a field's type in a text, and compares values as people write them. */

import type { SchemaLeaf } from '../../../shared/tasks/output-schema.ts';
import { emails, urls } from '../../values/contacts.ts';
import { datesIn, numbersIn, timesIn, type ValueReading } from '../../values/readings.ts';
import type { DocumentLocale } from '../../values/rule.ts';
import { isFreeText, normalizedText, type Scalar } from '../compare-values.ts';

const MAX_READ = 20_000;

/** Reads every value of the leaf's type in the text. A free text has no such values. */
export function readingsOf(leaf: SchemaLeaf, text: string, locale: DocumentLocale): ValueReading[] {
  const short = text.slice(0, MAX_READ);
  if (leaf.kind === 'boolean') return booleanIn(short);
  if (leaf.kind !== 'string') return numbersIn(short, locale).filter(({ value }) => isAllowedNumber(leaf, value));
  if (leaf.values) return outermost(leaf.values.flatMap((value) => wordIn(short, String(value))));
  if (leaf.format === 'date') return datesIn(short, locale);
  if (leaf.format === 'date-time') return timesIn(short, locale);
  if (leaf.format === 'email') return emails(short, locale).map(({ value, start, end }) => ({ value, start, end }));
  if (leaf.format === 'uri') return urls(short, locale).flatMap((match) => (URL.canParse(match.value) ? [match] : []));
  return [];
}

/** Reads what a model or a rule gives as the value of a leaf; undefined if it is not one. */
export function valueFrom(leaf: SchemaLeaf, raw: unknown, locale: DocumentLocale): Scalar | undefined {
  if (typeof raw === 'boolean') return leaf.kind === 'boolean' ? raw : undefined;
  if (typeof raw !== 'string' && typeof raw !== 'number') return undefined;
  if (leaf.values?.includes(raw)) return raw;
  if (isNumeric(leaf)) return numberFrom(leaf, raw, locale);
  const text = String(raw).trim();
  if (isFreeText(leaf)) return text === '' ? undefined : text;
  return onlyReading(leaf, text, locale);
}

/** What keeps a value from being valid; a pattern is tested in a thread. */
export const faultOfValue = (leaf: SchemaLeaf, value: Scalar): string | undefined =>
  typeof value === 'string'
    ? faultOfText(leaf, value)
    : typeof value === 'number'
      ? faultOfNumber(leaf, value)
      : undefined;

/** In their order, without `net` of `net 30` if both are values. */
const outermost = (readings: readonly ValueReading[]): ValueReading[] =>
  readings
    .filter((inner) => !readings.some((outer) => lengthOf(outer) > lengthOf(inner) && covers(outer, inner)))
    .sort((a, b) => a.start - b.start);
const lengthOf = ({ start, end }: ValueReading): number => end - start;
const covers = (outer: ValueReading, { start, end }: ValueReading): boolean => outer.start <= start && outer.end >= end;

function isAllowedNumber({ kind, values }: SchemaLeaf, value: Scalar): boolean {
  return (kind !== 'integer' || Number.isSafeInteger(value)) && (!values || values.includes(value));
}

const YES =
  'yes|true|ja|oui|sí|si|sì|sim|tak|ya|x|✓|✔|☑|☒|allowed|permitted|erlaubt|gestattet|autorisés?|permitid[oa]s?|ammess[oaie]|toegestaan';
const NO =
  'no|false|nein|non|nee|não|nie|tidak|☐|(?:not|nicht|non|no|não|niet) (?:allowed|permitted|erlaubt|gestattet|autorisés?|permitid[oa]s?|ammess[oaie]|toegestaan)|prohibited|verboten|interdit(?:e?s?)|prohibid[oa]s?|vietat[oaie]';
const BOOLEAN = new RegExp(`^\\W{0,3}?(?:(?<yes>${YES})|(?<no>${NO}))[\\s.,;)\\]]*$`, 'iu');

/** Only a text that says nothing else is a yes or a no. */
function booleanIn(text: string): ValueReading[] {
  const match = BOOLEAN.exec(text.trim());
  if (!match) return [];
  const start = text.length - text.trimStart().length;
  return [{ value: match.groups?.yes !== undefined, start, end: start + text.trim().length }];
}

/** Finds a word of an enumeration as a whole token, whatever its case and the signs between its parts. */
function wordIn(text: string, value: string): ValueReading[] {
  const parts = normalizedText(value)
    .split(' ')
    .filter((part) => part !== '');
  if (parts.length === 0) return [];
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])${parts.map(escapePattern).join('[^\\p{L}\\p{N}]+')}(?![\\p{L}\\p{N}])`,
    'giu',
  );
  return Array.from(text.matchAll(pattern), ({ index, 0: written }) => ({
    value,
    start: index,
    end: index + written.length,
  }));
}

const escapePattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

const isNumeric = ({ kind }: SchemaLeaf): boolean => kind === 'number' || kind === 'integer';

const PLAIN = /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i;

function numberFrom(leaf: SchemaLeaf, raw: string | number, locale: DocumentLocale): Scalar | undefined {
  const number = typeof raw === 'number' ? raw : PLAIN.test(raw.trim()) ? Number(raw) : undefined;
  if (number === undefined) return onlyReading(leaf, String(raw).trim(), locale);
  return Number.isFinite(number) && isAllowedNumber(leaf, number) ? number : undefined;
}

function onlyReading(leaf: SchemaLeaf, text: string, locale: DocumentLocale): Scalar | undefined {
  const [only, ...more] = readingsOf(leaf, text, locale);
  return more.length === 0 ? only?.value : undefined;
}

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
