/** Compares a number with the figures of a text, as they stand and as they may be meant. */

import { plainNumber } from '../../values/amounts.ts';
import { currenciesIn } from '../../values/currencies.ts';
import { dates } from '../../values/dates.ts';
import { hasUnreadSpelledNumbers, numbersIn, spelledInCompounds, spelledNumbersIn } from '../../values/readings.ts';
import type { DocumentLocale } from '../../values/rule.ts';
import type { FigureCheck } from '../located-quote.ts';
import type { FigureTexts } from './figure-texts.ts';

export function checkNumber(value: number, texts: FigureTexts): FigureCheck {
  if (!Number.isFinite(value)) return 'none';
  const match = numberMatch(value, texts, RATIOS);
  if (match) return match;
  const { sure, open, digits } = cachedFigures(texts, 'near');
  if (hasUnreadSpelledNumbers(texts.near)) return 'doubt';
  if (digits.length === 0 && sure.length + open.length > 0) return 'doubt';
  const isOther = (figure: number) => !isYear(figure) || isYear(value);
  if (!cachedFigures(texts, 'quote').digits.some(isOther)) return digits.some(isOther) ? 'doubt' : 'none';
  return hasDigits(texts.near, value) ? 'doubt' : 'contradicts';
}

/** Undefined if no figure of the texts, as it is read or may be meant in one of these ratios, is the number. */
export function numberMatch(
  value: number,
  texts: FigureTexts,
  ratios: readonly number[] = SCALES,
): 'stands' | 'doubt' | undefined {
  const { sure, open, parts } = cachedFigures(texts, 'near');
  if (sure.some((figure) => isEqual(figure, value))) return 'stands';
  const isMeant =
    [...sure, ...open].some((figure) => mayMean(figure, value, ratios)) ||
    parts.some((part) => isEqual(part, value)) ||
    isWritten(value, texts);
  return isMeant ? 'doubt' : undefined;
}

/** Whether the number is a figure of the texts as they write it, in either reading of `1,608`. */
export const isWritten = (value: number, texts: FigureTexts): boolean =>
  (['near', 'around'] as const).some((name) => {
    const { sure, open } = cachedFigures(texts, name);
    return [...sure, ...open].some((figure) => isEqual(figure, value));
  });

const OPEN = /(?<![\d.,])[1-9]\d{0,2}(?<mark>[.,])\d{3}(?![\d.,]*\d)/;

/**
 * `1,608` is 1608 or 1.608. The document tells by its other figures; money has no three decimals, though a price by the unit
 * may have them.
 */
export function openReadings(value: number, written: string, decimalMark: string | undefined, isMoney: boolean) {
  const mark = OPEN.exec(written)?.groups?.mark;
  if (mark === undefined) return { sure: [value], open: [] };
  const decimal = value / 1_000;
  if (decimalMark === mark) return { sure: [decimal], open: [value] };
  if (decimalMark === undefined && !isMoney) return { sure: [], open: [value, decimal] };
  return { sure: [value], open: decimalMark === undefined ? [decimal] : [] };
}

/** A scale in the head of a table or in a word, and percent against a fraction. */
export const POWERS = [1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/** Months, days, weeks, quarters, hours and minutes in units of each other. */
export const CALENDAR = [12, 7, 24, 30, 52, 60, 365, 4, 3];

/** Whether the value is the figure with fewer digits, at least two of them. */
export function isRounded(figure: number, value: number): boolean {
  if (isEqual(figure, value)) return true;
  if (value === 0 || !Number.isFinite(value)) return false;
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const significant = Math.max(2, digits.replace('.', '').length);
  const unit = 10 ** (Number(exponent) - significant + 1);
  return Math.abs(figure - value) <= (unit / 2) * (1 + 1e-9);
}

/** Whether the digits of the value stand there in something else, such as `INV-2041` beside other figures. */
const hasDigits = (text: string, value: number): boolean =>
  new RegExp(`(?<!\\d|\\d[.,'’ ])${String(Math.abs(value)).replace('.', '[.,]')}(?!\\d|[.,'’]\\d)`).test(text);

const isEqual = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

/** A year beside a number is its period rather than another number. */
const isYear = (figure: number): boolean => Number.isInteger(figure) && figure >= 1_900 && figure < 2_100;

type Figures = {
  /** What stands there, in figures or in words. */
  sure: number[];
  /** What may stand there, where a point or a comma may part thousands or begin decimals. */
  open: number[];
  /** Those of both that are written in digits. */
  digits: number[];
  /** Numbers inside dates, ordinals and names. */
  parts: number[];
};

type TextName = 'quote' | 'near' | 'around';
const figuresCache = new WeakMap<FigureTexts, Partial<Record<TextName, Figures>>>();

/** Many numbers are compared with the figures of one text. */
function cachedFigures(texts: FigureTexts, name: TextName): Figures {
  const figuresByName = figuresCache.get(texts) ?? {};
  figuresCache.set(texts, figuresByName);
  figuresByName[name] ??= figuresIn(texts[name], texts.around, texts.locale);
  return figuresByName[name];
}

function figuresIn(text: string, around: string, locale: DocumentLocale): Figures {
  const masked = withoutOtherNumbers(text, locale);
  const decimalMark = decimalMarkIn(withoutOtherNumbers(around, locale));
  const isMoney = currenciesIn(around, locale).length > 0;
  const readings = numbersIn(masked, locale).map(({ value, start, end, currency }) =>
    openReadings(Number(value), masked.slice(start, end), decimalMark, isMoney || currency !== undefined),
  );
  const sure = readings.flatMap((reading) => reading.sure);
  const open = readings.flatMap((reading) => reading.open);
  const spelled = spelledNumbersIn(text).map(({ value }) => Number(value));
  return {
    sure: [...sure, ...spelled],
    open: [...open, ...misread(masked), ...spelledInCompounds(text)],
    digits: [...sure, ...open],
    parts: partsIn(text, locale),
  };
}

const FIGURE = /(?<![\p{L}\d.,])\d+(?:[.,]\d+)+(?![\p{L}\d])/gu;

/** The mark before decimals, if the figures of a text agree on it: `12.5`, `1,234.5` and `1,234,567` tell of it. */
function decimalMarkIn(text: string): string | undefined {
  const marks = new Set<string>();
  for (const [figure] of text.matchAll(FIGURE)) {
    const marksInFigure = figure.match(/[.,]/g) ?? [];
    const [firstMark = '', lastMark = ''] = [marksInFigure[0], marksInFigure.at(-1)];
    const isGrouped = marksInFigure.length > 1 && firstMark === lastMark;
    const tail = figure.length - 1 - figure.lastIndexOf(lastMark);
    if (isGrouped) marks.add(firstMark === ',' ? '.' : ',');
    else if (marksInFigure.length > 1 || tail !== 3 || figure.startsWith('0')) marks.add(lastMark);
  }
  return marks.size === 1 ? [...marks][0] : undefined;
}

/** Numbers of lists, sections, footnotes and identifiers. */
const NUMBERING = /^(?<before>[ \t#>*|-]*)\(?\d{1,3}(?:\.\d{1,3})*(?:[.)](?=\s)|(?<=\.\d{1,3})(?=\s+\p{Lu}))/gmu;
const SECTION = /[§#№] ?\d[\d.]*|\[\d{1,3}\]/g;
/** A token with letters and digits, such as `INV-2041`, `A4` and `2041/B`; not an amount such as `EUR18`, `5kg` or `10-12`. */
const TOKEN = /[\p{L}\d][\p{L}\d/_-]{2,60}/gu;
const IS_IDENTIFIER = /^\p{L}[\p{L}\d]*[/_-].*\d|^\d+[/_-]\p{Lu}{1,2}\d*$|^\p{L}\d|^\p{L}+\d+\p{L}/u;

/** With spaces in place of dates and of numbers that count nothing, and ranges opened: `10-12` are two numbers. */
function withoutOtherNumbers(text: string, locale: DocumentLocale): string {
  let masked = text;
  for (const { start, end } of dates(text, locale))
    masked = masked.slice(0, start) + ' '.repeat(end - start) + masked.slice(end);
  return masked
    .replaceAll(NUMBERING, (numbering) => numbering.replaceAll(/\d/g, ' '))
    .replaceAll(SECTION, (section) => ' '.repeat(section.length))
    .replaceAll(TOKEN, (token) => (IS_IDENTIFIER.test(token) ? ' '.repeat(token.length) : token))
    .replaceAll(RANGE, (range, first: string, second: string) =>
      isRange(Number.parseInt(first, 10), Number.parseInt(second, 10))
        ? `${first} ${second}`
        : ' '.repeat(range.length),
    );
}

const RANGE = /(?<![\p{L}\d.,-])(\d[\d.,]*)-(\d[\d.,]*)(?![\d-])/gu;

/** `10-12` is one, `26-1187` rather a number of a document. */
const isRange = (first: number, second: number): boolean => first < second && second <= 10 * Math.max(first, 1);

const ORDINAL = /(?<![\p{L}\d])(?<number>\d{1,4})(?:\. |\p{L}{1,3}|[ºª°])(?![\p{L}\d])/gu;
const FRACTION = /(?<![\p{L}\d.,])(?<first>\d{1,4})[/:](?<second>\d{1,4})(?![\p{L}\d])/gu;

const MIXED = /(?<![\p{L}\d.,])(?<whole>\d{1,4}) (?<first>\d{1,2})[/⁄](?<second>\d{1,2})(?![\p{L}\d])/gu;

/** Numbers inside dates, ordinals, fractions and names such as `FY2026`, which are none of their own. */
function partsIn(text: string, locale: DocumentLocale): number[] {
  const days = dates(text, locale).flatMap(({ value }) => value.split('-').map(Number));
  const ordinals = Array.from(text.matchAll(ORDINAL), ({ groups }) => Number(groups?.number));
  const numbersInNames = Array.from(text.matchAll(/(?:\p{L}|['’])(\d{1,7})(?![\p{L}\d])/gu), ([, digits = '']) =>
    Number(digits),
  ).flatMap((number) => (number < 100 ? [number, 2_000 + number] : [number]));
  const mixed = Array.from(
    text.matchAll(MIXED),
    ({ groups }) => Number(groups?.whole) + Number(groups?.first) / Number(groups?.second),
  );
  const fractions = Array.from(text.matchAll(FRACTION), ({ groups }) => [
    Number(groups?.first),
    Number(groups?.second),
  ]);
  return [
    ...days,
    ...ordinals,
    ...mixed,
    ...numbersInNames,
    ...fractions.flatMap(([first = 0, second = 1]) => [first, second, first / second]),
  ];
}

const CONFUSED: Readonly<Record<string, string>> = { O: '0', o: '0', I: '1', l: '1', S: '5', B: '8' };

/** Figures with letters that text recognition took for digits. */
function misread(text: string): number[] {
  return Array.from(text.matchAll(/(?<![\p{L}\d])(?=[OoIlSB.,]*\d)[\dOoIlSB.,]{2,15}(?![\p{L}\d])/gu)).flatMap(
    ([token]) => {
      if (!/[A-Za-z]/.test(token)) return [];
      const plain = plainNumber(
        token.replaceAll(/[OoIlSB]/g, (letter) => CONFUSED[letter] ?? letter).replace(/[.,]+$/, ''),
      );
      return plain === undefined ? [] : [Number(plain)];
    },
  );
}

const RATIOS = [...POWERS, ...CALENDAR].flatMap((ratio) => [ratio, 1 / ratio]);
/** What a sentence may do with a figure without a formula: write it in thousands, millions or percent. */
const SCALES = [1, 1e2, 1e3, 1e6, 1e9].flatMap((ratio) => [ratio, 1 / ratio]);

/** Whether the value is the figure after rounding, scaling, another unit of time, or with its sign turned. */
const mayMean = (figure: number, value: number, ratios: readonly number[]): boolean =>
  ratios.some((ratio) => isRounded(Math.abs(figure * ratio), Math.abs(value)));
