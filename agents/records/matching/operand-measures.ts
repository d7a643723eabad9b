/** Units, currencies and periods of the operands of a computation, as they stand beside the values, and whether they go together. */

import { isMeasure } from '../../../engines/calculator/calculate.ts';
import { currenciesIn } from '../../values/currencies.ts';
import type { OperationName } from '../../verification/arithmetic.ts';
import { type Field, wordsOf } from '../field-words.ts';
import type { FieldCandidate } from './find-values.ts';
import type { ParsedDocument } from './parsed-document.ts';

export type Computation = { op: OperationName; of: readonly Operand[] };

/** A value that stands in the document. `name` is its path. */
export type Operand = { name: string; candidate: FieldCandidate };

const UNIT = /^[ \u00a0\u202f]?(?<unit>[A-Za-z]{1,5}[23]?)(?![\p{L}\d])/u;
const UNIT_OF_COLUMN = /[([](?<unit>[A-Za-z]{1,5}[23]?)[)\]]/;
const RATE =
  /(?<![\p{L}])(?:monthly|annual(?:ly)?|yearly|weekly|daily|hourly|quarterly|(?:(?:per|a|pro|par) |\/ ?)(?:month|mo|year|yr|annum|week|day|hour|quarter|monat|jahr|mois|an))(?![\p{L}])/giu;
const PERIOD = /(?<!\d)(?:19|20)\d\d(?!\d)|(?<![\p{L}])[QH][1-4](?!\d)/giu;
const BEHIND = 24;

export function faultOfMeasures(parsed: ParsedDocument, field: Field, computation: Computation): string | undefined {
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

type Measures = { currency?: string; unit?: string; period: string };

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
