/** Finds the columns that a question means in other words: `hp` for horsepower, `mpg` for miles per gallon, an amount for money. */

import { synonymsOf } from '../synonyms.ts';
import { FIGURE_STOP_WORDS, fold, QUESTION_WORDS, stem, wordsOf } from '../words.ts';
import { type AskedTable, type Column, columnText, type Filter } from './figure-statement.ts';
import { dimensionOf, type FigureKind, type FigureRequest, NEUTRAL, type OpenText } from './figure-words.ts';
import {
  type ColumnValue,
  contentWords,
  isAlike,
  namedColumn,
  numbersOf,
  ownValues,
  spaced,
  valueFilter,
} from './match-columns.ts';

type Word = { text: string; at: number; end: number };
/** The words of the question and the heading that they are read as. */
type ReadAs = { said: string; heading: string };

const isContent = ({ text }: Word): boolean =>
  text.length > 1 && !FIGURE_STOP_WORDS.has(text) && !QUESTION_WORDS.has(text) && !/\d/.test(text);
const isFree = (word: Word): boolean => isContent(word) && !NEUTRAL.has(stem(word.text));

/** The letters in order, without vowels but the first: `wght` of weight. */
const SKELETON = /^\p{L}[^aeiou]+$/u;
function isSkeleton(short: string, long: string): boolean {
  if (!SKELETON.test(short) || short.length < 2 || long.length < short.length + 2 || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of short) {
    at = long.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

const MIN_PREFIX = 3;
const isPrefix = (short: string, long: string, min = MIN_PREFIX): boolean =>
  short.length >= min && long.length > short.length && long.startsWith(short);

type Span = { from: number; to: number };

/** The words that each part of a heading begins or shortens, one after the other; small words may stand between them. */
function partsSpan(parts: readonly string[], words: readonly Word[], first: number): Span | undefined {
  let at = first;
  let short = 0;
  for (const part of parts) {
    while (at > first && at < words.length && !isContent(words[at] as Word) && words[at]?.text !== part) at++;
    const word = words[at]?.text ?? '';
    if (!isAlike(stem(word), stem(part))) {
      if (!isPrefix(part, word, 2) && !isSkeleton(part, word)) return undefined;
      short++;
    }
    at++;
  }
  return short === 0 ? undefined : { from: first, to: at - 1 };
}

/** One short word for one or two words of the question, or for the first letters of several. */
function wordSpan(short: string, words: readonly Word[], first: number): Span | undefined {
  const word = words[first] as Word;
  const next = words[first + 1];
  const initials = words.slice(first, first + short.length).map(({ text }) => text[0]);
  if (short.length > 2 && initials.join('') === short) return { from: first, to: first + short.length - 1 };
  if (!isFree(word)) return undefined;
  if (next && isContent(next) && isGlued(short, word.text, next.text)) return { from: first, to: first + 1 };
  return isPrefix(short, word.text) || isSkeleton(short, word.text) ? { from: first, to: first } : undefined;
}

/** `libprice` is "library price", `tsize` "tumor size", and `airco` "air conditioning". */
function isGlued(short: string, first: string, second: string): boolean {
  if (short.length > first.length + 1 && isPrefix(short, first + second)) return true;
  for (let length = 1; length <= short.length - 3; length++) {
    const tail = short.slice(length);
    if (
      first.startsWith(short.slice(0, length)) &&
      (isAlike(stem(tail), stem(second)) || (tail.length > 2 && isSkeleton(tail, second)))
    )
      return true;
  }
  return false;
}

const wordsAt = (text: string): Word[] =>
  Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index }) => ({
    text: word,
    at: index,
    end: index + word.length,
  }));

const isSynonym = (one: string, other: string): boolean => synonymsOf(one).has(other) || synonymsOf(other).has(one);

const MAX_COLUMNS = 100;

/** The question with the words of the headings that it names otherwise. Words that fit two headings stay. */
export function spellOut(question: string, columns: readonly Column[]): { text: string; read: ReadAs[] } {
  const folded = fold(question.normalize('NFC'));
  const words = wordsAt(folded);
  const headings = columns.slice(0, MAX_COLUMNS).flatMap(({ heading }) => {
    const parts = wordsOf(spaced(heading));
    return parts.length === 0 ? [] : [{ heading, parts }];
  });
  const isHeading = (word: Word) =>
    headings.some(({ parts }) => parts.some((part) => isAlike(stem(word.text), stem(part))));
  const known = words.map((word) => isContent(word) && isHeading(word));
  const spans = headings.flatMap(({ heading, parts }) =>
    words.flatMap((_, first) => {
      const span =
        parts.length > 1
          ? partsSpan(parts, words, first)
          : known[first]
            ? undefined
            : wordSpan(parts[0] ?? '', words, first);
      return span ? [{ ...span, heading, parts }] : [];
    }),
  );
  const others = headings.flatMap(({ heading, parts }) =>
    words.flatMap((word, at) => {
      const isMeant =
        parts.length === 1 && !known[at] && isFree(word) && isSynonym(stem(word.text), stem(parts[0] ?? ''));
      return isMeant ? [{ from: at, to: at, heading, parts }] : [];
    }),
  );
  const chosen = apart(apart(spans).length > 0 ? spans : others);
  let text = folded;
  for (const { from, to, parts } of chosen.toSorted((a, b) => b.from - a.from))
    text = `${text.slice(0, words[from]?.at)}${parts.join(' ')}${text.slice(words[to]?.end)}`;
  const said = ({ from, to }: Span) => question.slice(words[from]?.at, words[to]?.end);
  return { text, read: chosen.map((one) => ({ said: said(one), heading: one.heading })) };
}

/** The longest spans; two headings for the same words are none. */
function apart<One extends Span & { heading: string }>(all: readonly One[]): One[] {
  const meets = (one: One, other: One) => one.from <= other.to && other.from <= one.to;
  const size = ({ from, to }: One) => to - from;
  return all.filter((one) => all.every((other) => other === one || !meets(one, other) || size(one) > size(other)));
}

/** Headings of the days on which something began. */
export const STARTED =
  /start|begin|join|hire|entry|since|eintritt|seit|beginn|d[ée]but|entr[ée]e|embauche|inicio|alta/i;
/** What is said of days, and what their columns are called. */
const EVENTS: [RegExp, RegExp][] = [
  [
    /(?<!\p{L})(?:joined|hired|recruited|start(?:s|ed|ing)?|beg[iau]ns?|eingestellt|angefangen|beginn\p{L}*|embauche\p{L}*|commenc\p{L}*|contratad\p{L}*|empez\p{L}*)(?!\p{L})/u,
    STARTED,
  ],
  [
    /(?<!\p{L})(?:end(?:s|ed|ing)?|finish\p{L}*|expire[sd]?|complet\p{L}*|ende[nt]?|endet|lauft ab|se termine\p{L}*|termin\p{L}*|acab\p{L}*)(?!\p{L})/u,
    /end|finish|expir|complet|ende|ablauf|fin(?!\p{L})|[ée]ch[ée]ance|vencim/iu,
  ],
  [/(?<!\p{L})(?:due|fallig\p{L}*|vence\p{L}*)(?!\p{L})/u, /due|f[äa]llig|[ée]ch[ée]ance|venc/i],
];

/** The only one, the one that the question names or tells what happened on it, or the one that says no more than "Date". */
export function dayColumn(days: readonly Column[], open: OpenText): Column | undefined | 'unclear' {
  const event = EVENTS.find(([said]) => said.test(open.text));
  const [happened, another] = event ? days.filter(({ heading }) => event[1].test(heading)) : [];
  if (event && happened && !another) {
    open.take(event[0]);
    return happened;
  }
  if (days.length <= 1) return days[0];
  const plain = days.filter(({ heading }) => /^(?:date|datum|fecha)$/i.test(heading.trim()));
  return namedColumn(days, contentWords(open.text)) ?? (plain.length === 1 ? plain[0] : undefined);
}

const ON_HAND =
  /(?<!\p{L})(?:stock|on hand|in stock|available|quantity|qty|bestand|lagerbestand|menge|stock actuel|existencias)(?!\p{L})/iu;
type Keyed = { open: OpenText; table: AskedTable; values: readonly ColumnValue[] };
type Measured = { open: OpenText; table: AskedTable; request: FigureRequest };

/** Headings of percentages. */
const PERCENT = /%|(?<!\p{L})(?:pct|percent\w*|prozent|pourcent\w*|porcentaje)(?!\p{L})/iu;
const MONEY =
  /(?:price|cost|amount|fee|total|revenue|turnover|salary|value|preis|kosten|betrag|umsatz|gehalt|prix|montant|salaire|importe|precio|coste|eur\b|usd\b|gbp\b|[$€£])/i;
/** The price of one piece and a limit are not added up. */
const OF_EACH =
  /(?<!\p{L})(?:unit|each|per|limit|rate|balance|saldo|solde|min|max|einzel\p{L}*|st(?:ü|ue)ck\p{L}*|unitaire|unitario|(?:list ?)?price|preis|prix|precio)(?!\p{L})/iu;
/** The one column of money, of one piece or of the whole; of what is in stock; of percentages. */
export function columnOf(of: 'each' | 'whole' | 'stock' | 'percent', numbers: readonly Column[]): Column | undefined {
  if (of === 'stock') return only(numbers.filter(({ heading }) => ON_HAND.test(spaced(heading))));
  if (of === 'percent') return only(numbers.filter(({ heading }) => PERCENT.test(spaced(heading))));
  const priced = numbers.filter(({ heading }) => MONEY.test(heading) || heading === '');
  const fitting = priced.filter(({ heading }) => OF_EACH.test(spaced(heading)) === (of === 'each'));
  return only(fitting.length > 0 ? fitting : priced);
}
const only = ([column, another]: readonly Column[]): Column | undefined => (another ? undefined : column);
const isOfEach = ({ heading }: Column): boolean =>
  OF_EACH.test(spaced(heading)) || PERCENT.test(spaced(heading)) || NOT_ADDED.test(spaced(heading));
const NOT_ADDED =
  /(?<!\p{L})(?:age|score|rating|satisfaction|temp|temperature|level|alter|note|edad|bewertung)(?!\p{L})/iu;

/** Words for money that need not stand in a heading. */
const OF_MONEY =
  /(?<!\p{L})(?:sold|vendi(?:o|do|eron)|value|money|bring in|chiffre d['’]affaires|worth|sales|payroll|wert|valeur|valor|earns?|earning|verdien(?:en|t|te)|gana|ganan|gagnent?|expensive|cheap\w*|dear(?:er|est)?|cost|costs|spent|spend|paid|pay|earned|money|salary|wages?|revenue|turnover|teuer\w*|gunstig\w*|umsatz|kosten|ausgegeben|bezahlt|gehalt|cher|chere|couts?|depense|paye|salaire|caro|cara|gastado|gasto|pagado|pago|pagaron|salario|coste)(?!\p{L})/u;
/** The column of numbers that the question names best, or the only one. A count needs none. */
export function measureOf({ open, table, request }: Measured): Column | undefined | 'unclear' {
  const { kind, asked, rest, isOfDays } = request;
  const numbers = isOfDays ? table.columns.filter(({ type }) => type === 'date') : numbersOf(table);
  const words = contentWords(open.text);
  const named = namedColumn(numbers, words);
  const dimension = dimensionOf(asked);
  if ((kind === 'most' || kind === 'least') && OF_ONE.test(rest))
    return dimension ? ofDimension(dimension, kind, numbers) : priceOrNone(rest, asked, numbers);
  // "The maximum load" may be the name of a column.
  if (named) return named === 'unclear' ? namedColumn(numbers, [...words, ...contentWords(asked)]) : named;
  const compound = COMPOUND.test(asked) ? namedColumn(numbers, contentWords(asked)) : undefined;
  if (compound) return compound;
  if (dimension) return ofDimension(dimension, kind, numbers);
  return priceOf({ open, request }, numbers) ?? unnamed(kind, asked, numbers);
}

function priceOf(
  { open, request: { kind, asked, rest } }: Omit<Measured, 'table'>,
  numbers: Column[],
): Column | undefined {
  const priced = columnOf(OF_PRICE.test(asked) ? 'each' : 'whole', numbers);
  // "What share of the orders is paid" is one of orders: a word that was read as a condition names no money.
  const isOfMoney = asked === 'top' || OF_PRICE.test(asked) || OF_MONEY.test(kind === 'share' ? open.text : rest);
  if (priced && isOfMoney) open.take(OF_MONEY);
  return isOfMoney ? priced : undefined;
}

/** A figure of money is the price of one piece if it is cheap or expensive, and else an amount. */
const OF_PRICE = /expensive|cheap|dearest|teuer|billig|gunstig|cher|car[oa]|barat/u;

function unnamed(kind: FigureKind, asked: string, numbers: Column[]): Column | undefined | 'unclear' {
  const isOfRows = kind === 'share' || (/^(?:compare|difference)$/.test(kind) && !MEASURED.test(asked));
  if (isOfRows) return undefined;
  const only = onlyOne(numbers);
  if (kind !== 'sum' || only === undefined) return only;
  if (only !== 'unclear') return isOfEach(only) ? 'unclear' : only;
  return /^(?:how much|wie ?viel|combien)$/.test(asked) ? (columnOf('whole', numbers) ?? 'unclear') : 'unclear';
}

/** "The price of the heaviest diamond" does not ask for the highest price. */
const OF_ONE = /(?<!\p{L})(?:of|von|der|des|du|de la|del) (?:the |le |la |el )?¤ *\p{L}/u;
function priceOrNone(rest: string, asked: string, numbers: Column[]): Column | 'unclear' {
  const behind = namedColumn(numbers, contentWords(rest.slice(OF_ONE.exec(rest)?.index)));
  if (behind) return behind;
  return OF_PRICE.test(asked) ? onlyOne(numbers.filter(({ heading }) => MONEY.test(heading))) : 'unclear';
}

const COMPOUND = /^(?:durchschnitts|gesamt)\p{L}{4,}/u;

/** "Longer" and "by how much" compare figures, where "more" may compare numbers of rows. */
const MEASURED = /(?!fewer)(?<!\p{L})\p{L}{3,}er(?!\p{L})|by how|um wie|de combien|en cuanto/u;

function ofDimension(dimension: RegExp, kind: FigureKind, numbers: Column[]): Column | 'unclear' {
  const measured = numbers.filter(({ heading }) => dimension.test(heading));
  const edge = kind === 'most' ? /max|high/i : /min|low/i;
  const edges = measured.length > 1 ? measured.filter(({ heading }) => edge.test(heading)) : [];
  return onlyOne(edges.length > 0 ? edges : measured);
}

const onlyOne = ([first, second]: Column[]): Column | 'unclear' => (first && !second ? first : 'unclear');

/** "Group 3", "version 2.0" and "6 cylinders" name a value of a column, by a number or a few letters beside its heading. */
export function keyedFilters({ open, table, values }: Keyed): Filter[] {
  const own = ownValues(table, values);
  const keyed = table.columns.flatMap((column) => {
    const last = wordsOf(spaced(column.heading)).at(-1) ?? '';
    if (last.length < MIN_SHORT) return [];
    for (const { 0: whole, 1: first = '', 2: second = '', index } of open.text.matchAll(BESIDE)) {
      const key = keyBeside(last, first, second);
      const filter = key === undefined ? undefined : keyFilter(column, key, own);
      if (!filter) continue;
      open.blank(index, whole.length);
      return [filter];
    }
    return [];
  });
  return [...keyed, ...ratedFilters({ open, table, values })];
}

/** Whether a number of one digit, or a letter that is a value, was left out of a plan: "with 4 doors", "of class B". */
export function leavesOutKey({ open, table, values }: Keyed): boolean {
  const letters = new Set(ownValues(table, values).flatMap(({ words }) => (words.length === 1 ? words : [])));
  return wordsOf(open.text).some(
    (word) => word.length === 1 && (/\d/.test(word) || (letters.has(word) && word !== 'a')),
  );
}

/** The number or the few letters behind the heading, or the number before it. */
function keyBeside(heading: string, first: string, second: string): string | undefined {
  const isKey = (word: string) =>
    /^\d/.test(word) || /^[b-z]$/.test(word) || (word.length <= 2 && !FIGURE_STOP_WORDS.has(word));
  const isNamed = (word: string) => isAlike(stem(word), stem(heading));
  if (isKey(second) && isNamed(first)) return second;
  return /^\d+$/.test(first) && isNamed(second) ? first : undefined;
}

function keyFilter(column: Column, key: string, own: ReturnType<typeof ownValues>): Filter | undefined {
  const held = own.find((one) => one.column === column && one.words.join(' ') === wordsOf(key).join(' '));
  if (held) return valueFilter(column, held.value);
  return column.type === 'number' && /^\d+(?:\.\d+)?$/.test(key) ? numberFilter(column, key) : undefined;
}

const MIN_SHORT = 3;
const BESIDE = /(?<![\p{L}\p{N}.,¤])([\p{L}\p{N}]+(?:\.\d+)?) ([\p{L}\p{N}]+(?:\.\d+)?)(?![\p{L}\p{N}]|[.,]\d)/gu;

const numberFilter = (column: Column, value: string): Filter => ({
  column,
  value,
  sql: `${columnText(column)} = ${value}`,
  said: `${column.heading} = ${value}`,
});

const RATED =
  /(?<!\p{L})(?:gave|gives?|rated|scored|answered|voted|chose|with|vergaben?|gaben|bewerteten?|ont (?:donne|mis)|dieron)(?: (?:us|uns|nous|it))?(?: (?:an?|the|eine?n?|une?|la note))?(?: (?:rating|score|grade|mark|note|bewertung)(?: of| von| de)?)? (\d+(?:\.\d+)?)(?![\p{L}\p{N}]|[.,]\d| ?%)/u;
/** "Gave us a 5" names a value of the only column of numbers. */
function ratedFilters({ open, table }: Keyed): Filter[] {
  const [column, another] = numbersOf(table);
  const found = column && !another ? open.take(RATED) : undefined;
  return column && found ? [numberFilter(column, found[1] ?? '')] : [];
}

const COUNTRIES =
  'american:United States|argentine:Argentina|australian:Australia|austrian:Austria|belgian:Belgium|brazilian:Brazil|british:United Kingdom|bulgarian:Bulgaria|canadian:Canada|chinese:China|croatian:Croatia|czech:Czechia|danish:Denmark|dutch:Netherlands|egyptian:Egypt|estonian:Estonia|finnish:Finland|french:France|german:Germany|greek:Greece|hungarian:Hungary|indian:India|irish:Ireland|italian:Italy|japanese:Japan|latvian:Latvia|lithuanian:Lithuania|mexican:Mexico|nigerian:Nigeria|norwegian:Norway|polish:Poland|portuguese:Portugal|romanian:Romania|scottish:Scotland|serbian:Serbia|slovak:Slovakia|spanish:Spain|swedish:Sweden|swiss:Switzerland|turkish:Turkey|ukrainian:Ukraine|deutsche:Deutschland|osterreichische:Österreich|franzosische:Frankreich|schweizer:Schweiz|italienische:Italien|spanische:Spanien|polnische:Polen|allemand:Allemagne|anglais:Angleterre|espagnol:Espagne|italien:Italie|suisse:Suisse|belge:Belgique'
    .split('|')
    .map((pair) => pair.split(':') as [adjective: string, country: string]);
const isOfCountry = (word: string, adjective: string): boolean =>
  word.startsWith(adjective) && word.length - adjective.length <= (adjective.endsWith('e') ? 1 : 2);

/** The countries whose adjectives a question has, to be looked for in the tables. */
export const countriesIn = (question: string): string[] =>
  wordsOf(question.normalize('NFC')).flatMap((word) =>
    COUNTRIES.flatMap(([adjective, country]) => (isOfCountry(word, adjective) ? [country] : [])),
  );

/** "German customers" are those of "Germany", where that is a value and "German" is none. */
export function spellCountries(question: string, values: readonly ColumnValue[]): string {
  const held = values.map(([, , value]) => fold(value));
  return question.replaceAll(/\p{L}+/gu, (word) => {
    const [, country = word] = COUNTRIES.find(([adjective]) => isOfCountry(fold(word), adjective)) ?? [];
    return held.includes(fold(country)) && !held.includes(fold(word)) ? country : word;
  });
}
