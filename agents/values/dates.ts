/** Dates that have a year, in figures or words, as `2026-03-01` or `2026-03`. */

import { monthNamed } from './months.ts';
import { type DocumentLocale, matchesOf, type Rule, type RuleMatch, withoutOverlaps } from './rule.ts';

/** Any word may be a month: a pattern of all names would be tried at each word of a text. */
const MONTH = '(?<month>\\p{L}{3,14})';

const NOT_BEFORE = '(?<![\\p{L}\\d.,/-])';
const NOT_AFTER = '(?![\\p{L}\\d]|[./-]\\d)';
const YEAR = '(?<year>(?:19|20)\\d\\d)';

const ISO = new RegExp(
  `${NOT_BEFORE}${YEAR}(?<between>[-/.])(?<month>\\d\\d?)\\k<between>(?<day>\\d\\d?)(?:T[\\d:.]{5,12}(?:Z|[+-]\\d\\d:?\\d\\d)?)?(?![\\p{L}\\d]|[/-]\\d)`,
  'giu',
);
/** A small letter set above the line is often torn off: `26t h`. */
const ORDINAL = '(?: ?(?:s ?t|n ?d|r ?d|t ?h)|er|ère|º|\\.)(?![\\p{L}\\d])';
const DAY = `(?<day>\\d\\d?)(?:${ORDINAL})?`;
/** `the 20th day of Friday, March 2020` */
const DAY_OF = '(?:day of |of |de |di )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?';

const datePattern = (source: string) => new RegExp(`${NOT_BEFORE}${source}${NOT_AFTER}`, 'giu');

const DAY_FIRST = datePattern(`${DAY}[ \\u00a0-]${DAY_OF}${MONTH}\\.?(?: ?,)?[ \\u00a0-](?:de |del )?${YEAR}`);
/** A year of two digits must end the line or the phrase, or be followed by a time: `12 Mar 26`. */
const SHORT_YEAR = datePattern(
  `${DAY}[ \\u00a0-]${MONTH}(?<point>\\.)?[ \\u00a0-]['’]?(?<year>\\d\\d)(?=[ \\u00a0]*(?:$|[\\n.,;|)]|\\d\\d?:\\d\\d))`,
);
const EAST_ASIAN = /(?<!\d)(?<year>(?:19|20)\d\d) ?[年년] ?(?<month>\d\d?) ?[月월] ?(?<day>\d\d?) ?[日일]/gu;
/** The years of Japanese eras begin with the first year of an emperor. */
const ERAS: Record<string, number> = { 令和: 2018, 平成: 1988, 昭和: 1925 };
const ERA = /(?<era>令和|平成|昭和) ?(?<nth>\d{1,2}|元) ?年 ?(?<month>\d\d?) ?月 ?(?<day>\d\d?) ?日/gu;
const SPACED = datePattern(`(?<day>\\d\\d?)\\. ?(?<month>\\d\\d?)\\. ${YEAR}`);
const MONTH_FIRST = datePattern(`${MONTH}\\.? (?<day>\\d\\d?)(?: ?(?:st|nd|rd|th)(?!\\p{L}))?(?: ?,)? ${YEAR}`);
/** `2026. március 3.` and `2026 March 3` */
const YEAR_FIRST = datePattern(`${YEAR}\\.? ${MONTH}\\.? (?<day>\\d\\d?)(?:\\.(?!\\d))?`);
/** The lookbehind rejects the rest of an invalid day, such as `31 June 2026`. */
const MONTH_ALONE = datePattern(`(?<!\\d(?:\\.|st|nd|rd|th)? )${MONTH}(?<point>\\.)?,? (?:de |del |of )?${YEAR}`);
const FIGURES = datePattern(
  '(?<one>\\d\\d?)(?<between>[./-])(?<two>\\d\\d?)\\k<between>(?<year>(?:19|20)\\d\\d|\\d\\d)',
);

export const dates: Rule = (text, locale) =>
  withoutOverlaps([
    ...[ISO, SPACED, EAST_ASIAN].flatMap((pattern) =>
      matchesOf(pattern, text, ({ year, month, day }) => dateOf(Number(year), Number(month), Number(day))),
    ),
    ...[DAY_FIRST, MONTH_FIRST, YEAR_FIRST].flatMap((pattern) =>
      matchesOf(pattern, text, ({ year = '', month = '', day }, [written]) =>
        inMonths(monthNamed(month), yearOf(year), { day: Number(day), isOrdinal: /^\d+ ?\./.test(written) }),
      ),
    ),
    ...matchesOf(SHORT_YEAR, text, ({ year = '', month = '', day, point }) =>
      inMonths(monthWithoutYear(month, point), yearOf(year), { day: Number(day) }),
    ),
    ...matchesOf(ERA, text, ({ era = '', nth, month, day }) =>
      dateOf((ERAS[era] ?? 0) + (nth === '元' ? 1 : Number(nth)), Number(month), Number(day)),
    ),
    ...matchesOf(MONTH_ALONE, text, ({ year = '', month = '', point }) =>
      inMonths(monthWithoutYear(month, point), yearOf(year)),
    ),
    ...matchesOf(FIGURES, text, (groups, match) =>
      SORT_CODE.test(match.input.slice(Math.max(0, match.index - LOOK_BACK), match.index))
        ? undefined
        : inFigures(groups, locale, weekdayBeside(match)),
    ),
  ]);

/**
 * Returns whether numeric dates with only one possible reading put the day first, or undefined if they do not settle
 * it.
 */
export function dayFirstIn(text: string): boolean | undefined {
  let dayFirstCount = 0;
  let monthFirstCount = 0;
  for (const match of text.matchAll(FIGURES)) {
    const { one, two: other, year = '', between } = match.groups ?? {};
    if (between === '.') continue;
    const [a, b, y] = [Number(one), Number(other), yearOf(year)];
    const byWeekday = dayFirstBy(weekdayBeside(match), dateOf(y, b, a), dateOf(y, a, b));
    if ((a > 12 && a <= 31 && b <= 12) || (a <= 12 && byWeekday === true)) dayFirstCount++;
    if ((b > 12 && b <= 31 && a <= 12) || (b <= 12 && byWeekday === false)) monthFirstCount++;
  }
  return dayFirstCount === monthFirstCount ? undefined : dayFirstCount > monthFirstCount;
}

/** Without a day and a year of four digits beside it, a word such as `set` is a month only with its full stop. */
const monthWithoutYear = (name: string, point: string | undefined) => {
  const monthName = monthNamed(name);
  return monthName?.isCommon || point !== undefined ? monthName : undefined;
};

/** The languages may differ: `3 listopada` is in November in Polish, and `3. listopada` may be in October, in Croatian. */
function inMonths(
  monthName: ReturnType<typeof monthNamed>,
  year: number,
  { day, isOrdinal = day === undefined }: { day?: number; isOrdinal?: boolean } = {},
) {
  const [first, other] = (monthName?.months ?? []).flatMap(
    (month) => (day === undefined ? { value: `${year}-${twoDigits(month)}` } : dateOf(year, month, day)) ?? [],
  );
  return first && other && isOrdinal ? { ...first, more: { ambiguous: true, or: other.value } } : first;
}

/** The code of a British bank looks like a date: `Sort code: 20-04-43`. */
const SORT_CODE = /\bsort[ -]?code\b[^\n\d]{0,12}$/i;
const LOOK_BACK = 30;

/** In English, German, French, Spanish, Italian, Dutch and Portuguese; from Sunday. */
const WEEKDAYS = [
  'sun sunday sonntag dimanche dim domingo dom domenica zondag',
  'mon monday montag lundi lun lunes lunedì maandag segunda',
  'tue tues tuesday dienstag mardi mar martes martedì dinsdag terça',
  'wed wednesday mittwoch mercredi mer miércoles mié mercoledì woensdag quarta',
  'thu thur thurs thursday donnerstag jeudi jeu jueves jue giovedì gio donderdag quinta',
  'fri friday freitag vendredi ven viernes vie venerdì vrijdag sexta',
  'sat saturday samstag samedi sam sábado sabato zaterdag',
].map((names) => names.split(' '));

/** The day of the week right before or behind a date, from 0 for Sunday, or -1. */
function weekdayBeside({ input = '', index = 0, 0: date }: RegExpMatchArray): number {
  const before = /(\p{L}{3,10})[.,]{0,2}[ \u00a0]{1,2}$/u.exec(input.slice(Math.max(0, index - 14), index))?.[1];
  const end = index + date.length;
  const behind = /^[ \u00a0,(]{1,3}(\p{L}{3,10})(?!\p{L})/u.exec(input.slice(end, end + 14))?.[1];
  const dayOf = (name = '') => WEEKDAYS.findIndex((names) => names.includes(name.toLowerCase()));
  return Math.max(dayOf(before), dayOf(behind));
}

const isOn = (weekday: number, reading: Reading): boolean =>
  reading !== undefined && new Date(reading.value).getUTCDay() === weekday;

type Reading = ReturnType<typeof dateOf>;

/** Whether only one of the two readings is on that day of the week, and then whether it puts the day first. */
const dayFirstBy = (weekday: number, dayFirst: Reading, monthFirst: Reading): boolean | undefined =>
  isOn(weekday, dayFirst) === isOn(weekday, monthFirst) ? undefined : isOn(weekday, dayFirst);

/** With dots, the day always comes first. With other separators, only a weekday or the document can tell. */
function inFigures(groups: Record<string, string | undefined>, locale: DocumentLocale, weekday: number) {
  const { one, two: other, year = '', between } = groups;
  const [a, b, y] = [Number(one), Number(other), yearOf(year)];
  const dayFirst = dateOf(y, b, a);
  const monthFirst = between === '.' ? undefined : dateOf(y, a, b);
  if (!dayFirst || !monthFirst || dayFirst.value === monthFirst.value) return dayFirst ?? monthFirst;
  const isDayFirst = dayFirstBy(weekday, dayFirst, monthFirst) ?? locale.dayFirst;
  const [chosen, alternative] =
    (isDayFirst ?? locale.assumesDayFirst) ? [dayFirst, monthFirst] : [monthFirst, dayFirst];
  return isDayFirst === undefined ? { ...chosen, more: { ambiguous: true, or: alternative.value } } : chosen;
}

const PIVOT = 70;
const yearOf = (text: string): number =>
  text.length === 4 ? Number(text) : Number(text) + (Number(text) < PIVOT ? 2_000 : 1_900);

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Returns undefined for a date that does not exist, such as 31 June. */
function dateOf(year: number, month: number, day: number): Pick<RuleMatch, 'value'> | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isOne = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isOne ? { value: `${year}-${twoDigits(month)}-${twoDigits(day)}` } : undefined;
}
