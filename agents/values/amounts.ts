/** Amounts of money, and numbers in the notations people use. */

import { CURRENCY_BEFORE, CURRENCY_BEHIND, currencyIn, currencyOf } from './currencies.ts';
import { matchesOf, type Rule, type RuleMatch, withoutOverlaps } from './rule.ts';
import { type MarkdownCell, tablesIn } from './tables.ts';

/** Text recognition takes some letters of `total` for others. */
export const TOTAL_WORD = '[tjl]?[o0a]t[ao][l1i]';

/**
 * Digits with separators between them, such as 1,234.56, 1.234,56, 1 234,56 and 1'234.56; never ends with a separator.
 */
export const NUMBER = "\\d{1,3}(?:[\\u00a0\\u202f ]\\d{3})+(?:[.,]\\d{1,4})?(?!\\d)|\\d+(?:[.,'’]\\d+)*";

const THREES = /^\d{1,3}(?:[.,'’]\d{2,3})*[.,'’]\d{3}$/;

/** Returns a plain decimal, or undefined for text that is not a number, such as 1.2.3. */
export function plainNumber(written: string): string | undefined {
  const text = written.replaceAll(/[\u00a0\u202f ]/g, '');
  const marks = text.match(/[.,'’]/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined) return text;
  const [whole, tail] = [text.slice(0, text.lastIndexOf(last)), text.slice(text.lastIndexOf(last) + 1)];
  const earlierMarks = marks.slice(0, -1);
  // A single kind of separator before three digits separates thousands, unless the number begins with a zero.
  const groups = earlierMarks.every((mark) => mark === last) && THREES.test(text) && !/^0/.test(text);
  if (groups) return digits(text);
  const isParted =
    earlierMarks.length === 0 ||
    (earlierMarks.every((mark) => mark === earlierMarks[0] && mark !== last) && THREES.test(whole));
  return isParted && /[.,]/.test(last) ? `${digits(whole)}.${tail}` : undefined;
}

const SCALES: readonly [pattern: string, times: number][] = [
  ['thousand|tausend|tsd\\.|k', 1e3],
  ['millions?|millionen|mio\\.?|milli?ones|milioni|milione|miljoen|miljoner|m|mn', 1e6],
  ['billions?|milliarden|milliards?|mrd\\.?|miljard|bn', 1e9],
];
export const SCALE = SCALES.map(([pattern]) => pattern).join('|');
const OF = `(?:d['’]|de |di |of )?`;

const SPACE = '[ \\u00a0\\u202f]';

const BEFORE = new RegExp(
  `(?<![\\p{L}\\d])(?<sign>[-−])?(?<currency>${CURRENCY_BEFORE})${SPACE}?(?<inner>[-−])?(?<number>${NUMBER})(?:[.,][-–]+)?(?:${SPACE}?(?<scale>${SCALE})(?!\\p{L}))?`,
  'giu',
);
const BEHIND = new RegExp(
  `(?<![\\p{L}\\d.,/'’-])(?<sign>[-−])?(?<number>${NUMBER})(?:,[-–]+)?(?:${SPACE}?(?<scale>${SCALE})(?!\\p{L}))?${SPACE}?${OF}(?<currency>${CURRENCY_BEHIND})`,
  'giu',
);

/** Finds amounts of money: a number next to a currency, or in a column whose header names money. */
export const amounts: Rule = (text, { crowns }) => {
  const readAmount = (groups: Record<string, string | undefined>) => {
    const { sign, inner, number = '', scale, currency = '' } = groups;
    return amountOf(number, { isLess: (sign ?? inner) !== undefined, scale, currency: currencyOf(currency, crowns) });
  };
  return withoutOverlaps([
    ...matchesOf(BEFORE, text, readAmount),
    ...matchesOf(BEHIND, text, readAmount),
    ...inColumns(text, crowns),
  ]);
};

const READERS = SCALES.map(([pattern, times]): [RegExp, number] => [new RegExp(`^(?:${pattern})$`, 'iu'), times]);
export const timesOf = (scale = ''): number => READERS.find(([pattern]) => pattern.test(scale))?.[1] ?? 1;

const digits = (text: string): string => text.replaceAll(/\D/g, '');

const MAX_PLACES = 4;

/** Applies the scale. The result has at least two decimal places. */
function moneyText(plain: string, times: number): string {
  if (times === 1)
    return plain.includes('.') && (plain.split('.')[1] ?? '').length >= 2 ? plain : Number(plain).toFixed(2);
  const product = Number((Number(plain) * times).toFixed(MAX_PLACES));
  return product.toFixed(2);
}

type AmountDetails = { isLess: boolean; scale: string | undefined; currency: string | undefined };

function amountOf(
  number: string,
  { isLess, scale, currency }: AmountDetails,
): Pick<RuleMatch, 'value' | 'more'> | undefined {
  const plain = plainNumber(number);
  if (plain === undefined) return undefined;
  const amount = `${isLess ? '-' : ''}${moneyText(plain, timesOf(scale))}`;
  return {
    value: currency === undefined ? amount : `${currency} ${amount}`,
    more: { amount, currency: currency ?? null },
  };
}

const MONEY_HEAD =
  /\b(?:amount|price|total|subtotal|cost|fee|net|gross|budget|spent|salary|rent|balance|debit|credit|paid|due|turnover|revenue|expected|betrag|preis|gesamt|summe|netto|brutto|einzelpreis|gesamtpreis|montant|prix|importe|precio|importo|prezzo|bedrag|prijs|umsatz|belopp|pris|kwota|cena)\b/iu;
const CELL = new RegExp(`^(?<sign>[-−])?(?<number>${NUMBER})$`, 'u');
/** If the header names no currency, only numbers with cents are money: a column called Total may count anything. */
const CENTS = /[.,]\d\d$/;

type Column = { currency: string | undefined; isMoney: boolean };

function inColumns(text: string, crowns: string | undefined): RuleMatch[] {
  return tablesIn(text).flatMap(({ head, rows }) => {
    const columns = head.cells.map(
      ({ text: name }): Column => ({
        currency: currencyIn(name) ?? crownsOf(name, crowns),
        isMoney: MONEY_HEAD.test(name),
      }),
    );
    return rows.flatMap(({ cells }) => cells.flatMap((cell, at) => inCell(cell, columns[at])));
  });
}

function inCell({ text, start, end }: MarkdownCell, column: Column | undefined): RuleMatch[] {
  const isMoney = column !== undefined && (column.currency !== undefined || (column.isMoney && CENTS.test(text)));
  const { sign, number } = (isMoney && CELL.exec(text)?.groups) || {};
  const details = { isLess: sign !== undefined, scale: undefined, currency: column?.currency };
  const amount = number === undefined ? undefined : amountOf(number, details);
  return amount ? [{ start, end, ...amount }] : [];
}

const crownsOf = (head: string, crowns: string | undefined) => (/\bcrowns?\b/i.test(head) ? crowns : undefined);
