/** Finds the rows that a question names by numbers: "over 500", "out of stock", money in or out, `group 3`, `6 cylinders`. */
import { FIGURE_STOP_WORDS, type OpenText, stem, wordsOf } from '../words.ts';
import { type AskedTable, type Column, columnText, type Filter } from './figure-statement.ts';
import { dimensionOf, type FigureRequest, NEUTRAL } from './figure-words.ts';
import {
  type ColumnValue,
  contentWords,
  headingWords,
  isAlike,
  namedColumn,
  numbersOf,
  ownValues,
  type Planning,
  SIGNED,
  spaced,
  takeColumn,
  valueFilter,
} from './match-columns.ts';
import { columnOf } from './measured-column.ts';

/** Undefined if it is unclear which column is compared with the number. */
export function thresholds(planning: Planning): Filter[] | undefined {
  const { open, request } = planning;
  const { threshold, rest } = request;
  if (!threshold) return [];
  const { sign, number, unit, at } = threshold;
  const isMoney = /^(?:eur|usd|gbp|chf)/.test(unit) || COSTS.test(rest.slice(Math.max(0, at - NEAR), at));
  const column = comparedColumn(planning, threshold, isMoney);
  if (!column || (unit === '%' && !columnOf('percent', [column]))) return undefined;
  takeColumn(open, column);
  if (isMoney) open.take(COSTS);
  const shown = columnText({ ...column, column: `${column.column}_text` });
  // A cell that shows 70 % is stored as 0.7.
  const factor = unit === '%' ? `iif(instr(${shown}, '%') > 0, 100, 1) * ` : '';
  const said = `${column.heading} ${sign} ${number}`;
  return [{ column, sql: `${factor}${columnText(column)} ${sign} ${number}`, said }];
}

const NEAR = 40;

type Threshold = NonNullable<FigureRequest['threshold']>;

function comparedColumn(
  { table, request: { rest } }: Planning,
  { words, unit, at, end }: Threshold,
  isMoney: boolean,
): Column | undefined {
  const numbers = numbersOf(table);
  const after = /^\W*([\p{L}]+)/u.exec(rest.slice(end))?.[1] ?? '';
  const measured = unit === '' ? [] : numbers.filter(({ heading }) => headingWords(heading).includes(stem(unit)));
  const behind = measured.length === 1 ? measured[0] : namedColumn(numbers, [stem(after)]);
  const isNoun = after !== '' && !FIGURE_STOP_WORDS.has(after) && !NEUTRAL.has(stem(after));
  if (isNoun && !behind && after !== '¤') return undefined;
  const before = lastNamed(numbers, contentWords(rest.slice(Math.max(0, at - NEAR), at)));
  const dimension = dimensionOf(words);
  const [measure, second] = dimension ? numbers.filter(({ heading }) => dimension.test(heading)) : [];
  const named = behind ?? (second ? undefined : measure) ?? before ?? (isMoney ? columnOf('each', numbers) : undefined);
  const column = named ?? (numbers.length === 1 ? numbers[0] : undefined);
  return column === 'unclear' ? undefined : column;
}

const COSTS = /(?<!\p{L})(?:costs?|costing|kosten|kostet|coute\w*|cuesta\w*)(?!\p{L})/u;

function lastNamed(columns: readonly Column[], words: readonly string[]): Column | undefined | 'unclear' {
  for (const word of words.toReversed()) {
    const named = namedColumn(columns, [word]);
    if (named) return named;
  }
  return undefined;
}

const OUTGOING =
  /(?<!\p{L})(?:spen[dt]|spending|paid|pay|payments? (?:to|made|out)|outgoings?|expenses?|expenditures?|withdrawn|withdrawals?|debits?|ausgegeben|ausgaben?|bezahlt|gezahlt|abgebucht|abgang|abgange|zahlungen an|depense[sr]?|payee?s?|sorties|gast(?:ado|os?|e)|pag(?:ado|ue|amos|aron))(?!\p{L})/u;

const INCOMING =
  /(?<!\p{L})(?:payments? (?:received )?from|zahlungen von|paiements? de|pagos? de|received?|income|incoming|earned|deposits?|deposited|credits?|(?:came|come|paid) in|einnahmen?|eingenommen|eingegangen|erhalten|gutschriften?|recettes?|encaiss\w*|entrees|recus?|recibid[oa]s?|ingresos?|ingresado|cobrado)(?!\p{L})/u;

const marksOf = ({ table, column }: Column, values: readonly ColumnValue[]): number =>
  Number(values.find(([mark, of]) => mark === SIGNED && of === `${table}.${column}`)?.[2] ?? 0);

export const isSigned = (column: Column, values: readonly ColumnValue[]): boolean => marksOf(column, values) % 2 === 1;

/** In a column of amounts below and above zero, what was spent is below. Undefined if both are asked for. */
export function signFilters({ open, table, values }: Planning): Filter[] | undefined {
  const [column, another] = numbersOf(table).filter((one) => isSigned(one, values));
  if (!column || another) return [];
  const incoming = open.take(INCOMING);
  const outgoing = open.take(OUTGOING);
  if (incoming && outgoing) return undefined;
  const sign = incoming ? '>' : '<';
  return incoming || outgoing
    ? [{ column, sql: `${columnText(column)} ${sign} 0`, said: `${column.heading} ${sign} 0`, sign }]
    : [];
}

const EMPTY =
  /(?<!\p{L})(out of|without(?: an?)?|no|missing(?: an?| the)?|ohne|kein\p{L}*|sans|pas de|sin) ([\p{L}]+)(?!\p{L})/gu;

/** "Out of stock" and "without a discount" are the rows whose number is zero, or that have none. */
export function emptyFilters({ open, table, values }: Planning): Filter[] {
  for (const { 0: whole, 1: said = '', 2: word = '', index } of open.text.matchAll(EMPTY)) {
    const named = namedColumn(table.columns, [stem(word)]);
    const column = named ?? (word === 'stock' ? columnOf('stock', numbersOf(table)) : undefined);
    if (!column || column === 'unclear') continue;
    const isNumber = column.type === 'number' && (said === 'out of' || marksOf(column, values) < 2);
    open.blank(index, whole.length);
    return [isNumber ? { column, sql: `${columnText(column)} = 0`, said: `${column.heading} = 0` } : isEmpty(column)];
  }
  return [];
}

export const isEmpty = (column: Column): Filter => ({
  column,
  sql: `(${columnText(column)} IS NULL OR ${columnText(column)} = '')`,
  said: `${column.heading} empty`,
});

export const comparedWith = (column: Column, sign: '<' | '>', other: Column): Filter => ({
  column,
  sql: `${columnText(column)} ${sign} ${columnText(other)}`,
  said: `${column.heading} ${sign} ${other.heading}`,
});

const BESIDE_COLUMN =
  /(?<!\p{L})(below|under|less than|lower than|above|over|more than|higher than|exceed\p{L}*|unter|uber|sous|au-dessous de|au-dessus de|por debajo de|por encima de) (?:their|its|the|his|her|dem|der|den|ihrem|ihren|ihrer|le|la|leur|su|el) ((?:\p{L}+ ?){1,3})/u;

/** "Below their reorder level" compares two columns. */
export function besideColumn({ open, table }: Planning): Filter[] {
  const found = BESIDE_COLUMN.exec(open.text);
  if (!found) return [];
  const [whole, said = '', name = ''] = found;
  const numbers = numbersOf(table);
  const other = namedColumn(numbers, contentWords(name));
  if (!other || other === 'unclear') return [];
  const words = contentWords(open.text.replace(whole, ' '));
  const named = namedColumn(
    numbers.filter((column) => column !== other),
    words,
  );
  const column =
    named ??
    (/reorder|minimum|melde|mindest|seuil/iu.test(other.heading) ? columnOf('stock', numbersOf(table)) : undefined);
  if (!column || column === 'unclear' || column === other) return [];
  open.blank(found.index, whole.length);
  takeColumn(open, column);
  return [
    comparedWith(column, /^(?:below|under|less|lower|unter|sous|au-dessous|por debajo)/.test(said) ? '<' : '>', other),
  ];
}

type Keyed = { open: OpenText; table: AskedTable; values: readonly ColumnValue[] };

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
