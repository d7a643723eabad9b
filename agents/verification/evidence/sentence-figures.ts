/** Says which figures of a sentence stand at none of its quotes. */

import { DAY_MS } from '../../../shared/core/time.ts';
import { dates } from '../../values/dates.ts';
import { monthNamed } from '../../values/months.ts';
import { numbersIn, spelledNumbersIn } from '../../values/readings.ts';
import type { DocumentLocale } from '../../values/rule.ts';
import type { Surroundings } from '../located-quote.ts';
import { checkDate } from './date-figures.ts';
import { type FigureTexts, figureTexts, plainDigits } from './figure-texts.ts';
import { isRounded, isWritten, numberMatch, openReadings } from './number-figures.ts';

/** A quote, cut from its document, with what stands around it. */
export type QuoteEvidence = {
  quote: string;
  around: Surroundings;
  locale: DocumentLocale;
  /** The day of the document, from which it may count: `next month`, `since last year`. */
  published?: string;
  /** The text of its page, on which the year of a table or a section may stand further away. */
  page?: string;
};

const figureTextsCache = new WeakMap<QuoteEvidence, FigureTexts>();

/** Many sentences rest on the same evidence. */
export function cachedFigureTexts(evidence: QuoteEvidence): FigureTexts {
  const texts = figureTextsCache.get(evidence) ?? figureTexts(evidence.quote, evidence.around, evidence.locale);
  figureTextsCache.set(evidence, texts);
  return texts;
}

/** What the sentence may say beside its quotes: results of formulas over figures of the quotes, in any scale, and over their dates. */
type Sources = { evidence: readonly QuoteEvidence[]; computed: readonly number[]; days?: readonly string[] };

const YEAR = /^(?:19|20|21)\d\d$/;

/**
 * The figures in digits that no quote has, that nothing around a quote has, and that no formula gives, as the sentence writes
 * them. Numbers in words, and digits in names such as `Q3`, are left to a reader.
 */
export function unfoundedFigures(sentence: string, sources: Sources): string[] {
  const text = plainDigits(sentence);
  const [{ locale } = { locale: UNKNOWN_LOCALE }] = sources.evidence;
  const days = dates(text, locale);
  const numbers = numbersIn(text, locale);
  const spans = [...days, ...numbers];
  const otherDigits = Array.from(text.matchAll(OTHER_DIGITS)).filter(
    ({ index, 0: digits }) => !spans.some(({ start, end }) => index < end && start < index + digits.length),
  );
  return [
    ...days.filter(({ value }) => !isDated(value, sources)).map(({ start, end }) => text.slice(start, end)),
    ...numbers.flatMap(({ value, start, end }) => {
      const written = text.slice(start, end).trim();
      return isFounded(Number(value), written, sources) ? [] : [written];
    }),
    ...otherDigits.flatMap(([digits]) =>
      isShown(digits, sources) || isComputed(Number(digits), digits, sources.computed) ? [] : [digits],
    ),
  ];
}

/** Whether the sentence says the result of a formula. */
export function saysResult(sentence: string, result: number): boolean {
  const text = plainDigits(sentence);
  return numbersIn(text, UNKNOWN_LOCALE).some(({ value, start, end }) => {
    const written = text.slice(start, end).trim();
    const { sure, open } = openReadings(Number(value), written, undefined, false);
    return [...sure, ...open].some((reading) => isComputed(reading, written, [result]));
  });
}

/** Of a text that tells nothing of how it writes dates. */
export const UNKNOWN_LOCALE: DocumentLocale = { dayFirst: undefined, assumesDayFirst: true, crowns: undefined };
/**
 * What is neither a number nor a date, such as `2025/26`, `14:35` and `INV-2041`. One or two digits beside a letter are a part of a
 * name, but for scripts without spaces between words.
 */
const OTHER_DIGITS =
  /\d{3,}|(?<![\d\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}])\d{1,2}(?![\d\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}])/gu;

export function isDated(value: string, sources: Sources): boolean {
  const checks = sources.evidence.map((evidence) => checkDate(value, cachedFigureTexts(evidence)));
  if (checks.includes('stands') || (checks.includes('doubt') && hasParts(value, sources))) return true;
  if (sources.days?.some((day) => day.startsWith(value)) || isOnPageOfTable(value, sources)) return true;
  return sources.evidence.some((quoteEvidence) => referenceTimes(quoteEvidence).some((time) => isCounted(value, time)));
}

const YEARS = /(?<!\d)(?:19|20|21)\d\d(?!\d)/g;

/** What a quote counts from: the day of its document, and where its lines name no year, those of its title and headings. */
function referenceTimes({ published, around: { title = '', headings, lines } }: QuoteEvidence): string[] {
  const years = lines.match(YEARS) === null ? [title, ...headings].flatMap((text) => text.match(YEARS) ?? []) : [];
  return published === undefined ? years : [published, ...years];
}

/** How far a text counts from its own time. */
const NEAR = { days: 7, months: 2, years: 1 };

/** Whether a text of this time may name the date by counting from it: `yesterday`, `from the first of next month`, `the prior year`. */
function isCounted(value: string, time: string): boolean {
  const [year = 0, month, day] = value.split('-').map(Number);
  const [baseYear = 0, baseMonth] = time.split('-').map(Number);
  if (month === undefined) return Math.abs(year - baseYear) <= NEAR.years;
  if (baseMonth === undefined) return false;
  const isNearMonth = Math.abs(12 * (year - baseYear) + month - baseMonth) <= NEAR.months;
  if (day === undefined || day === 1 || day === new Date(Date.UTC(year, month, 0)).getUTCDate()) return isNearMonth;
  return Math.abs(Date.parse(value) - Date.parse(time)) <= NEAR.days * DAY_MS;
}

/** Whether the date stands on the page of a table, whose head may have several rows: `Three months ended`, `31 December`, `2022 | 2021`. */
function isOnPageOfTable(value: string, { evidence }: Sources): boolean {
  const [year = '', month, day] = value.split('-');
  return evidence.some(({ page, around }) => {
    if (page === undefined || !around.lines.includes('|') || !new RegExp(`(?<!\\d)${year}(?!\\d)`).test(page))
      return false;
    return month === undefined || hasMonthAndDay(page, Number(month), day);
  });
}

const hasMonthAndDay = (text: string, month: number, day: string | undefined): boolean =>
  Array.from(text.matchAll(WORD)).some(({ 0: word, index }) => {
    if (!monthNamed(word)?.months.includes(month)) return false;
    const beside = [
      text.slice(Math.max(0, index - 5), index),
      text.slice(index + word.length, index + word.length + 4),
    ];
    return day === undefined || beside.some((part) => part.match(/\d+/g)?.map(Number).includes(Number(day)));
  });

/**
 * Whether year, month and day stand somewhere: that another date stands beside a term makes no date of its own. A month is
 * missed only where the name of another one is understood.
 */
function hasParts(value: string, { evidence }: Sources): boolean {
  const [year = 0, month, day] = value.split('-').map(Number);
  const texts = evidence.map((quoteEvidence) => plainDigits(textsOf(quoteEvidence).join('\n')));
  const parts = evidence.flatMap(({ locale }, at) =>
    dates(texts[at] ?? '', locale).map((date) => date.value.split('-').map(Number)),
  );
  const numbers = new Set(texts.flatMap(numbersWritten));
  const months = new Set([
    ...parts.flatMap(([, monthOfPart]) => monthOfPart ?? []),
    ...texts.flatMap((text) => (text.match(WORD) ?? []).flatMap((word) => monthNamed(word)?.months ?? [])),
    ...texts.flatMap((text) => (text.match(MONTH_IN_DIGITS) ?? []).map(Number)),
  ]);
  const hasYear = parts.some(([yearOfPart]) => yearOfPart === year) || numbers.has(year) || isShortYear(year, texts);
  const hasMonth = month === undefined || months.size === 0 || months.has(month);
  const hasDay = day === undefined || parts.some(([, , dayOfPart]) => dayOfPart === day) || numbers.has(day);
  return hasYear && hasMonth && hasDay;
}

const WORD = /\p{L}{3,14}/gu;

/** `03/2026`, `3.4.`, `3月` */
const MONTH_IN_DIGITS = /(?<!\d)\d{1,2}(?=[./-]\d| ?[月월])|(?<=\d[./-])\d{1,2}(?!\d)/g;

const numbersWritten = (text: string): number[] => [
  ...(text.match(/\d+/g) ?? []).map(Number),
  ...spelledNumbersIn(text).map(({ value }) => Number(value)),
];

/** `FY25`, `2024/25`, `’25` */
const isShortYear = (year: number, texts: readonly string[]): boolean =>
  texts.some((text) => new RegExp(`[\\p{L}'’/-]${String(year).slice(2)}(?!\\d)`, 'u').test(text));

function isFounded(value: number, written: string, sources: Sources): boolean {
  const texts = sources.evidence.map(cachedFigureTexts);
  const isYear = YEAR.test(written);
  if (isYear && (isDated(written, sources) || isShown(written, sources))) return true;
  if (isYear && isShortYear(Number(written), sources.evidence.flatMap(textsOf).map(plainDigits))) return true;
  const { sure, open } = openReadings(value, written, undefined, false);
  // A year is no scaled or converted number.
  const isMeant = (reading: number): boolean =>
    texts.some((text) => (isYear ? isWritten(reading, text) : numberMatch(reading, text)));
  if (isToken(written, sources)) return true;
  return [...sure, ...open].some((reading) => isMeant(reading) || isComputed(reading, written, sources.computed));
}

/** Results are shown in another scale, without their sign, and rounded to the last digit that is written. */
function isComputed(value: number, written: string, computed: readonly number[]): boolean {
  const decimals = /[.,](\d+)\D*$/.exec(written)?.[1]?.length ?? 0;
  const half = 0.5 * 10 ** -decimals;
  const [absolute, scale] = [Math.abs(value), scaleOf(written, value)];
  return computed.some((result) =>
    scalesOf(result).some((power) =>
      [Math.abs(result) / power, Math.abs(result) * power].some(
        (scaled) =>
          isRounded(scaled, absolute) || (absolute > 0 && Math.abs(scaled - absolute) <= half * scale * (1 + 1e-9)),
      ),
    ),
  );
}

/** A result may be written in thousands or millions, and a fraction in percent. */
const scalesOf = (result: number): number[] => [1, 1e3, 1e6, 1e9, ...(Math.abs(result) < 1 ? [1e2] : [])];

/** The factor that a scale word behind the digits gives the value, such as 1000000 of `4 million`. */
function scaleOf(written: string, value: number): number {
  const digits = Number(
    /\d+(?:[.,]\d+)*/
      .exec(written)?.[0]
      .replaceAll(/[.,](?=\d{3}(?!\d))/g, '')
      .replace(',', '.'),
  );
  return Number.isFinite(digits) && digits !== 0 ? Math.max(1, Math.round(Math.abs(value) / digits)) : 1;
}

/** Whether it is the number of a clause that stands there, such as `7.2`. */
function isToken(written: string, { evidence }: Sources): boolean {
  if (!/^\d{1,2}(?:\.\d{1,2})+$/.test(written)) return false;
  const token = new RegExp(`(?:^|\\n)[ #*]*${written.replaceAll('.', '\\.')}(?!\\d|[.,]\\d)`);
  return evidence.flatMap(textsOf).some((text) => token.test(plainDigits(text)));
}

const isShown = (digits: string, { evidence }: Sources): boolean =>
  evidence.flatMap(textsOf).some((text) => plainDigits(text).match(/\d+/g)?.includes(digits));

const textsOf = ({
  quote,
  around: { lines, title = '', headings, head = '', before = '', after = '' },
}: QuoteEvidence): string[] => [quote, lines, title, ...headings, head, before, after];
