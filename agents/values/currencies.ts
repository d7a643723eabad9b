/** Currencies by code, by symbol, and by words of several languages. */

import type { DocumentLocale } from './rule.ts';

/** Currencies are recognized by code, by symbol, and by words of several languages. */
export const CODES =
  'EUR|USD|GBP|CHF|JPY|CNY|CZK|DKK|SEK|NOK|PLN|HUF|RON|BGN|ISK|TRY|INR|AUD|CAD|NZD|SGD|HKD|ZAR|BRL|MXN|AED|ILS|KRW|THB|UAH|MYR|IDR|TWD|SAR|PKR|LKR|KES|NGN|VND';

const SIGNS: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  US$: 'USD',
  CA$: 'CAD',
  A$: 'AUD',
  R$: 'BRL',
  $: 'USD',
  '¥': 'JPY',
  '₹': 'INR',
  円: 'JPY',
  '₩': 'KRW',
  '₫': 'VND',
  '฿': 'THB',
  '₴': 'UAH',
  '₺': 'TRY',
  zł: 'PLN',
  Kč: 'CZK',
  'Fr.': 'CHF',
  'Rs.': 'INR',
  Rs: 'INR',
  RM: 'MYR',
};

const escapePattern = (text: string) => text.replaceAll(/[.$]/g, '\\$&');
const SIGN = Object.keys(SIGNS).map(escapePattern).join('|');

/** A code or a symbol may stand before a number. */
export const CURRENCY_BEFORE = `(?:${CODES})|${SIGN}`;

const WORDS: readonly [pattern: string, code: string][] = [
  ['euros?|eur', 'EUR'],
  ['pounds? sterling|pounds?|quid', 'GBP'],
  ['canadian dollars?', 'CAD'],
  ['australian dollars?', 'AUD'],
  ['(?:us |u\\.s\\. )?dollars?|dólares|dollaros', 'USD'],
  ['swiss francs?|schweizer franken|franken|francs suisses|franchi svizzeri', 'CHF'],
  ['czech crowns?|korun', 'CZK'],
  ['danish (?:crowns?|kroner)', 'DKK'],
  ['swedish (?:crowns?|kronor)|kronor', 'SEK'],
  ['norwegian (?:crowns?|kroner)', 'NOK'],
  ['z[łl]otys?|złotych', 'PLN'],
  ['yen', 'JPY'],
  ['indian rupees?|rupees?', 'INR'],
];
/** Only the document can tell which currency these are. */
const CROWNS = 'crowns?|kr\\.?|kroner|kronen';

/** A word may also stand after a number. */
export const CURRENCY_BEHIND = `(?:${CODES})(?![\\p{L}])|(?:${WORDS.map(([words]) => words).join('|')}|${CROWNS})(?![\\p{L}])|${SIGN}`;

const CURRENCY_READERS = WORDS.map(([words, code]): [RegExp, string] => [new RegExp(`^(?:${words})$`, 'iu'), code]);
const CODE = new RegExp(`^(?:${CODES})$`);
const CROWN = new RegExp(`^(?:${CROWNS})$`, 'iu');

/** Returns undefined if the currency is ambiguous. */
export function currencyOf(written: string, crowns: string | undefined): string | undefined {
  if (CODE.test(written.toUpperCase())) return written.toUpperCase();
  if (CROWN.test(written)) return crowns;
  return SIGNS_BY_CASE.get(written.toLowerCase()) ?? CURRENCY_READERS.find(([pattern]) => pattern.test(written))?.[1];
}

const TELLING =
  /\b(?:czech crowns?|CZK|Kč)|\b(?:danish (?:crowns?|kroner)|DKK)|\b(?:swedish (?:crowns?|kronor)|SEK)|\b(?:norwegian (?:crowns?|kroner)|NOK)/i;

export function crownsIn(text: string): string | undefined {
  const currency = TELLING.exec(text)?.[0].toLowerCase();
  if (!currency) return undefined;
  return currency.startsWith('c') || currency.startsWith('k')
    ? 'CZK'
    : currency.startsWith('d')
      ? 'DKK'
      : currency.startsWith('s')
        ? 'SEK'
        : 'NOK';
}

const IN_HEAD = new RegExp(
  `(?<![\\p{L}])(?:${CODES}|${WORDS.map(([words]) => words).join('|')})(?![\\p{L}])|[€£¥₹]|US\\$|\\$`,
  'iu',
);

/** Returns the currency that a column header names. */
export function currencyIn(head: string): string | undefined {
  const mark = IN_HEAD.exec(head)?.[0];
  return mark === undefined ? undefined : currencyOf(mark, undefined);
}

const ALL_IN_TEXT = new RegExp(IN_HEAD.source, 'giu');

/** All currencies that a text names, once each. A code in lower case may be a word, such as `try`. */
export function currenciesIn(text: string, { crowns }: DocumentLocale): string[] {
  const mentions = text.match(ALL_IN_TEXT) ?? [];
  const written = mentions.filter((mention) => !CODE.test(mention.toUpperCase()) || CODE.test(mention));
  return [...new Set(written.flatMap((mention) => currencyOf(mention, crowns) ?? []))];
}

const SIGNS_BY_CASE = new Map(Object.entries(SIGNS).map(([sign, code]) => [sign.toLowerCase(), code]));
