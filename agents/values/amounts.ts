/** Amounts of money, percentages, and numbers in the notations people use. */

import { type DocumentLocale, matchesOf, type Rule, type RuleMatch, withoutOverlaps } from './rule.ts';
import { type MarkdownCell, tablesIn } from './tables-and-pairs.ts';

/** Currencies are recognized by code, by symbol, and by words of several languages. */
export const CODES =
  'EUR|USD|GBP|CHF|JPY|CNY|CZK|DKK|SEK|NOK|PLN|HUF|RON|BGN|ISK|TRY|INR|AUD|CAD|NZD|SGD|HKD|ZAR|BRL|MXN|AED|ILS|KRW|THB|UAH|MYR|IDR|TWD|SAR|PKR|LKR|KES|NGN|VND';

/** Text recognition takes some letters of `total` for others. */
export const TOTAL_WORD = '[tjl]?[o0a]t[ao][l1i]';

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

const SIGNS_BY_CASE = new Map(Object.entries(SIGNS).map(([sign, code]) => [sign.toLowerCase(), code]));

const escapePattern = (text: string) => text.replaceAll(/[.$]/g, '\\$&');
const SIGN = Object.keys(SIGNS).map(escapePattern).join('|');

/** A code or a symbol may stand before a number. */
export const CURRENCY_BEFORE = `(?:${CODES})|${SIGN}`;
/** A word may also stand after a number. */
const CURRENCY_BEHIND = `(?:${CODES})(?![\\p{L}])|(?:${WORDS.map(([words]) => words).join('|')}|${CROWNS})(?![\\p{L}])|${SIGN}`;

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
function currencyIn(head: string): string | undefined {
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

const digits = (text: string): string => text.replaceAll(/\D/g, '');

const MAX_PLACES = 4;

/** Applies the scale. The result has at least two decimal places. */
function moneyText(plain: string, times: number): string {
  if (times === 1)
    return plain.includes('.') && (plain.split('.')[1] ?? '').length >= 2 ? plain : Number(plain).toFixed(2);
  const product = Number((Number(plain) * times).toFixed(MAX_PLACES));
  return product.toFixed(2);
}

const wordList = (words: string): string[] => words.split(' ');
type Counting = { small: string[]; tens: string[]; joined: (ten: string, unit: string) => string[] };
/** The words of each language for 1 to 19 and for 20, 30 and so on, and how it joins a ten and a unit. */
const COUNTING: readonly Counting[] = [
  {
    small: wordList(
      'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    ),
    tens: wordList('twenty thirty forty fifty sixty seventy eighty ninety'),
    joined: (ten, unit) => [`${ten}-${unit}`, `${ten} ${unit}`],
  },
  {
    small: wordList(
      'ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
    ),
    tens: wordList('zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'),
    joined: (ten, unit) => [`${unit}und${ten}`],
  },
  {
    small: wordList(
      'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
    ),
    tens: wordList('vingt trente quarante cinquante soixante'),
    joined: (ten, unit) => [`${ten}-${unit}`, `${ten} et ${unit}`],
  },
  {
    small: wordList(
      'un dos tres cuatro cinco seis siete ocho nueve diez - doce trece catorce quince dieciséis diecisiete dieciocho diecinueve',
    ),
    tens: wordList('veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'),
    joined: (ten, unit) => [ten === 'veinte' ? `veinti${unit}` : `${ten} y ${unit}`],
  },
];
/** Numbers in English, German, French and Spanish words, in lower case; the words for one are articles, too. `once` is left out, which English has as well. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...COUNTING.flatMap(({ small, tens, joined }) => [
    ...small.map((word, at): [string, number] => [word, at + 1]),
    ...tens.flatMap((ten, at): [string, number][] => [
      [ten, (at + 2) * 10],
      ...small
        .slice(0, 9)
        .flatMap((unit, more) => joined(ten, unit).map((word): [string, number] => [word, (at + 2) * 10 + more + 1])),
    ]),
  ]).filter(([word]) => word !== '-'),
  ['hundred', 100],
  ['one hundred', 100],
  ['a hundred', 100],
  ['hundert', 100],
  ['einhundert', 100],
  ['cien', 100],
]);
/** A pattern of these words, the longest first. */
export const anyWord = (words: ReadonlyMap<string, number>): string =>
  [...words.keys()].sort((a, b) => b.length - a.length).join('|');

const LARGE =
  '(?:ein)?hundert|hundred|tausend|thousand|millions?|cents?|mille|cientos?|\\p{L}{3,5}cientos|quinientos|mil|quatre|vingts?|soixante';
const FRACTION = 'komma|virgule|coma|point|halb\\p{L}*|half|demi|medio';
const MORE = `${anyWord(NUMBER_WORDS)}|${LARGE}|${FRACTION}`;
const NUMBER_BEFORE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?:${MORE})[ -]+|(?:${LARGE})[ -](?:and|und|et|y)[ -]+)$`,
  'iu',
);
const NUMBER_BEHIND = new RegExp(
  `^[ -]+(?:${MORE}|(?:and|und|et|y)[ -](?:an? |une? )?(?:${FRACTION}))(?![\\p{L}\\p{N}])`,
  'iu',
);
const PIECE = new RegExp(`(?:${MORE})(?:und)?`, 'iuy');
/** Whether a word is several numbers in words, such as `hundertfünfzig`; it is read piece by piece, without a second try. */
export function isJoinedNumber(word: string): boolean {
  let pieces = 0;
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < word.length) {
    if (!PIECE.test(word)) return false;
    pieces++;
  }
  return pieces > 1;
}

const AROUND = 40;
/** Whether a number in words is a whole one: "eighty" is a part of "one hundred and eighty", and "five" of "two point five". */
export const isWholeNumber = (text: string, start: number, end: number): boolean =>
  !NUMBER_BEFORE.test(text.slice(Math.max(0, start - AROUND), start)) &&
  !NUMBER_BEHIND.test(text.slice(end, end + AROUND));

const SPACE = '[ \\u00a0\\u202f]';
const SCALES: readonly [pattern: string, times: number][] = [
  ['thousand|tausend|tsd\\.|k', 1e3],
  ['millions?|millionen|mio\\.?|milli?ones|milioni|milione|miljoen|miljoner|m|mn', 1e6],
  ['billions?|milliarden|milliards?|mrd\\.?|miljard|bn', 1e9],
];
export const SCALE = SCALES.map(([pattern]) => pattern).join('|');
const OF = `(?:d['’]|de |di |of )?`;

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

const READERS = SCALES.map(([pattern, times]): [RegExp, number] => [new RegExp(`^(?:${pattern})$`, 'iu'), times]);
export const timesOf = (scale = ''): number => READERS.find(([pattern]) => pattern.test(scale))?.[1] ?? 1;

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

const WORD = 'per ?cent|prozent|pour ?cent|por ?ciento|por ?cento|per ?cento|procent|v\\. ?H\\.|pct\\.?';
const IN_TEXT = new RegExp(
  `(?<![\\p{L}\\d.,-])(?<sign>[-−])?(?:(?<number>${NUMBER})|(?<word>${anyWord(NUMBER_WORDS)}))(?:[ \\u00a0\\u202f]?%|[ \\u00a0-](?:${WORD})(?!\\p{L}))`,
  'giu',
);
const HEAD = new RegExp(`%|\\b(?:in )?(?:${WORD})(?!\\p{L})`, 'iu');
const PERCENT_CELL = new RegExp(`^[-−]?(?:${NUMBER})$`, 'u');

/** Finds percentages and writes them as `7.9%`. */
export const percentages: Rule = (text) =>
  withoutOverlaps([
    ...matchesOf(IN_TEXT, text, ({ sign, number, word = '' }, { index, 0: written }) => {
      if (word !== '' && !isWholeNumber(text, index, index + written.length)) return undefined;
      const plain = number === undefined ? NUMBER_WORDS.get(word.toLowerCase())?.toString() : plainShare(number);
      return plain === undefined ? undefined : shareOf(plain, sign !== undefined);
    }),
    ...percentagesInColumns(text),
  ]);

/** A separator before three digits is a decimal point here: percentages are not written with thousands separators. */
const plainShare = (number: string): string | undefined =>
  /^\d+[.,]\d+$/.test(number) ? number.replace(',', '.') : plainNumber(number);

const shareOf = (plain: string, isLess: boolean) => ({ value: `${isLess ? '-' : ''}${Number(plain)}%` });

const percentagesInColumns = (text: string): RuleMatch[] =>
  tablesIn(text).flatMap(({ head, rows }) => {
    const isShare = head.cells.map((cell) => HEAD.test(cell.text));
    return rows.flatMap(({ cells }) =>
      cells.flatMap(({ text: cell, start, end }, at): RuleMatch[] => {
        const plain = isShare[at] && PERCENT_CELL.test(cell) ? plainShare(cell.replace(/^[-−]/, '')) : undefined;
        return plain === undefined ? [] : [{ start, end, ...shareOf(plain, /^[-−]/.test(cell)) }];
      }),
    );
  });
