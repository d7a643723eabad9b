/** Values as people of a language write them, as short as an axis needs them. */

const HUGE = 1e15;
const LARGE = 100_000;
const SMALL = 1e-4;
const MAX_DECIMALS = 6;

const DEFAULT_LANGUAGE = 'en';

/** A language tag in its usual spelling, English if it is none. */
export function canonicalLanguage(language: string | undefined): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? DEFAULT_LANGUAGE;
  } catch {
    return DEFAULT_LANGUAGE;
  }
}

export type FormatValue = (value: number) => string;

/** All ticks of an axis alike. */
export function tickFormat(ticks: readonly number[], language: string): FormatValue {
  const most = Math.max(...ticks.map(Math.abs));
  if (isExtreme(most)) return powers;
  if (most >= LARGE) return numberFormat(language, { notation: 'compact', maximumFractionDigits: 2 });
  const decimals = Math.min(Math.max(...ticks.map(decimalsOf)), MAX_DECIMALS);
  return numberFormat(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** One value beside its bar: about three digits tell it. */
export function shortFormat(values: readonly number[], language: string): FormatValue {
  const most = values.reduce((sofar, value) => Math.max(sofar, Math.abs(value)), 0);
  if (isExtreme(most)) return powers;
  const large =
    most >= LARGE
      ? numberFormat(language, { notation: 'compact', maximumSignificantDigits: 3 })
      : numberFormat(language, { maximumFractionDigits: most >= 100 ? 0 : most >= 10 ? 1 : 2 });
  const small = numberFormat(language, { maximumSignificantDigits: 2 });
  return (value) => {
    if (isExtreme(Math.abs(value))) return powers(value);
    return Math.abs(value) < 1 ? small(value) : large(value);
  };
}

/** A value as it is, for a table. */
export function fullFormat(language: string): FormatValue {
  const plain = numberFormat(language, { maximumFractionDigits: MAX_DECIMALS });
  return (value) => (isExtreme(Math.abs(value)) ? powers(value) : plain(value));
}

const isExtreme = (max: number): boolean => max >= HUGE || (max > 0 && max < SMALL);

const withMinus = (text: string): string => text.replaceAll('-', '−');

const powers: FormatValue = (value) =>
  withMinus(
    value === 0
      ? '0'
      : value
          .toExponential(2)
          .replace(/\.?0+e\+?/, 'e')
          .replace('e+', 'e'),
  );

function numberFormat(language: string, options: Intl.NumberFormatOptions): FormatValue {
  const format = new Intl.NumberFormat(language, options);
  return (value) => withMinus(format.format(value === 0 ? 0 : value));
}

function decimalsOf(value: number): number {
  const [, decimals = ''] = String(value).split('.');
  return decimals.includes('e') ? MAX_DECIMALS : decimals.length;
}
