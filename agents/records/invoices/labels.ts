/** The labels of invoices and receipts, and the kind of value that each names. The words stand in `labels.json`. */

import { TOTAL_WORD } from '../../values/amounts.ts';
import { CODES } from '../../values/currencies.ts';
import { phrasesIn, phrasesPattern } from '../../values/phrases.ts';
import LABELS from './labels.json' with { type: 'json' };

/** What an amount of money is called. `paid`, `change` and `rounding` only prove a total. */
export type MoneyKind = 'total' | 'due' | 'subtotal' | 'tax' | 'rounding' | 'paid' | 'deposit' | 'change' | 'other';
/** The kind of a date that is neither the one of issue nor the one until when to pay is `other`. */
export type DateKind = 'issue' | 'due' | 'other';

type Label<Kind> = { kind: Kind; weight: number; words: RegExp };

/** Text recognition joins the word with the currency. */
const LISTS = { words: LABELS.words, patterns: { total: `(?:${TOTAL_WORD})(?:${CODES})?`, count: '\\d{1,2}' } };

const compileLabels = <Kind extends string>(groups: readonly { kind: string; weight: number; labels: string[] }[]) =>
  groups.map(
    ({ kind, weight, labels }): Label<Kind> => ({
      kind: kind as Kind,
      weight,
      words: phrasesIn(labels, LISTS),
    }),
  );

/** Labels are tried from the top; the first that matches tells the kind. */
const MONEY = compileLabels<MoneyKind>(LABELS.money);
const DATES = compileLabels<DateKind>(LABELS.dates);

/** Marks are spaces in a label. */
const plain = (text: string): string => text.replaceAll(/[^\p{L}\d]+/gu, ' ').trim();

const MAX_LABEL = 120;

const labelIn = <Kind>(labels: readonly Label<Kind>[], text: string): Label<Kind> | undefined => {
  const words = plain(text.slice(-MAX_LABEL));
  return labels.find((label) => label.words.test(words));
};

export const moneyKindOf = (text: string): Label<MoneyKind> | undefined => labelIn(MONEY, text);
export const dateKindOf = (text: string): Label<DateKind> | undefined => labelIn(DATES, text);

const { number, invoice, 'invoice in short': inShort, 'other document': otherDocument } = LABELS.numbers;
const NUMBER = phrasesPattern(number);
/** What an invoice or a credit note is called. */
export const INVOICE_NAMES = phrasesPattern(invoice);

/** A label for the number of an invoice or a credit note, and with less weight of another document of sale. */
export const NUMBER_LABELS: readonly { weight: number; words: string }[] = [
  { weight: 3, words: `${INVOICE_NAMES}[ -]{0,2}(?:\\([\\p{L}\\d]{1,6}\\) ?)?${NUMBER}\\.?` },
  { weight: 3, words: `${INVOICE_NAMES}s?(?:nummer|nr\\.?)` },
  { weight: 3, words: `${NUMBER}\\.? (?:de |del |della |of )?(?:the |la )?${INVOICE_NAMES}` },
  { weight: 2, words: `${phrasesPattern(otherDocument)}[ .-]{0,2}${NUMBER}\\.?` },
  { weight: 3, words: `${phrasesPattern(inShort)}[.-]{0,2} ?nr\\.?` },
  { weight: 1.5, words: INVOICE_NAMES },
];

/** A table of taxes names the same words again, but for parts of the total. */
export const TAX_SUMMARY = phrasesIn(LABELS['tax summary']);
/** The end of a text that names what follows as the currency. */
export const CURRENCY_LABEL = new RegExp(
  `(?<!\\p{L})${phrasesPattern(LABELS.currency)}\\s{0,40}[:|.]?\\s{0,40}$`,
  'iu',
);
/** An amount that stands between the net and the gross amount beside the tax. */
export const BETWEEN_NET_AND_GROSS = new RegExp(
  `(?<!\\p{L})${phrasesPattern(LABELS['between net and gross'])}(?!\\p{L})[^\\n]*\\d`,
  'iu',
);
