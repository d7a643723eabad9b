/** Computes fields that a document does not state from values that it proves: a closed list of operations, exact decimals. */

import { isMeasure } from '../../../engines/calculator/calculate.ts';
import { currenciesIn } from '../../values/amounts.ts';
import { computed, type OperationName } from '../../verification/arithmetic.ts';
import { type Field, labelKey, wordsOf } from '../field-words.ts';
import { BETWEEN_NET_AND_GROSS } from '../invoices/labels.ts';
import type { FieldCandidate } from './find-values.ts';
import type { Paper } from './lines.ts';

export type Computation = { op: OperationName; of: readonly Operand[] };

/** A value that stands in the document. `name` is its path. */
export type Operand = { name: string; candidate: FieldCandidate };

type Computed = { value: number; formula: string };

const MAX_OPERANDS = 2_000;

/** The value with its formula, or what is wrong with the computation. */
export function computedValue(paper: Paper, field: Field, computation: Computation): Computed | { fault: string } {
  const { op, of } = computation;
  const fault = faultOfOperands(computation) ?? faultOfMeasures(paper, field, computation);
  if (fault) return { fault };
  const figures = of.map(({ name, candidate }) => ({ name, value: op === 'count' ? 1 : Number(candidate.value) }));
  const result = computed(op, figures);
  const isOther = 'value' in result && field.leaf.kind === 'integer' && !Number.isSafeInteger(result.value);
  return isOther ? { fault: 'the result is not a whole number' } : result;
}

function faultOfOperands({ op, of }: Computation): string | undefined {
  if (of.length > MAX_OPERANDS) return `there are more than ${MAX_OPERANDS} operands`;
  if (op !== 'count' && of.some(({ candidate }) => typeof candidate.value !== 'number'))
    return 'an operand is not a number';
  const places = new Set(of.map(({ candidate: { line, start } }) => `${line.part}:${start}`));
  return places.size < of.length ? 'a value is used twice' : undefined;
}

// Units, currencies and periods of operands, as they stand beside the values.

type Measures = { currency?: string; unit?: string; period: string };

const UNIT = /^[ \u00a0\u202f]?(?<unit>[A-Za-z]{1,5}[23]?)(?![\p{L}\d])/u;
const UNIT_OF_COLUMN = /[([](?<unit>[A-Za-z]{1,5}[23]?)[)\]]/;
const RATE =
  /(?<![\p{L}])(?:monthly|annual(?:ly)?|yearly|weekly|daily|hourly|quarterly|(?:(?:per|a|pro|par) |\/ ?)(?:month|mo|year|yr|annum|week|day|hour|quarter|monat|jahr|mois|an))(?![\p{L}])/giu;
const PERIOD = /(?<!\d)(?:19|20)\d\d(?!\d)|(?<![\p{L}])[QH][1-4](?!\d)/giu;
const BEHIND = 24;

function measuresOf({ parts, habits }: Paper, { candidate }: Operand): Measures {
  const { line, start, end, column = '', currency } = candidate;
  const text = parts[line.part]?.text ?? '';
  const behind = text.slice(end, Math.min(line.start + line.text.length, end + BEHIND));
  const unit = [UNIT.exec(behind)?.groups?.unit, UNIT_OF_COLUMN.exec(column)?.groups?.unit].find(
    (one) => one !== undefined && isMeasure(one),
  );
  const [inColumn] = currenciesIn(column, habits);
  const own = currency ?? inColumn;
  // A cell is named by its column and by the first cell of its row.
  const before = line.cells ? (line.cells[0]?.text ?? '') : text.slice(line.start, start);
  const rates = [column, before, line.cells ? '' : behind].flatMap((one) => one.match(RATE) ?? []);
  const periods = [column, line.cells ? '' : before].flatMap((one) => one.match(PERIOD) ?? []);
  const period = [...rates, ...periods].map((one) => one.toLowerCase()).join(' ');
  return { period, ...(own === undefined ? {} : { currency: own }), ...(unit === undefined ? {} : { unit }) };
}

const distinct = (all: readonly (string | undefined)[]): string[] => [
  ...new Set(all.filter((one) => one !== undefined)),
];

function faultOfMeasures(paper: Paper, field: Field, computation: Computation): string | undefined {
  const { op, of } = computation;
  const text = [wordsOf(field.names.join(' ')), field.leaf.title, field.leaf.description].join(' ');
  if (op === 'count') return undefined;
  const measures = of.map((one) => measuresOf(paper, one));
  // Codes in names of fields have small letters.
  const [asked] = currenciesIn(text.toUpperCase(), paper.habits);
  if (op === 'product' || op === 'quotient') return faultOfProduct(paper, computation, measures, asked);
  const isRatio = op === 'percentage_of' || op === 'percentage_change';
  return faultOfCurrency(paper, measures, isRatio ? undefined : asked) ?? faultOfUnits(op, measures);
}

function faultOfCurrency(paper: Paper, measures: readonly Measures[], asked: string | undefined): string | undefined {
  const [currency, ...more] = distinct(measures.map((one) => one.currency));
  if (currency === undefined) return undefined;
  if (more.length > 0) return `the values are in ${[currency, ...more].join(' and ')}`;
  if (measures.some((one) => one.currency === undefined) && documentCurrencies(paper).length > 1)
    return 'the currency of a value is not clear';
  return asked && asked !== currency ? `the values are in ${currency}, the field in ${asked}` : undefined;
}

/** A change is that between two periods. */
function faultOfUnits(op: OperationName, measures: readonly Measures[]): string | undefined {
  if (distinct(measures.map(({ unit }) => unit ?? '')).length > 1) return 'the values have different units';
  const isChange = op === 'percentage_change' || op === 'difference';
  return distinct(measures.map(({ period }) => period)).length > 1 && !isChange
    ? 'the values are of different periods'
    : undefined;
}

function faultOfProduct(
  paper: Paper,
  { op, of }: Computation,
  measures: readonly Measures[],
  asked: string | undefined,
): string | undefined {
  const rates = of.map(({ candidate: { line } }) => currenciesIn(line.text, paper.habits));
  const at = rates.findIndex((both) => both.length === 2);
  if (at >= 0) {
    const [from, rate] = [measures[1 - at], measures[at]];
    const isRight = of.length === 2 && isRateFor({ op, at, from, rate, both: rates[at] ?? [], asked });
    return isRight ? undefined : 'the rate does not convert this amount to the currency of the field';
  }
  const amounts = measures.filter(({ currency }) => currency !== undefined);
  const [currency, ...more] = distinct(amounts.map((one) => one.currency));
  if (op === 'product' && amounts.length > 1) return 'amounts of money are not multiplied';
  if (more.length > 0) return 'the values are in different currencies, and no rate is cited';
  const isRatio = op === 'quotient' && amounts.length === of.length;
  return asked && currency && asked !== currency && !isRatio
    ? `the values are in ${currency}, the field in ${asked}, and no rate is cited`
    : undefined;
}

type Rate = {
  op: OperationName;
  at: number;
  from: Measures | undefined;
  rate: Measures | undefined;
  both: readonly string[];
  asked: string | undefined;
};

/** Of `1 EUR = 1.08 USD`, euros times the rate are dollars, and dollars divided by it are euros. */
function isRateFor({ op, at, from, rate, both, asked }: Rate): boolean {
  const own = rate?.currency;
  const other = both.find((one) => one !== own);
  if (own === undefined || other === undefined) return false;
  return op === 'product'
    ? from?.currency === other && (asked ?? own) === own
    : at === 1 && from?.currency === own && (asked ?? other) === other;
}

const documentCurrencies = ({ lines, habits }: Paper): string[] =>
  distinct(lines.flatMap(({ text }) => currenciesIn(text, habits)));

// Without a model, only what the names of fields say, or the arithmetic of tax, is computed.

/** The rows of an array whose values are all known; `name` is its path. */
export type KnownList = { name: string; keys: ReadonlySet<string>; columns: { field: Field; values: Operand[] }[] };

/** What the field is computed from, as its kind, its name or its description says. */
export function impliedComputation(
  paper: Paper,
  field: Field,
  single: ReadonlyMap<Field, Operand>,
  lists: readonly KnownList[],
): Computation | undefined {
  if (field.leaf.kind !== 'number' && field.leaf.kind !== 'integer') return undefined;
  return impliedByTax(paper, field, single) ?? impliedByWords(field, lists);
}

function impliedByTax(paper: Paper, field: Field, single: ReadonlyMap<Field, Operand>): Computation | undefined {
  const { kind } = field.words;
  const known = (wanted: string) => [...single].find(([{ words }]) => words.kind === wanted)?.[1];
  const [total, subtotal, tax] = [known('total'), known('subtotal'), known('tax')];
  if (paper.lines.some(({ text }) => BETWEEN_NET_AND_GROSS.test(text))) return undefined;
  if (kind === 'total' && subtotal && tax) return { op: 'sum', of: [subtotal, tax] };
  if (kind === 'subtotal' && total && tax) return { op: 'difference', of: [total, tax] };
  return kind === 'tax' && total && subtotal ? { op: 'difference', of: [total, subtotal] } : undefined;
}

/** The words of an operation, and whether they need `of` behind them to mean one. */
const WORDS: readonly [op: OperationName, words: RegExp][] = [
  ['sum', /^(?:the )?(?:sum of|total of|summe der|somme des)\s+(?<rest>.+)$/iu],
  ['sum', /^total\s+(?<rest>.+)$/iu],
  ['count', /^(?:the )?(?:number of|count of|anzahl der|nombre de)\s+(?<rest>.+)$/iu],
  ['count', /^(?<rest>.+?)\s+count$/iu],
  ['mean', /^(?:the )?(?:average|mean|avg|durchschnitt der|moyenne des)\s+(?:of\s+)?(?<rest>.+)$/iu],
  ['min', /^(?:the )?(?:lowest|smallest|cheapest|minimum of)\s+(?<rest>.+)$/iu],
  ['max', /^(?:the )?(?:highest|largest|maximum of)\s+(?<rest>.+)$/iu],
];

function impliedByWords({ names, leaf, words }: Field, lists: readonly KnownList[]): Computation | undefined {
  // `total_amount` is the total of the document, which may have a tax: only a description makes it a sum of rows.
  const texts = [...(words.rule ? [] : [wordsOf(names.at(-1) ?? ''), leaf.title]), leaf.description];
  const implied = texts.flatMap((text = '') =>
    WORDS.flatMap(([op, pattern]): Computation[] => {
      const rest = pattern.exec(text.trim())?.groups?.rest?.replace(/^(?:all|the)\s+|[.]$/giu, '') ?? '';
      const of = op === 'count' ? rowsNamed(rest, lists) : columnNamed(rest, lists);
      return of && of.length > 0 ? [{ op, of }] : [];
    }),
  );
  return implied[0];
}

function rowsNamed(text: string, lists: readonly KnownList[]): Operand[] | undefined {
  const [only, ...more] = lists.filter(({ keys }) => keys.has(labelKey(text)));
  return more.length > 0 ? undefined : only?.columns[0]?.values;
}

/** A column by its name, or by that of its array and its own. */
function columnNamed(text: string, lists: readonly KnownList[]): Operand[] | undefined {
  const key = labelKey(text);
  const [only, ...more] = lists.flatMap(({ name, columns }) =>
    columns.filter(({ field }) => {
      const own = wordsOf(field.names.at(-1) ?? '');
      return [own, `${wordsOf(name)} ${own}`].some((one) => labelKey(one) === key);
    }),
  );
  return more.length > 0 ? undefined : only?.values;
}
