/** Computes a value by a formula over figures of documents: a closed list of operations, exact decimals. */

import Big from 'big.js';
import { calculate, isMeasure } from '../../engines/calculator/calculate.ts';
import type { OPERATIONS } from './operations.ts';

export type OperationName = (typeof OPERATIONS)[number];

/** `name` is how the formula shows the operand. */
export type NamedFigure = { name: string; value: number };

/** The units of `convert`. */
export type Units = { from?: string | undefined; to?: string | undefined };

/** Decimals of a quotient. */
const DECIMALS = 10;
const MAX_SHOWN = 8;

/** Does not touch the settings that other users of the library see. */
const Decimal = Big();
Decimal.DP = 30;
Decimal.PE = 30;
Decimal.NE = -30;

const TWO: readonly OperationName[] = ['difference', 'quotient', 'percentage_of', 'percentage_change'];

/** The result and how it came about, or what is wrong with the computation. */
export function computedOperation(
  op: OperationName,
  of: readonly NamedFigure[],
  units: Units = {},
): { value: number; formula: string } | { fault: string } {
  const fault = faultOfCount(op, of.length);
  if (fault) return { fault };
  const result = op === 'convert' ? convertedValue(of, units) : calculatedValue(op, of);
  if (!result) return { fault: 'the operation has no result for these values' };
  const value = Number(result.round(DECIMALS));
  if (!Number.isFinite(value)) return { fault: 'the result is too large' };
  return { value, formula: `${formulaOf(op, of, units)} = ${value}` };
}

/** What is wrong with the number of operands. */
function faultOfCount(op: OperationName, count: number): string | undefined {
  if (count === 0) return 'there are no operands';
  if (TWO.includes(op) && count !== 2) return `${op} needs two operands`;
  if (op === 'convert' && count !== 1) return 'convert needs one operand';
  return op === 'product' && count < 2 ? 'product needs at least two operands' : undefined;
}

const decimalOf = ({ value }: NamedFigure): Big => new Decimal(value);

function calculatedValue(op: OperationName, of: readonly NamedFigure[]): Big | undefined {
  if (op === 'count') return new Decimal(of.length);
  const decimals = of.map(decimalOf);
  const [a, b] = decimals as [Big, Big];
  const sum = () => decimals.reduce((left, right) => left.plus(right));
  if (op === 'sum') return sum();
  if (op === 'mean') return sum().div(decimals.length);
  if (op === 'product') return decimals.reduce((left, right) => left.times(right));
  if (op === 'difference') return a.minus(b);
  if (op === 'min') return decimals.reduce((left, right) => (right.lt(left) ? right : left));
  if (op === 'max') return decimals.reduce((left, right) => (right.gt(left) ? right : left));
  const divisor = op === 'percentage_change' ? a : b;
  if (divisor.eq(0)) return undefined;
  if (op === 'quotient') return a.div(b);
  return op === 'percentage_of' ? a.times(100).div(b) : b.minus(a).times(100).div(a.abs());
}

/** Units are converted by the table of `calculate`, which knows no currency's rate. */
function convertedValue([figure]: readonly NamedFigure[], { from = '', to = '' }: Units): Big | undefined {
  if (!figure || !isMeasure(from) || !isMeasure(to)) return undefined;
  const conversion = calculate(`(${decimalOf(figure).toFixed()} ${from}) to ${to}`);
  const number = 'result' in conversion ? /^-?\d+(?:\.\d+)?/.exec(conversion.result)?.[0] : undefined;
  return number === undefined ? undefined : new Decimal(number);
}

const SIGNS: Partial<Record<OperationName, string>> = {
  sum: ' + ',
  difference: ' - ',
  product: ' × ',
  quotient: ' / ',
};

function formulaOf(op: OperationName, of: readonly NamedFigure[], { to }: Units): string {
  const names = of.length > MAX_SHOWN ? [`${of.length} values from ${of[0]?.name}`] : of.map(({ name }) => name);
  const sign = SIGNS[op];
  const call = `${op}(${names.join(', ')}${to === undefined ? '' : `, ${to}`})`;
  return sign && of.length <= MAX_SHOWN ? `${call} = ${of.map(({ value }) => value).join(sign)}` : call;
}
