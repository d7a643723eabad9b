/** Spells out what a question says in short: `hp` is the column horsepower, `German customers` are those of Germany, `group 3` is a value. */

import { FIGURE_STOP_WORDS, fold, type OpenText, QUESTION_WORDS, stem, wordsOf } from '../../../retrieval/words.ts';
import { areSynonyms } from '../synonyms.ts';
import { type AskedTable, type Column, columnText, type Filter, quotedText } from './figure-statement.ts';
import { NEUTRAL } from './figure-words.ts';
import {
  type ColumnValue,
  contentWords,
  isAlike,
  mayBeValue,
  numbersOf,
  ownValues,
  type Planning,
  spaced,
  takeWord,
  valueFilter,
  withoutYear,
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

const AMOUNTS = new Set(
  `price prices cost costs amount amounts fee fees sum salary salaries wage wages income earnings charge charges expense expenses
   preis preise kosten betrag gehalt lohn einkommen prix cout montant salaire precio coste importe sueldo salario`.split(
    /\s+/,
  ),
);

const MAX_COLUMNS = 100;

/** The question, of which `typed` is the original, with the words of the headings that it names otherwise. Words that fit two headings stay, and so do values. */
export function spellOut(
  question: string,
  columns: readonly Column[],
  values: ReturnType<typeof ownValues>,
  typed: string = question,
): { text: string; read: ReadAs[] } {
  const folded = fold(question.normalize('NFC'));
  const words = wordsAt(folded);
  const called = columns.slice(0, MAX_COLUMNS).map(({ heading, type }) => ({ heading: withoutYear(heading), type }));
  const headings = [...new Map(called.map((one) => [one.heading, one])).values()].flatMap(({ heading, type }) => {
    const parts = wordsOf(spaced(heading));
    return parts.length === 0 ? [] : [{ heading, parts, isNumber: type === 'number' }];
  });
  const isHeading = (word: Word) =>
    headings.some(({ parts }) => parts.some((part) => isAlike(stem(word.text), stem(part))));
  const held = new Set(values.flatMap(({ words: parts }) => parts.map(stem)));
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
  const others = headings.flatMap(({ heading, parts, isNumber }) =>
    words.flatMap((word, at) => {
      const isMeant = parts.some((part) => areSynonyms(stem(word.text), stem(part)));
      // "Price" does not ask for a column that says whether something is paid.
      const fits = !known[at] && isFree(word) && !held.has(stem(word.text)) && (isNumber || !AMOUNTS.has(word.text));
      return isMeant && fits ? [{ from: at, to: at, heading, parts }] : [];
    }),
  );
  const short = apart(spans);
  const isBeside = (one: Span & { heading: string }) =>
    short.every((span) => !meets(one, span) && one.heading !== span.heading);
  const chosen = [...short, ...apart(others.filter((one) => isOnlyOrWhole(one, others) && isBeside(one)))];
  let text = folded;
  for (const { from, to, parts } of chosen.toSorted((a, b) => b.from - a.from))
    text = `${text.slice(0, words[from]?.at)}${parts.join(' ')}${text.slice(words[to]?.end)}`;
  const original = typed.normalize('NFC');
  const said = ({ from, to }: Span) =>
    (original.length === question.length ? original : question).slice(words[from]?.at, words[to]?.end);
  return { text, read: chosen.map((one) => ({ said: said(one), heading: one.heading })) };
}

/** "Stunden" is the column `Hours`, also beside `Rate per hour`. */
function isOnlyOrWhole(one: NamedSpan, all: readonly NamedSpan[]): boolean {
  const wholes = all.filter(({ from, parts }) => from === one.from && parts.length === 1);
  return wholes.length !== 1 || wholes[0] === one;
}

type NamedSpan = Span & { parts: readonly string[] };

const meets = (one: Span, other: Span): boolean => one.from <= other.to && other.from <= one.to;

/** The longest spans; two headings for the same words are none. */
function apart<One extends Span & { heading: string }>(all: readonly One[]): One[] {
  const size = ({ from, to }: One) => to - from;
  return all.filter((one) => all.every((other) => other === one || !meets(one, other) || size(one) > size(other)));
}

const COUNTRIES =
  'american:United States|argentine:Argentina|australian:Australia|austrian:Austria|belgian:Belgium|brazilian:Brazil|british:United Kingdom|bulgarian:Bulgaria|canadian:Canada|chinese:China|croatian:Croatia|czech:Czechia|danish:Denmark|dutch:Netherlands|egyptian:Egypt|estonian:Estonia|finnish:Finland|french:France|german:Germany|greek:Greece|hungarian:Hungary|indian:India|irish:Ireland|italian:Italy|japanese:Japan|latvian:Latvia|lithuanian:Lithuania|mexican:Mexico|nigerian:Nigeria|norwegian:Norway|polish:Poland|portuguese:Portugal|romanian:Romania|scottish:Scotland|serbian:Serbia|slovak:Slovakia|spanish:Spain|swedish:Sweden|swiss:Switzerland|turkish:Turkey|ukrainian:Ukraine|deutsche:Deutschland|osterreichische:Österreich|franzosische:Frankreich|schweizer:Schweiz|italienische:Italien|spanische:Spanien|polnische:Polen|allemand:Allemagne|anglais:Angleterre|espagnol:Espagne|italien:Italie|suisse:Suisse|belge:Belgique'
    .split('|')
    .map((pair) => pair.split(':') as [adjective: string, country: string]);
const isOfCountry = (word: string, adjective: string): boolean =>
  word.startsWith(adjective) && word.length - adjective.length <= (adjective.endsWith('e') ? 1 : 2);

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'];
const MIN_COUNTRY = 4;

let names: Map<string, string> | undefined;
/** The codes of countries by their names in five languages: `DE` for Germany, Deutschland and Allemagne. */
function codesOfCountries(): Map<string, string> {
  if (names) return names;
  names = new Map();
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(65 + at));
  // Codes that are no longer used stand for others.
  const codes = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`);
  for (const language of LANGUAGES) {
    const known = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    for (const code of codes) {
      const name = fold(known.of(code)?.normalize('NFC') ?? '');
      if (name.length >= MIN_COUNTRY && !names.has(name)) names.set(name, code);
    }
  }
  return names;
}

const STATES = new Map(
  'alabama:AL alaska:AK arizona:AZ arkansas:AR california:CA colorado:CO connecticut:CT delaware:DE florida:FL hawaii:HI idaho:ID illinois:IL indiana:IN iowa:IA kansas:KS kentucky:KY louisiana:LA maine:ME maryland:MD massachusetts:MA michigan:MI minnesota:MN mississippi:MS missouri:MO montana:MT nebraska:NE nevada:NV ohio:OH oklahoma:OK oregon:OR pennsylvania:PA tennessee:TN texas:TX utah:UT vermont:VT virginia:VA washington:WA wisconsin:WI wyoming:WY'
    .split(' ')
    .map((pair) => pair.split(':') as [name: string, code: string]),
);

/** One country as tables may write it: its code, and its names. A state of the United States by its code. */
function spellingsOf(said: string): string[] {
  const folded = fold(said);
  const state = STATES.get(folded);
  if (state !== undefined) return [state];
  const [, country = folded] = COUNTRIES.find(([adjective]) => isOfCountry(folded, adjective)) ?? [];
  const codes = codesOfCountries();
  const code = codes.get(fold(country));
  const same = code ? [...codes].flatMap(([name, of]) => (of === code ? [name] : [])) : [];
  return [...new Set([country, ...same, ...(code ? [code] : [])])].filter(
    (one) => fold(one) !== folded || one === code,
  );
}

const WORDS = /\p{L}+/gu;

/** The countries that a question names, to be looked for in the tables. */
export const countriesIn = (question: string): string[] =>
  [...question.normalize('NFC').matchAll(WORDS)].flatMap(([word]) =>
    word.length >= MIN_COUNTRY ? spellingsOf(word) : [],
  );

type CountryFilter = { open: OpenText; table: AskedTable; values: readonly ColumnValue[] };
/** "Germany" and "German" are the rows of `DE`, where that is a value and the word is none. */
export function countryFilters({ open, table, values }: CountryFilter): Filter[] {
  const own = ownValues(table, values);
  return [...open.text.matchAll(WORDS)].flatMap(({ 0: word, index }) => {
    // "Swiss" is a part of names as well.
    const isValue = own.some(({ words }) => words.includes(word) && words.every((part) => open.text.includes(part)));
    if (word.length < MIN_COUNTRY || isValue) return [];
    const spellings = spellingsOf(word);
    const held = own.filter(({ value }) =>
      spellings.some((one) => (one.length === 2 ? value === one : fold(value) === fold(one))),
    );
    const [only] = held;
    if (!only || held.some(({ column }) => column !== only.column)) return [];
    open.blank(index, word.length);
    return held.map(({ column, value }) => valueFilter(column, value));
  });
}

const CAPITALS = /(?<![\p{L}“"])\p{Lu}{2,3}(?![\p{L}”"])/gu;
/** `IT` in capitals is a department where the table has one of that name, and not the word. */
/** A word with a capital within a sentence, or behind an article. */
const WITHIN = /(?:(?<=\p{L}[ (]|\()\p{Lu}|(?<=(?<!\p{L})the )\p{Ll})\p{Ll}{2,}(?!\p{L})/gu;
export function quoteCapitals(question: string, values: readonly ColumnValue[]): string {
  if (question === question.toUpperCase()) return question;
  const isName = (word: string) => FIGURE_STOP_WORDS.has(fold(word)) && values.some(([, , value]) => value === word);
  // "Rowing" is a team, where "row" alone is a word for any row.
  const isPlain = (word: string) =>
    NEUTRAL.has(stem(fold(word))) && values.some(([, , value]) => fold(value) === fold(word));
  return question
    .replaceAll(CAPITALS, (word) => (isName(word) ? `“${word}”` : word))
    .replaceAll(WITHIN, (word) => (isPlain(word) ? `“${word}”` : word));
}

type Keyed = { open: OpenText; table: AskedTable; values: readonly ColumnValue[] };

/** "Group 3", "version 2.0" and "6 cylinders" name a value of a column, by a number or a few letters beside its heading. */
export function keyedFilters({ open, table, values }: Keyed): Filter[] {
  const own = ownValues(table, values);
  const keyed = table.columns.flatMap((column) => {
    const last = wordsOf(spaced(column.heading)).at(-1) ?? '';
    if (last.length < MIN_SHORT) return [];
    return [...open.text.matchAll(BESIDE)].flatMap(({ 1: first = '', 2: second = '', index }) => {
      // A word that is taken is beside no other.
      const isFree = open.text.startsWith(first, index);
      const key = isFree ? keyBeside(last, first, second) : undefined;
      const filter = key === undefined ? undefined : keyFilter(column, key, own);
      if (!filter) return [];
      open.blank(index, first.length + 1 + second.length);
      return [filter];
    });
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
/** A word and the next one. */
const BESIDE =
  /(?<![\p{L}\p{N}.,¤])([\p{L}\p{N}]+(?:\.\d+)?)(?=[ -]([\p{L}\p{N}]+(?:\.\d+)?)(?![\p{L}\p{N}]|[.,]\d))/gu;

export const numberFilter = (column: Column, value: string): Filter => ({
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

const MIN_WORD = 5;
const DENIED = /^(?:not|no|never|without|nicht|kein\p{L}*|nie|ohne|pas|non|sans|nunca|sin)$/u;
/** The rows whose text has a word of several values, such as the remarks of cancelled shows, if it is the only such word and none of them denies it. */
export function wordFilters(
  { open, table, values }: Pick<Planning, 'open' | 'table' | 'values'>,
  taken: readonly Filter[],
): Filter[] {
  const own = ownValues(table, values);
  const shared = contentWords(open.text)
    .filter((word) => word.length >= MIN_WORD && mayBeValue(word, table))
    .map((word) => ({ word, parts: own.filter(({ words }) => words.some((part) => stem(part) === word)) }))
    .filter(({ parts }) => parts.length > 1);
  const [{ word, parts } = { word: '', parts: [] }, another] = shared;
  const [{ column } = { column: undefined }] = parts;
  const isOfOne = parts.every((part) => part.column === column && !part.words.some((said) => DENIED.test(said)));
  if (!column || another || !isOfOne || taken.some((filter) => filter.column === column)) return [];
  const forms = [...new Set(parts.flatMap(({ words }) => words.filter((part) => stem(part) === word)))];
  const text = [...',.;:()/-'].reduce((sql, sign) => `replace(${sql}, '${sign}', ' ')`, `fold(${columnText(column)})`);
  const sql = forms.map((form) => `' ' || ${text} || ' ' LIKE ${quotedText(`% ${form} %`)}`);
  takeWord(open, word);
  const value = `any with “${forms.join('” or “')}”`;
  return [{ column, value, sql: `(${sql.join(' OR ')})`, said: `${column.heading} = ${value}` }];
}
