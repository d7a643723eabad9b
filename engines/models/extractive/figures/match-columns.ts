/** Finds which columns and which values of the tables a question names. */

import { FIGURE_STOP_WORDS, fold, type OpenText, stem, wordsOf } from '../../../retrieval/words.ts';
import { type AskedTable, type Column, columnText, type Filter, quotedText } from './figure-statement.ts';
import { type FigureRequest, NEUTRAL, ROW_NOUNS } from './figure-words.ts';
import { shortDays } from './periods.ts';

/** A value of a text column: the table, the column, the value. A mark of `MARKS` in the first place says something else of a column. */
export type ColumnValue = readonly [table: string, column: string, value: string];
export const MARKS = {
  /** Whether the values of a column are all different. */
  key: '!',
  /** A value of a column without a name, which may tell what it holds. */
  sample: '?',
  /** Words for a column of numbers or days: `signed`, `gaps`, `texts` among days, `years`, `flags` of 0 and 1. */
  states: '±',
  /** The first and the last day of a column. */
  span: '–',
  /** A first column of numbers that follow each other, as those of rooms. */
  numbering: '#',
};

/** "Canada" may be written "CAN". */
export const MIN_SHORT = 3;

/** What marks a row as one of those that the name of its column says, as in "smoker: yes". */
const YES = ['yes', 'y', 'true', 'ja', 'wahr', 'oui', 'vrai', 'si', 'verdadero'];
const NO = ['no', 'n', 'false', 'nein', 'falsch', 'non', 'faux', 'falso'];
/** Values of a column of sexes, with what questions call them. */
const SEXES = [
  'male m man men boy boys mann manner mannlich homme hommes masculin hombre hombres masculino'.split(' '),
  'female f w woman women girl girls frau frauen weiblich femme femmes feminin mujer mujeres femenino'.split(' '),
];
/** What a column of states calls what is not paid. */
export const OPEN_STATES =
  'open/unpaid/outstanding/pending/overdue/due/offen/unbezahlt/ausstehend/uberfallig/impaye/impayee/pendiente/impagado/not paid/not yet paid/partially paid/nicht bezahlt/non paye/non payee/en attente'.split(
    '/',
  );
export const STATES = [...OPEN_STATES, ...'cancelled/canceled/refunded/storniert/annule/cancelado/anulado'.split('/')];
export const ALWAYS_READ = [...YES, ...NO, ...SEXES.flat()];

/** Headings of columns of people. */
export const OF_PERSON =
  /(?<!\p{L})(?:technician|techniker(?:in)?|technicien(?:ne)?|técnic[oa]|mechanic|engineer|worker|nurse|bearbeiter(?:in)?|monteur(?:in)?|mitglied|membre|miembro|socio|patient(?:in|e)?|paciente|sch[üu]ler(?:in)?|student(?:in)?|[ée]l[èe]ve|alumn[oa]|tenant|mieter(?:in)?|guest|gast|borrower|leser(?:in)?|name|employee|consultant|salari[ée]e?|angestellter?|collaborateur|agent|customer|client|supplier|vendor|seller|salesperson|driver|player|author|member|person|mitarbeiter(?:in)?|kunde|fahrer|verkäufer|vendeur|employé|vendedora?|empleado|cliente)(?!\p{L})/iu;

const uniqueness = ({ table, column }: Pick<Column, 'table' | 'column'>, values: readonly ColumnValue[]) =>
  values.find(([mark, of]) => mark === MARKS.key && of === `${table}.${column}`)?.[2];
/** Whether several rows have the same value in a column that the question names. */
export const isRepeated = (column: Column, values: readonly ColumnValue[]): boolean =>
  uniqueness(column, values) === '0';
/** Whether each row has a value of its own in this column. */
export const isUnique = (column: Pick<Column, 'table' | 'column'>, values: readonly ColumnValue[]): boolean =>
  uniqueness(column, values) === '1';

/** What is true of a column of numbers or days: amounts below and above zero, empty cells, texts that are no days, numbers that may be years, nothing but 0 and 1. */
export const isOfState = (
  { table, column }: Column,
  state: 'signed' | 'gaps' | 'texts' | 'years' | 'flags',
  values: readonly ColumnValue[],
): boolean =>
  values.some(([mark, of, said]) => mark === MARKS.states && of === `${table}.${column}` && said.includes(`${state} `));

/** A first column whose values stand once each names the rows: each state of a table of states. */
export const namingColumn = ({ columns: [first] }: AskedTable, values: readonly ColumnValue[]): Column | undefined =>
  first?.type === 'text' && isUnique(first, values) ? first : undefined;

const MIN_SHARED = 4;
const MAX_ENDING = 3;
const SHORTENED = /^(?:max|min|num)$/;
/** "Disziplin" and "discipline" differ in spelling alone. */
const plainLetters = (word: string): string => word.replaceAll(/[kz]/g, 'c').replaceAll('ph', 'f');

/** Two forms of a word, or a word within a compound. */
export function isAlike(one: string, other: string): boolean {
  const [short, long] = [one, other].map(plainLetters).sort((a, b) => a.length - b.length) as [string, string];
  if (short === long) return true;
  if (short.length < MIN_SHARED) return long === `${short}s` || (SHORTENED.test(short) && long.startsWith(short));
  if (long.startsWith(short) || (short.length > MIN_SHARED && long.endsWith(short))) return true;
  let shared = 0;
  while (shared < short.length && short[shared] === long[shared]) shared++;
  return shared > MIN_SHARED && long.length - shared <= MAX_ENDING && shared >= long.length * 0.6;
}

/** "lifeExp", "life_exp", "cars93" and "9/11GI" are two words each. */
export const spaced = (heading: string): string =>
  heading
    .normalize('NFC')
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L}{3})(?=\d)|(?<=\d)(?=\p{Lu}{2})/gu, ' ')
    .replaceAll('_', ' ');

/** `Sales 2024` is about sales. */
export const withoutYear = (heading: string): string =>
  heading.replace(/\s*(?<!\d)(?:19|20)\d\d(?!\d)\s*/u, ' ').trim();

const COUNTER =
  /^#$|[.-](?:id|no\.?|nr\.?)$|(?:^|\s)(?:id|no\.?|nr\.?|row|pos\.?|year|jahr|ann[ée]e|año|code|zip|postcode|plz)$|(?:found(?:ed|ing)|buil[dt]|birth|start|end|open(?:ed|ing)|publi\w+|release|model|production)\s?year(?: of \p{L}+)?$|(?:bau|geburts|gr[üu]ndungs|erscheinungs|herstellungs|modell)jahr$|^year (?:of \p{L}+|founded|built|opened|published|born)$|\s(?:number|num|nummer|num[ée]ro|número)$/iu;
/** The numbers of years and of things are no figures. */
export const isCounter = ({ heading }: Column): boolean => COUNTER.test(spaced(heading).trim());

/** Beside columns with headings, numbers without one number the rows. */
export function numbersOf({ columns }: AskedTable): Column[] {
  const numbers = columns.filter((column) => column.type === 'number' && !isCounter(column) && !column.isKey);
  const named = numbers.filter(({ heading }) => heading !== '');
  return named.length > 0 ? named : numbers;
}

export const headingWords = (heading: string): string[] =>
  wordsOf(spaced(heading))
    .filter((word) => word.length > 1)
    .map(stem);
export const contentWords = (text: string): string[] => [
  ...new Set(
    wordsOf(text)
      .filter((word) => word.length > 1 && !FIGURE_STOP_WORDS.has(word))
      .map(stem),
  ),
];

/** How headings shorten a word. `Art` alone is a kind, but `Art.-Nr.` is the number of an article. */
const SHORT_WORDS: ReadonlyMap<string, string> = new Map([
  ...(
    'nr nummer/kd kunde/abt abteilung/tel telefon/dept department/hrs hour/mins minute/qty quantity/amt amount/avg average/' +
    'wt weight/addr address/mgr manager/dob birth/inv invoice/cust customer/emp employee/stk stuck/std stunde/rg rechnung/' +
    'kv kostenvoranschlag/lief lieferant/qte quantite/nb nombre/mt montant/svc service/cant cantidad/fra factura'
  )
    .split('/')
    .map((pair) => pair.split(' ') as [string, string]),
]);
const longForm = (word: string, known: readonly string[]): string =>
  stem(word === 'art' && known.includes('nr') ? 'artikel' : (SHORT_WORDS.get(word) ?? word));

const CUT = 3;
/** "Exp" is a short form of what stands beside a word of the heading, as in "life expectancy". */
function isNamed(one: string, words: readonly string[], known: readonly string[]): boolean {
  const isAny = (heading: string) => words.some((word) => isAlike(word, heading));
  if (isAny(one) || isAny(longForm(one, known))) return true;
  return one.length === CUT && words.some((word) => word.startsWith(one)) && known.some(isAny);
}

/** What a figure is per head of: `GDP per capita` holds no number of people. */
const PER_HEAD =
  /(?<!\p{L})(?:per|par|pro|por) (?:\p{L}+ )?(?:capita|heads?|persons?|people|inhabitants?|habitante?s?|kopf|einwohner|tete|persona|personne)(?!\p{L}).*$/iu;

export function ownWords(heading: string): string[] {
  const own = headingWords(spaced(heading).replace(PER_HEAD, ''));
  return own.length > 0 ? own : headingWords(heading);
}

/** How many words of the heading the text has, and their share. */
export function namesColumn({ heading }: Column, words: readonly string[]): number {
  const known = headingWords(heading).filter((word) => !FIGURE_STOP_WORDS.has(word));
  const named = known.filter((one) => isNamed(one, words, known));
  const own = ownWords(heading);
  const hits = named.some((one) => own.includes(one)) ? named.length : 0;
  return hits === 0 ? 0 : hits + hits / known.length;
}

const onlyWhere = (columns: readonly Column[], fits: (column: Column) => boolean): Column | undefined => {
  const [column, another] = columns.filter(fits);
  return another ? undefined : column;
};

/** The one that the words name best; undefined if none or two do. */
export function namedColumn(columns: readonly Column[], words: readonly string[]): Column | undefined | 'unclear' {
  const scored = columns
    .map((column) => ({ column, score: namesColumn(column, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const [best, next] = scored;
  if (!best || next?.score !== best.score) return best?.column;
  const tied = scored.filter(({ score }) => score === best.score).map(({ column }) => column);
  const isWhole = ({ heading }: Column) => TOTAL.test(spaced(heading));
  // `Strom (kWh)` has the word itself, `Strompreis/kWh` a compound of it.
  const isExact = ({ heading }: Column) => headingWords(heading).some((word) => words.includes(word));
  // `Menge (kg)` is in kilograms, `Preis €/kg` is not.
  const isOfUnit = (column: Column) => unitOf(column) !== '' && words.some((word) => markOf(word) === unitOf(column));
  return onlyWhere(tied, isWhole) ?? onlyWhere(tied, isOfUnit) ?? onlyWhere(tied, isExact) ?? 'unclear';
}

/** "Sleep" is the total of it, where its parts have columns, too. */
const TOTAL = /(?<!\p{L})(?:total|overall|gesamt|insgesamt)(?!\p{L})/iu;

export function takeColumn(open: OpenText, { heading }: Column): void {
  const known = headingWords(heading);
  const named = known.filter((one) => isNamed(one, contentWords(open.text), known));
  if (known.length > 1) open.take(valuePattern(flat(spaced(heading))));
  for (const { 0: word, index } of open.text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const isOne = named.some(
      (one) =>
        isAlike(stem(word), one) ||
        isAlike(stem(word), longForm(one, known)) ||
        (one.length === CUT && word.startsWith(one)),
    );
    if (isOne && !FIGURE_STOP_WORDS.has(word)) open.blank(index, word.length);
  }
}

export function takeWord(open: OpenText, known: string): void {
  for (const { 0: word, index } of open.text.matchAll(/[\p{L}\p{N}]+/gu))
    if (isAlike(stem(word), known)) open.blank(index, word.length);
}

const flat = (value: string): string[] => wordsOf(value.normalize('NFC'));
/** "High" is a value where the question names its column, as in "high priority". */
const isNoise = (words: string[], isNamed: boolean): boolean =>
  words.every((word) => FIGURE_STOP_WORDS.has(word) || (!isNamed && NEUTRAL.has(stem(word))));
const isQuoted = (text: string, words: readonly string[]): boolean => text.includes(`“${words.join(' ')}”`);
/** "Paid" is one of its values, not a word for how a figure came about. */
const OF_STATE =
  /(?:status|zustand|(?<!\p{L})(?:state|stage|statut|[ée]tat|estado|paid|payment|bezahlt|zahlung))(?!\p{L})/iu;

type TextValue = { column: Column; value: string; words: string[] };
/** `isOfAny`: a value of several columns is looked for in all of them. */
type ColumnQuestion = { open: OpenText; table: AskedTable; values: readonly ColumnValue[]; isOfAny?: boolean };
export type Planning = {
  open: OpenText;
  table: AskedTable;
  request: FigureRequest;
  values: readonly ColumnValue[];
  /** Words of the names of other tables. */
  others: readonly string[];
  /** How an ambiguous question was read. */
  notes: string[];
  /** Whether the figure may leave out words that the table does not have, and say so. */
  isLoose?: boolean;
  /** Calculated from two columns, where the question asks for it. */
  computed?: Column;
  /** It is the days between two columns of days. */
  isDuration?: boolean;
};

/** Whole values that the question names, or values of which it names a word that no other value has. */
export function valueFilters({ open, table, values, isOfAny = false }: ColumnQuestion): Filter[] | undefined {
  const asked = contentWords(open.text);
  const own = ownValues(table, values).filter(
    ({ column, words }) =>
      (isQuoted(open.text, words) ||
        !isNoise(words, OF_STATE.test(spaced(column.heading)) || namesColumn(column, asked) > 0)) &&
      !isHeading(words, column, table, asked),
  );
  if (own.some(({ words }) => words.some((word) => ORDINAL.test(word)))) writeOrdinals(open);
  const taken: Taken[] = [];
  for (const { column, value, words } of own.toSorted((a, b) => b.words.join(' ').length - a.words.join(' ').length)) {
    const found = mayHold(open.text, words) ? open.take(valuePattern(words)) : undefined;
    if (!found) continue;
    const same = own.filter((other) => other.column !== column && other.words.join(' ') === words.join(' '));
    const holding = [column, ...same.map((other) => other.column)];
    const named = same.length === 0 ? column : namedColumn(holding, contentWords(open.text));
    const chosen = named === 'unclear' ? undefined : named;
    if (!chosen && !isOfAny) return undefined;
    const columns = chosen ? [chosen] : namingColumns(holding, table);
    const isOut = isExcluded(open, found.index);
    taken.push({ columns, value, at: found.index, end: found.index + found[0].length, isOut });
  }
  excludeLists(open, taken);
  const filters = taken.flatMap(({ columns, value, isOut }) =>
    isOut ? columns.map((column) => otherThan(column, value)) : inAnyColumn(columns, value),
  );
  filters.push(...reversedFilters(open, own), ...partFilters(open, table, own, isOfAny));
  filters.push(...besideTaken(open, ownValues(table, values), filters));
  return [...filters, ...renamed(open, ownValues(table, values)), ...shortened(open, ownValues(table, values))];
}

/** "Lose" has the stem of "Los", but another meaning. */
const isSaid = (text: string, part: string): boolean => part.length > MIN_SHORT || wordsOf(text).includes(part);

/** A word that says nothing else of the table or its rows. */
export const mayBeValue = (word: string, { columns, name }: AskedTable): boolean =>
  !NEUTRAL.has(word) &&
  !ROW_NOUNS.has(word) &&
  !headingWords(name).includes(word) &&
  columns.every((column) => namesColumn(column, [word]) === 0);

/** A word that one value alone has, or that is the whole of one value. */
function partFilters(open: OpenText, table: AskedTable, own: readonly TextValue[], isOfAny: boolean): Filter[] {
  const isPart = (word: string) => word.length > 2 && mayBeValue(word, table);
  return contentWords(open.text)
    .filter(isPart)
    .flatMap((word) => {
      const parts = own.filter(({ words }) => words.some((part) => stem(part) === word && isSaid(open.text, part)));
      const whole = parts.filter(({ words }) => words.length === 1);
      const [first, ...others] = whole.length === 1 ? whole : parts;
      if (!first || others.some(({ value }) => !isOfAny || value !== first.value)) return [];
      for (const part of [word, ...contentWords(first.value)]) takeWord(open, part);
      return inAnyColumn(namingColumns(columnsOf([first, ...others]), table), first.value);
    });
}

const columnsOf = (values: readonly TextValue[]): Column[] => values.map(({ column }) => column);

const EXCLUDED =
  /(?<!\p{L})(?:not|excluding|excl\.?|except(?: for)?|without|other than|leaving out|leave out|ignoring|apart from|nicht|ohne|au(?:ß|ss)er|sans|sauf|hors|sin|excepto|salvo) (?:(?:the|any|those|in|from|been|die|den|in|aus|les|des|los|las) )?$/u;
/** "Without cancelled orders" leaves the value out. */
function isExcluded(open: OpenText, at: number): boolean {
  const before = EXCLUDED.exec(open.text.slice(0, at));
  if (before) open.blank(before.index, before[0].length);
  return before !== null;
}

type Taken = { columns: Column[]; value: string; at: number; end: number; isOut: boolean };
/** "Without cancelled and returned orders" leaves out both. */
function excludeLists(open: OpenText, taken: Taken[]): void {
  taken.sort((a, b) => a.at - b.at);
  for (const [at, one] of taken.entries()) {
    const before = taken[at - 1];
    if (!before?.isOut || one.isOut || before.columns[0] !== one.columns[0]) continue;
    const between = open.text.slice(before.end, one.at);
    if (!BESIDE_EXCLUDED.test(between)) continue;
    open.blank(before.end, one.at - before.end);
    one.isOut = true;
  }
}
const BESIDE_EXCLUDED = /^[ ,]*(?:and|or|nor|und|oder|et|ou|y|o|e|ni)?[ ,]*(?:the|die|der|les|los|las)? *$/u;
const ORDINAL = /^\d(?:st|nd|rd|th)$/;
/** "First" is "1st" in a table that writes it so. */
function writeOrdinals(open: OpenText): void {
  for (const [at, word] of ['first', 'second', 'third', 'fourth'].entries())
    open.text = open.text.replaceAll(new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'gu'), (said) =>
      `${at + 1}${['st', 'nd', 'rd', 'th'][at]}`.padEnd(said.length),
    );
}

/** "Large" is a value, not an amount, beside another value of its column, as in "vans or large cars". */
const besideTaken = (open: OpenText, own: readonly TextValue[], taken: readonly Filter[]): Filter[] =>
  own.flatMap(({ column, value, words }) => {
    const isBeside = taken.some((filter) => filter.column === column && filter.value !== value);
    return isBeside && mayHold(open.text, words) && open.take(valuePattern(words)) ? [valueFilter(column, value)] : [];
  });

/** "Carnivores" are those of "carni", and "postmenopausal" of "Post" in a column of the menopausal status. */
function shortened(open: OpenText, own: readonly TextValue[]): Filter[] {
  const filters: Filter[] = [];
  for (const { 0: word, index } of open.text.matchAll(/[\p{L}]{4,}/gu)) {
    if (FIGURE_STOP_WORDS.has(word) || NEUTRAL.has(stem(word))) continue;
    const fitting = own.filter(({ column, value, words: [one = '', ...more] }) => {
      const rest = word.slice(one.length);
      const begins = more.length === 0 && one.length >= MIN_SHORT && rest.length > 0 && word.startsWith(one);
      const isOfColumn =
        rest.length > 3 && wordsOf(spaced(column.heading)).some((part) => part.startsWith(rest.slice(0, 4)));
      const isAdjective = rest === 'y' || rest === `${one.at(-1)}y`;
      return begins && (isOfColumn || isAdjective || one.length > MIN_SHORT || value === value.toUpperCase());
    });
    const [only] = fitting;
    if (!only || fitting.length > 1) continue;
    filters.push(valueFilter(only.column, only.value));
    open.blank(index, word.length);
  }
  return filters;
}

/** The values of a column that says yes or no. */
export function yesAndNo(column: Column, values: readonly ColumnValue[]) {
  if (isOfState(column, 'flags', values)) return { yes: '1', no: '0' };
  const own = values.filter(([of, name]) => of === column.table && name === column.column).map(([, , value]) => value);
  const saying = (words: readonly string[]) => own.find((value) => words.includes(value.toLowerCase()));
  const [yes, no] = [saying(YES), saying(NO)];
  return yes === undefined && no === undefined ? undefined : { yes, no };
}

export function ownValues({ columns }: AskedTable, values: readonly ColumnValue[]): TextValue[] {
  return values.flatMap(([of, name, value]) => {
    const column = columns.find((one) => one.table === of && one.column === name);
    const words = flat(value);
    // "Period" is a part of the heading `Payroll Period`; `Payment (open/paid)` lists its values.
    const heading = /[(/?:]/.test(column?.heading ?? '') ? [] : flat(column?.heading ?? '');
    const isPart = words.length < heading.length && words.every((word) => heading.includes(word));
    return column && words.length > 0 && !isPart ? [{ column, value, words }] : [];
  });
}

/** In a table with a winner "Joly" and a column of votes "Joly", the column is meant unless that of winners is named. */
const isHeading = (words: string[], column: Column, { columns }: AskedTable, asked: string[]): boolean =>
  namesColumn(column, asked) === 0 &&
  columns.some(({ type, heading }) => type === 'number' && flat(heading).join(' ') === words.join(' '));

/** Weekdays that the table shortens, and sexes by another word. */
function renamed(open: OpenText, own: readonly TextValue[]): Filter[] {
  const filters: Filter[] = [];
  for (const { 0: word, index } of open.text.matchAll(/[\p{L}]+/gu)) {
    const sex = SEXES.find((names) => names.includes(word));
    const opposite = SEXES.find((names) => names !== sex) ?? [];
    const isOf = (names: readonly string[]) => (value: TextValue) =>
      value.words.length === 1 && names.includes(value.words[0] ?? '');
    const found = own.filter(isOf(sex ?? shortDays(word)));
    const fitting = sex
      ? found.filter(({ column }) => own.some((other) => other.column === column && isOf(opposite)(other)))
      : found;
    const [only] = fitting;
    if (!only || fitting.length > 1) continue;
    filters.push(valueFilter(only.column, only.value));
    open.blank(index, word.length);
  }
  return filters;
}

/** "Advanced Excel" is "Excel advanced" in a table that has no value of the same words in that order. */
function reversedFilters(open: OpenText, own: readonly TextValue[]): Filter[] {
  return own.flatMap(({ column, value, words }) => {
    const reversed = words.toReversed();
    const isOne = words.length === 2 && !own.some((other) => other.words.join(' ') === reversed.join(' '));
    return isOne && mayHold(open.text, words) && open.take(valuePattern(reversed)) ? [valueFilter(column, value)] : [];
  });
}

/** A quick look, as there may be many values. */
const mayHold = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word));

const ENDINGS_OF: Record<number, string> = { 3: 's?', 4: '(?:s|es|e|n|en)?' };
/** The words in a row; the last of them may have the ending of a plural. */
const valuePattern = (words: string[]): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])${words.join(words[0] === 'not' ? '(?: (?:been|yet))* ' : '[^\\p{L}\\p{N}]+')}${ENDINGS_OF[Math.min(words.at(-1)?.length ?? 0, 4)] ?? ''}(?![\\p{L}\\p{N}])`,
    'u',
  );

export const valueFilter = (column: Column, value: string): Filter => ({
  column,
  value,
  isOfRows: ALWAYS_READ.includes(foldedValue(value)),
  sql: holds(column, value),
  said: `${column.heading} = ${value}`,
});

/** As the whole cell; a code may also be one of several between commas, as in "T3a, T3b". */
function holds(column: Column, value: string): string {
  if (column.type === 'number') return `${columnText(column)} = ${Number(value)}`;
  const [text, folded] = [`fold(${columnText(column)})`, foldedValue(value)];
  const whole = `${text} = ${quotedText(folded)}`;
  if (!/\d/.test(folded) || /[,;\s]/.test(folded)) return whole;
  const list = `',' || replace(replace(${text}, ', ', ','), '; ', ',') || ','`;
  return `(${whole} OR instr(${list}, ${quotedText(`,${folded},`)}) > 0)`;
}

/** The first column names the rows, as those of `Name` beside `Manager`. */
function namingColumns(columns: Column[], { columns: [first] }: AskedTable): Column[] {
  const naming = columns.filter((column) => column === first);
  return naming.length > 0 ? naming : columns;
}

/** By the one column, or by several that hold the value. */
function inAnyColumn(columns: readonly Column[], value: string): Filter[] {
  const filters = columns.map((column) => valueFilter(column, value));
  const [first] = filters;
  if (!first || filters.length === 1) return filters;
  const said = `${columns.map(({ heading }) => heading).join(' or ')} = ${value}`;
  return [{ ...first, sql: `(${filters.map(({ sql }) => sql).join(' OR ')})`, said, isOfAny: true }];
}

const otherThan = (column: Column, value: string): Filter => ({
  column,
  sql: `(${columnText(column)} IS NULL OR NOT ${holds(column, value)})`,
  said: `${column.heading} other than ${value}`,
});

/** As `fold` of `query_table` does. */
const foldedValue = (value: string): string => value.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** How headings write units in brackets. */
const UNIT_MARKS: Record<string, string> = {
  ...marks('m', 'meter meters metre metres metro metros'),
  ...marks('ft', 'feet'),
  ...marks('h', 'hour hours stunden heures horas'),
  ...marks('t', 'tonne tonnes tonnen tonelada toneladas'),
  ...marks('hp', 'ps cv'),
  ...marks('l', 'litre litres liter liters litros'),
  ...marks('kg', 'kilo kilos kilogram kilograms kilogramm'),
  ...marks('km', 'kilometre kilometres kilometer kilometers kilometros'),
  ...marks('min', 'minute minutes minuten minutos'),
};
function marks(mark: string, words: string): Record<string, string> {
  return Object.fromEntries(words.split(' ').map((word) => [word, mark]));
}
export const markOf = (unit: string): string => UNIT_MARKS[unit] ?? unit;
/** The unit in brackets or behind a line, as in `Tempo (km/h)` and `downtime_h`. */
export const unitOf = ({ heading }: Column): string =>
  markOf(
    fold(
      /[([]\s*([^()[\]]{1,10}?)\s*[)\]]\s*$|_(km|kg|g|cm|mm|m|ft|h|t|l|min|kwh?|eur|usd|gbp|chf)$/iu
        .exec(heading)
        ?.slice(1)
        .join('') ?? '',
    ),
  );

export function takeUnit(open: OpenText, column: Column): string | undefined {
  const unit = unitOf(column);
  const word = unit === '' ? undefined : wordsOf(open.text).find((one) => markOf(one) === unit);
  if (word) takeWord(open, stem(word));
  return word;
}

/** What is worked, slept and waited is in hours as well. */
const OF_TIME = /^(?:h|min|s)$/;

/** "How many litres" asks for the only column in that unit. */
export const columnInUnit = (numbers: readonly Column[], text: string): Column | undefined =>
  onlyWhere(numbers, (column) => {
    const unit = unitOf(column);
    return unit !== '' && !OF_TIME.test(unit) && wordsOf(text).some((word) => markOf(word) === unit);
  });
