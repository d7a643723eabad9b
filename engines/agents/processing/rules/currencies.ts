/** What stands for a currency: codes, signs, and words of several languages. */

const CODES =
  'EUR|USD|GBP|CHF|JPY|CNY|CZK|DKK|SEK|NOK|PLN|HUF|RON|BGN|ISK|TRY|INR|AUD|CAD|NZD|SGD|HKD|ZAR|BRL|MXN|AED|ILS|KRW|THB|UAH';

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
  '₺': 'TRY',
  zł: 'PLN',
  Kč: 'CZK',
  'Fr.': 'CHF',
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
/** Whose they are, only the document can tell. */
const CROWNS = 'crowns?|kr\\.?|kroner|kronen';

const escaped = (text: string) => text.replaceAll(/[.$]/g, '\\$&');
const SIGN = Object.keys(SIGNS).map(escaped).join('|');

/** Before a number: a code or a sign. */
export const CURRENCY_BEFORE = `(?:${CODES})|${SIGN}`;
/** Behind one: a word, too. */
export const CURRENCY_BEHIND = `(?:${CODES})(?![\\p{L}])|(?:${WORDS.map(([words]) => words).join('|')}|${CROWNS})(?![\\p{L}])|${SIGN}`;

const CURRENCY_READERS = WORDS.map(([words, code]): [RegExp, string] => [new RegExp(`^(?:${words})$`, 'iu'), code]);
const CODE = new RegExp(`^(?:${CODES})$`);
const CROWN = new RegExp(`^(?:${CROWNS})$`, 'iu');

/** Undefined when it could be one of several. */
export function currencyOf(written: string, crowns: string | undefined): string | undefined {
  if (CODE.test(written.toUpperCase())) return written.toUpperCase();
  if (CROWN.test(written)) return crowns;
  return SIGNS[written] ?? CURRENCY_READERS.find(([pattern]) => pattern.test(written))?.[1];
}

const TELLING =
  /\b(?:czech crowns?|CZK|Kč)|\b(?:danish (?:crowns?|kroner)|DKK)|\b(?:swedish (?:crowns?|kronor)|SEK)|\b(?:norwegian (?:crowns?|kroner)|NOK)/i;

export function crownsIn(text: string): string | undefined {
  const told = TELLING.exec(text)?.[0].toLowerCase();
  if (!told) return undefined;
  return told.startsWith('c') || told.startsWith('k')
    ? 'CZK'
    : told.startsWith('d')
      ? 'DKK'
      : told.startsWith('s')
        ? 'SEK'
        : 'NOK';
}

const IN_HEAD = new RegExp(
  `(?<![\\p{L}])(?:${CODES}|${WORDS.map(([words]) => words).join('|')})(?![\\p{L}])|[€£¥₹]|US\\$|\\$`,
  'iu',
);

/** The currency that the head of a column names. */
export function currencyIn(head: string): string | undefined {
  const found = IN_HEAD.exec(head)?.[0];
  return found === undefined ? undefined : currencyOf(found, undefined);
}
