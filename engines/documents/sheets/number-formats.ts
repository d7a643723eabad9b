/** Number formats of spreadsheets: a number as its cell shows it, with the type and the value that it stands for. */
import { SSF } from '@e965/xlsx';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import type { SheetCell } from './sheet.ts';

/** Makes the cell of a number. The format is a code such as `dd.mm.yyyy`, or the number of a built-in one. */
export type NumberFormatter = (value: number, format: string | number) => SheetCell;

type DateParts = { hasDate: boolean; hasTime: boolean };
type FormatKind = { code: string | number; spacedPercent?: boolean } & (
  | { type: 'number' | 'percent' }
  | { type: 'currency'; currency?: string }
  | ({ type: 'date' } & DateParts)
);

/** The limit of Excel. A longer code costs time for each cell and is ignored. */
const MAX_CODE_LENGTH = 255;
const BUILT_IN_CURRENCY = new Set([5, 6, 7, 8, 42, 44]);
/** Built-in dates of East Asian editions. */
const isEastAsianDate = (id: number): boolean => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** Larger integers are shown in scientific notation. */
const PLAIN = 1e10;

export function numberFormatter(date1904: boolean): NumberFormatter {
  const kinds = new Map<string | number, FormatKind>();
  return (value, format) => {
    // Most numbers are plain; the formatter is slow.
    if (format === 0 && Number.isInteger(value) && Math.abs(value) < PLAIN)
      return { text: `${value}`, value, type: 'number' };
    const kind = kinds.get(format) ?? kindOf(format);
    kinds.set(format, kind);
    const date = kind.type === 'date' ? dateIn(value, kind, date1904) : undefined;
    const text = formatText(value, kind, date1904) ?? date ?? String(value);
    if (kind.type === 'date')
      return date === undefined ? { text, value, type: 'number' } : { text, value: date, type: 'date' };
    const cell: SheetCell = { text, value, type: kind.type };
    return kind.type === 'currency' && kind.currency !== undefined ? { ...cell, currency: kind.currency } : cell;
  };
}

function kindOf(format: string | number): FormatKind {
  if (typeof format === 'number' && BUILT_IN_CURRENCY.has(format)) return { code: format, type: 'currency' };
  if (typeof format === 'number' && isEastAsianDate(format))
    return { code: format, type: 'date', hasDate: true, hasTime: false };
  const written = typeof format === 'number' ? (SSF.get_table()[format] ?? 'General') : format;
  if (written.length > MAX_CODE_LENGTH || /^general$/i.test(written)) return { code: 'General', type: 'number' };
  // Without quoted texts, escaped characters, padding, colors and locales.
  const bare = written.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '');
  // The letters of an unquoted unit, as in `0 USD`, make no date.
  const isDate = SSF.is_date(written) && !/[#?0]/.test(bare.replaceAll(/s\]?[.,]0+/gi, ''));
  const code = typeof format === 'number' ? format : withLiterals(written, isDate);
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return { code, type: 'number' };
  if (isDate) return { code, type: 'date', ...datePartsOf(bare.split(';')[0] ?? '') };
  if (bare.includes('%')) return { code, type: 'percent', spacedPercent: /[ "]%/.test(written) };
  const currency = currencyIn(written);
  return currency ? { code, type: 'currency', ...currency } : { code, type: 'number' };
}

/** `m` means minutes beside hours or seconds, and months otherwise. */
function datePartsOf(code: string): DateParts {
  const hasTime = /[hs]/i.test(code.replaceAll(/am\/pm|a\/p/gi, ''));
  return { hasDate: /[ydeg]/i.test(code) || !hasTime, hasTime };
}

const KEPT_IN_DATE = /[ymdhsapgeb/:,;@ 0-]/i;
const KEPT_IN_NUMBER = /[0#?.,%$\-+/():!^&'~{}<>= ;@€]/;

/**
 * Escapes literal characters. Programs show `dd.mm.yyyy` and `0 zł` as they stand, but the formatter refuses
 * unescaped dots and letters.
 */
function withLiterals(code: string, isDate: boolean): string {
  return code.replaceAll(/(?: |\\ |" *")%|"[^"]*"?|[\\_*].?|\[[^\]]*\]?|General|E[+-]|./gis, (token, at: number) => {
    // A space in front of the sign is refused, too; `formatText` puts it back.
    if (token.length > 1 && token.endsWith('%')) return '%';
    if (token.length > 1) return token;
    if (token === '.' && !(isDate && code[at + 1] !== '0')) return token;
    return (isDate ? KEPT_IN_DATE : KEPT_IN_NUMBER).test(token) ? token : `\\${token}`;
  });
}

/** An unknown format, or a date before the calendar begins, is not shown by its format. */
function formatText(value: number, { code, spacedPercent }: FormatKind, date1904: boolean): string | undefined {
  try {
    const text = SSF.format(code, value, { date1904 }).trim();
    if (text === '' || text.includes('#####')) return undefined;
    return spacedPercent ? text.replace('%', ' %') : text;
  } catch {
    return undefined;
  }
}

const pad = (number: number, length = 2): string => String(number).padStart(length, '0');
/** 29 February 1900, a day that only spreadsheets have. */
const FALSE_LEAP_DAY = 60;

function dateIn(serial: number, { hasDate, hasTime }: DateParts, date1904: boolean): string | undefined {
  const dateCode = SSF.parse_date_code(serial, { date1904 });
  if (!dateCode) return undefined;
  const time = `${pad(dateCode.H)}:${pad(dateCode.M)}:${pad(dateCode.S)}`;
  if (!hasDate && serial < 1) return time;
  if (dateCode.d === 0 || (dateCode.D === FALSE_LEAP_DAY && !date1904)) return undefined;
  const day = `${pad(dateCode.y, 4)}-${pad(dateCode.m)}-${pad(dateCode.d)}`;
  return hasTime ? `${day}T${time}` : day;
}

const CODES = new Set(Intl.supportedValuesOf('currency'));
const SIGNS: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₽': 'RUB',
  '₺': 'TRY',
  '₩': 'KRW',
  '₪': 'ILS',
  '₫': 'VND',
  '₴': 'UAH',
  R$: 'BRL',
  zł: 'PLN',
  Kč: 'CZK',
  Ft: 'HUF',
  $: 'USD',
};
/** Signs of several currencies, by the locale of the format. */
const BY_LOCALE: Record<string, string> = {
  '406': 'DKK',
  '414': 'NOK',
  '41D': 'SEK',
  '1009': 'CAD',
  C0C: 'CAD',
  C09: 'AUD',
  '1409': 'NZD',
  '1004': 'SGD',
  C04: 'HKD',
  '80A': 'MXN',
  '804': 'CNY',
};

/** Finds the currency that a number format names. A `kr` without a locale is a currency without a code. */
function currencyIn(format: string): { currency?: string } | undefined {
  const [, sign, locale = ''] = /\[\$([^\]-]+)(?:-([0-9A-F]+))?\]/i.exec(format) ?? [];
  if (sign !== undefined) {
    const isShared = /^(?:\$|¥|kr\.?)$/i.test(sign.trim());
    const currency = (isShared ? BY_LOCALE[locale.toUpperCase()] : undefined) ?? currencyCodeIn(sign);
    return definedFields({ currency });
  }
  const literals = format.replaceAll(/[_*]./g, ' ').replaceAll('\\', '');
  const currency = currencyCodeIn(literals);
  if (currency !== undefined) return { currency };
  return /\bkr\b/i.test(literals) ? {} : undefined;
}

function currencyCodeIn(text: string): string | undefined {
  const code = text.match(/(?<![\p{L}])[A-Z]{3}(?![\p{L}])/gu)?.find((word) => CODES.has(word));
  const sign = Object.keys(SIGNS).find((symbol) => text.includes(symbol));
  return code ?? (sign === undefined ? undefined : SIGNS[sign]);
}
