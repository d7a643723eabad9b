/** Amounts of money: a number beside a currency, or in a column whose head tells that it holds money. */
import { CURRENCY_BEFORE, CURRENCY_BEHIND, currencyIn, currencyOf } from './currencies.ts';
import { type MarkdownCell, tablesIn } from './markdown-tables.ts';
import { apart, matchesOf, type Rule, type RuleMatch } from './match.ts';
import { money, NUMBER, plainNumber } from './numbers.ts';

const SPACE = '[ \\u00a0\\u202f]';
const SCALES: readonly [pattern: string, times: number][] = [
  ['thousand|tausend|tsd\\.|k', 1e3],
  ['millions?|millionen|mio\\.?|milli?ones|milioni|milione|miljoen|miljoner|m|mn', 1e6],
  ['billions?|milliarden|milliards?|mrd\\.?|miljard|bn', 1e9],
];
const SCALE = SCALES.map(([pattern]) => pattern).join('|');
const OF = `(?:d['’]|de |di |of )?`;

const BEFORE = new RegExp(
  `(?<![\\p{L}\\d])(?<sign>[-−])?(?<currency>${CURRENCY_BEFORE})${SPACE}?(?<inner>[-−])?(?<number>${NUMBER})(?:[.,][-–]+)?(?:${SPACE}?(?<scale>${SCALE})(?!\\p{L}))?`,
  'giu',
);
const BEHIND = new RegExp(
  `(?<![\\p{L}\\d.,/'’-])(?<sign>[-−])?(?<number>${NUMBER})(?:,[-–]+)?(?:${SPACE}?(?<scale>${SCALE})(?!\\p{L}))?${SPACE}?${OF}(?<currency>${CURRENCY_BEHIND})`,
  'giu',
);

export const amounts: Rule = (text, { crowns }) => {
  const read = (groups: Record<string, string | undefined>) => {
    const { sign, inner, number = '', scale, currency = '' } = groups;
    return amountOf(number, { isLess: (sign ?? inner) !== undefined, scale, currency: currencyOf(currency, crowns) });
  };
  return apart([...matchesOf(BEFORE, text, read), ...matchesOf(BEHIND, text, read), ...inColumns(text, crowns)]);
};

type Known = { isLess: boolean; scale: string | undefined; currency: string | undefined };

function amountOf(number: string, { isLess, scale, currency }: Known): Pick<RuleMatch, 'value' | 'more'> | undefined {
  const plain = plainNumber(number);
  if (plain === undefined) return undefined;
  const amount = `${isLess ? '-' : ''}${money(plain, timesOf(scale))}`;
  return {
    value: currency === undefined ? amount : `${currency} ${amount}`,
    more: { amount, currency: currency ?? null },
  };
}

const READERS = SCALES.map(([pattern, times]): [RegExp, number] => [new RegExp(`^(?:${pattern})$`, 'iu'), times]);
const timesOf = (scale = ''): number => READERS.find(([pattern]) => pattern.test(scale))?.[1] ?? 1;

const MONEY_HEAD =
  /\b(?:amount|price|total|subtotal|cost|fee|net|gross|budget|spent|salary|rent|balance|debit|credit|paid|due|turnover|revenue|expected|betrag|preis|gesamt|summe|netto|brutto|einzelpreis|gesamtpreis|montant|prix|importe|precio|importo|prezzo|bedrag|prijs|umsatz|belopp|pris|kwota|cena)\b/iu;
const CELL = new RegExp(`^(?<sign>[-−])?(?<number>${NUMBER})$`, 'u');
/** Without a currency in its head only what is written with cents is money: a column called Total may count heads. */
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
  const known = { isLess: sign !== undefined, scale: undefined, currency: column?.currency };
  const amount = number === undefined ? undefined : amountOf(number, known);
  return amount ? [{ start, end, ...amount }] : [];
}

const crownsOf = (head: string, crowns: string | undefined) => (/\bcrowns?\b/i.test(head) ? crowns : undefined);
