/** Values as people of a language write them, as short as an axis needs them. */

const HUGE = 1e15;
const LARGE = 100_000;
const SMALL = 1e-4;
const MOST_DECIMALS = 6;

const DEFAULT_LANGUAGE = 'en';

/** A language tag in its usual spelling, English if it is none. */
export function knownLanguage(language: string | undefined): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? DEFAULT_LANGUAGE;
  } catch {
    return DEFAULT_LANGUAGE;
  }
}

export type ShowValue = (value: number) => string;

/** All ticks of an axis alike. */
export function showTicks(ticks: readonly number[], language: string): ShowValue {
  const most = Math.max(...ticks.map(Math.abs));
  if (isExtreme(most)) return powers;
  if (most >= LARGE) return shown(language, { notation: 'compact', maximumFractionDigits: 2 });
  const decimals = Math.min(Math.max(...ticks.map(decimalsOf)), MOST_DECIMALS);
  return shown(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** One value beside its bar: about three digits tell it. */
export function showShort(values: readonly number[], language: string): ShowValue {
  const most = values.reduce((sofar, value) => Math.max(sofar, Math.abs(value)), 0);
  if (isExtreme(most)) return powers;
  const usual =
    most >= LARGE
      ? shown(language, { notation: 'compact', maximumSignificantDigits: 3 })
      : shown(language, { maximumFractionDigits: most >= 100 ? 0 : most >= 10 ? 1 : 2 });
  const little = shown(language, { maximumSignificantDigits: 2 });
  return (value) => {
    if (isExtreme(Math.abs(value))) return powers(value);
    return Math.abs(value) < 1 ? little(value) : usual(value);
  };
}

/** A value as it is, for a table. */
export function showWhole(language: string): ShowValue {
  const plain = shown(language, { maximumFractionDigits: MOST_DECIMALS });
  return (value) => (isExtreme(Math.abs(value)) ? powers(value) : plain(value));
}

const isExtreme = (most: number): boolean => most >= HUGE || (most > 0 && most < SMALL);

const withMinus = (text: string): string => text.replaceAll('-', '−');

const powers: ShowValue = (value) =>
  withMinus(
    value === 0
      ? '0'
      : value
          .toExponential(2)
          .replace(/\.?0+e\+?/, 'e')
          .replace('e+', 'e'),
  );

function shown(language: string, options: Intl.NumberFormatOptions): ShowValue {
  const format = new Intl.NumberFormat(language, options);
  return (value) => withMinus(format.format(value === 0 ? 0 : value));
}

function decimalsOf(value: number): number {
  const [, decimals = ''] = String(value).split('.');
  return decimals.includes('e') ? MOST_DECIMALS : decimals.length;
}
