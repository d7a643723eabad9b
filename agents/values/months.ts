/** The names of months in many languages, as `Intl` gives them. */

import MORE from './month-names.json' with { type: 'json' };

const LOCALES = 'en en-GB de de-AT fr es it nl pt sv da nb fi pl cs sk hu ro ru uk el tr ms bg hr'.split(' ');

/** Alone and beside a day, the name of a month may have other endings; abbreviations have none. */
const FORMS: readonly Intl.DateTimeFormatOptions[] = [
  { month: 'long' },
  { month: 'long', day: 'numeric' },
  { month: 'short' },
];

/**
 * Several months if languages differ, the month of the first language first: `listopada` is November in Polish and October
 * in Croatian. `isCommon` is whether the name stands for a month without a day beside it: abbreviations of one language, such
 * as `led`, `pro`, `set` and `out`, are words of others.
 */
type MonthName = { months: number[]; isCommon: boolean };

let names: Map<string, MonthName> | undefined;

/** The months that the name may stand for, from 1 to 12, whatever its case, with or without its accents and its full stop. */
export const monthNamed = (name: string): MonthName | undefined => {
  names ??= readNames();
  return names.get(nameKey(name));
};

const nameKey = (name: string): string => name.normalize('NFC').toLowerCase().replace(/\.$/, '');

const withoutAccents = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll('ı', 'i')
    .replaceAll('ł', 'l')
    .normalize('NFC');

/** What is known of a name while the languages are read. */
type Entry = { months: Set<number>; languages: Set<string>; isWhole: boolean };

/** So many languages share a whole name of three letters, or an abbreviation, that is common. */
const WHOLE_IN = 2;
const SHORT_IN = 3;
const SHORTEST_WHOLE = 4;

function readNames(): Map<string, MonthName> {
  const entries = new Map<string, Entry>();
  for (const { name, month, language, isWhole } of LOCALES.flatMap(namesIn)) {
    for (const key of new Set([nameKey(name), withoutAccents(nameKey(name))])) {
      if (!/^\p{L}{3,}$/u.test(key)) continue;
      const entry: Entry = entries.get(key) ?? { months: new Set(), languages: new Set(), isWhole: false };
      entry.months.add(month);
      entry.languages.add(language);
      entry.isWhole ||= isWhole;
      entries.set(key, entry);
    }
  }
  const monthNames = new Map(
    Array.from(entries, ([name, entry]): [string, MonthName] => [
      name,
      { months: [...entry.months], isCommon: isCommon(name, entry) },
    ]),
  );
  // What stands in documents beside what `Intl` gives, and abbreviations of one language that are no words of others.
  for (const [name, month] of Object.entries(MORE)) monthNames.set(name, { months: [month], isCommon: true });
  return monthNames;
}

function isCommon(name: string, { months, languages, isWhole }: Entry): boolean {
  if (isWhole && name.length >= SHORTEST_WHOLE) return true;
  return months.size === 1 && languages.size >= (isWhole ? WHOLE_IN : SHORT_IN);
}

function namesIn(locale: string) {
  return FORMS.flatMap((form) => {
    const format = new Intl.DateTimeFormat(locale, { ...form, timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, nth) => ({
      name: format.formatToParts(Date.UTC(2_026, nth, 3)).find(({ type }) => type === 'month')?.value ?? '',
      month: nth + 1,
      language: locale.slice(0, 2),
      isWhole: form.month === 'long',
    }));
  });
}
