/** Computes fields that a document does not state from values that it proves: a closed list of operations, exact decimals. */

import { isMeasure } from '../../../engines/calculator/calculate.ts';
import { currenciesIn } from '../../values/amounts.ts';
import { computedOperation, type OperationName } from '../../verification/arithmetic.ts';
import { type Field, labelKey, wordsOf } from '../field-words.ts';
import { BETWEEN_NET_AND_GROSS } from '../invoices/labels.ts';
import type { FieldCandidate } from './find-values.ts';
import type { ParsedDocument } from './parsed-document.ts';

export type Computation = { op: OperationName; of: readonly Operand[] };

/** A value that stands in the document. `name` is its path. */
export type Operand = { name: string; candidate: FieldCandidate };

type Computed = { value: number; formula: string };

const MAX_OPERANDS = 2_000;

/** The value with its formula, or what is wrong with the computation. */
export function computedValue(
  parsed: ParsedDocument,
  field: Field,
  computation: Computation,
): Computed | { fault: string } {
  const { op, of } = computation;
  const fault = faultOfOperands(computation) ?? faultOfMeasures(parsed, field, computation);
  if (fault) return { fault };
  const figures = of.map(({ name, candidate }) => ({ name, value: op === 'count' ? 1 : Number(candidate.value) }));
  const result = computedOperation(op, figures);
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

function measuresOf({ parts, locale }: ParsedDocument, { candidate }: Operand): Measures {
  const { line, start, end, column = '', currency } = candidate;
  const text = parts[line.part]?.text ?? '';
  const behind = text.slice(end, Math.min(line.start + line.text.length, end + BEHIND));
  const unit = [UNIT.exec(behind)?.groups?.unit, UNIT_OF_COLUMN.exec(column)?.groups?.unit].find(
    (name) => name !== undefined && isMeasure(name),
  );
  const [inColumn] = currenciesIn(column, locale);
  const ownCurrency = currency ?? inColumn;
  // A cell is named by its column and by the first cell of its row.
  const before = line.cells ? (line.cells[0]?.text ?? '') : text.slice(line.start, start);
  const rates = [column, before, line.cells ? '' : behind].flatMap((words) => words.match(RATE) ?? []);
  const periods = [column, line.cells ? '' : before].flatMap((words) => words.match(PERIOD) ?? []);
  const period = [...rates, ...periods].map((periodName) => periodName.toLowerCase()).join(' ');
  return {
    period,
    ...(ownCurrency === undefined ? {} : { currency: ownCurrency }),
    ...(unit === undefined ? {} : { unit }),
  };
}

const distinct = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];

function faultOfMeasures(parsed: ParsedDocument, field: Field, computation: Computation): string | undefined {
  const { op, of } = computation;
  const text = [wordsOf(field.names.join(' ')), field.leaf.title, field.leaf.description].join(' ');
  if (op === 'count') return undefined;
  const measures = of.map((operand) => measuresOf(parsed, operand));
  // Codes in names of fields have small letters.
  const [fieldCurrency] = currenciesIn(text.toUpperCase(), parsed.locale);
  if (op === 'product' || op === 'quotient') return faultOfProduct(parsed, computation, measures, fieldCurrency);
  const isRatio = op === 'percentage_of' || op === 'percentage_change';
  return faultOfCurrency(parsed, measures, isRatio ? undefined : fieldCurrency) ?? faultOfUnits(op, measures);
}

function faultOfCurrency(
  parsed: ParsedDocument,
  measures: readonly Measures[],
  fieldCurrency: string | undefined,
): string | undefined {
  const [currency, ...more] = distinct(measures.map((measure) => measure.currency));
  if (currency === undefined) return undefined;
  if (more.length > 0) return `the values are in ${[currency, ...more].join(' and ')}`;
  if (measures.some((measure) => measure.currency === undefined) && documentCurrencies(parsed).length > 1)
    return 'the currency of a value is not clear';
  return fieldCurrency && fieldCurrency !== currency
    ? `the values are in ${currency}, the field in ${fieldCurrency}`
    : undefined;
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
  parsed: ParsedDocument,
  { op, of }: Computation,
  measures: readonly Measures[],
  fieldCurrency: string | undefined,
): string | undefined {
  const rates = of.map(({ candidate: { line } }) => currenciesIn(line.text, parsed.locale));
  const at = rates.findIndex((currencies) => currencies.length === 2);
  if (at >= 0) {
    const [from, rate] = [measures[1 - at], measures[at]];
    const isRight = of.length === 2 && isRateFor({ op, at, from, rate, currencies: rates[at] ?? [], fieldCurrency });
    return isRight ? undefined : 'the rate does not convert this amount to the currency of the field';
  }
  const amounts = measures.filter(({ currency }) => currency !== undefined);
  const [currency, ...more] = distinct(amounts.map((amount) => amount.currency));
  if (op === 'product' && amounts.length > 1) return 'amounts of money are not multiplied';
  if (more.length > 0) return 'the values are in different currencies, and no rate is cited';
  const isRatio = op === 'quotient' && amounts.length === of.length;
  return fieldCurrency && currency && fieldCurrency !== currency && !isRatio
    ? `the values are in ${currency}, the field in ${fieldCurrency}, and no rate is cited`
    : undefined;
}

type Rate = {
  op: OperationName;
  at: number;
  from: Measures | undefined;
  rate: Measures | undefined;
  currencies: readonly string[];
  fieldCurrency: string | undefined;
};

/** Of `1 EUR = 1.08 USD`, euros times the rate are dollars, and dollars divided by it are euros. */
function isRateFor({ op, at, from, rate, currencies, fieldCurrency }: Rate): boolean {
  const rateCurrency = rate?.currency;
  const otherCurrency = currencies.find((currency) => currency !== rateCurrency);
  if (rateCurrency === undefined || otherCurrency === undefined) return false;
  return op === 'product'
    ? from?.currency === otherCurrency && (fieldCurrency ?? rateCurrency) === rateCurrency
    : at === 1 && from?.currency === rateCurrency && (fieldCurrency ?? otherCurrency) === otherCurrency;
}

const documentCurrencies = ({ lines, locale }: ParsedDocument): string[] =>
  distinct(lines.flatMap(({ text }) => currenciesIn(text, locale)));

// Without a model, only what the names of fields say, or the arithmetic of tax, is computed.

/** The rows of an array whose values are all known; `name` is its path. */
export type CompleteList = { name: string; keys: ReadonlySet<string>; columns: { field: Field; values: Operand[] }[] };

/** What the field is computed from, as its kind, its name or its description says. */
export function impliedComputation(
  parsed: ParsedDocument,
  field: Field,
  single: ReadonlyMap<Field, Operand>,
  lists: readonly CompleteList[],
): Computation | undefined {
  if (field.leaf.kind !== 'number' && field.leaf.kind !== 'integer') return undefined;
  return impliedByTax(parsed, field, single) ?? impliedByWords(field, lists);
}

function impliedByTax(
  parsed: ParsedDocument,
  field: Field,
  single: ReadonlyMap<Field, Operand>,
): Computation | undefined {
  const { kind } = field.words;
  const operandOfKind = (labelKind: string) => [...single].find(([{ words }]) => words.kind === labelKind)?.[1];
  const [total, subtotal, tax] = [operandOfKind('total'), operandOfKind('subtotal'), operandOfKind('tax')];
  if (parsed.lines.some(({ text }) => BETWEEN_NET_AND_GROSS.test(text))) return undefined;
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

function impliedByWords({ names, leaf, words }: Field, lists: readonly CompleteList[]): Computation | undefined {
  // `total_amount` is the total of the document, which may have a tax: only a description makes it a sum of rows.
  const texts = [...(words.rule ? [] : [wordsOf(names.at(-1) ?? ''), leaf.title]), leaf.description];
  const implied = texts.flatMap((text = '') =>
    WORDS.flatMap(([op, pattern]): Computation[] => {
      const operandText = pattern.exec(text.trim())?.groups?.rest?.replace(/^(?:all|the)\s+|[.]$/giu, '') ?? '';
      const of = op === 'count' ? rowsNamed(operandText, lists) : columnNamed(operandText, lists);
      return of && of.length > 0 ? [{ op, of }] : [];
    }),
  );
  return implied[0];
}

function rowsNamed(text: string, lists: readonly CompleteList[]): Operand[] | undefined {
  const [only, ...more] = lists.filter(({ keys }) => keys.has(labelKey(text)));
  return more.length > 0 ? undefined : only?.columns[0]?.values;
}

/** A column by its name, or by that of its array and its own. */
function columnNamed(text: string, lists: readonly CompleteList[]): Operand[] | undefined {
  const key = labelKey(text);
  const [only, ...more] = lists.flatMap(({ name, columns }) =>
    columns.filter(({ field }) => {
      const columnName = wordsOf(field.names.at(-1) ?? '');
      return [columnName, `${wordsOf(name)} ${columnName}`].some((phrase) => labelKey(phrase) === key);
    }),
  );
  return more.length > 0 ? undefined : only?.values;
}
