/** Exact decimals for one expression: the digits that an operation has to work through are counted before it runs. */

import Big from 'big.js';

export class InvalidExpression extends Error {}
export const fail = (message: string): never => {
  throw new InvalidExpression(message);
};

/** The digits of a value, and its largest power of ten. */
const MAX_DIGITS = 200;
/** Decimal places of a quotient. */
export const DECIMALS = 40;
/**
 * Single digits that one expression may work through, which takes a few milliseconds. Without it an expression of a few
 * thousand characters would occupy the process for most of a minute.
 */
const MAX_DIGIT_STEPS = 2_000_000;
/** What an operation costs besides its digits, in steps. */
const STEPS_OF_OPERATION = 100;
/** A digit of a quotient is found by subtracting the divisor up to nine times. */
const STEPS_OF_QUOTIENT_DIGIT = 10;

/** A copy, so that settings do not affect other users of the library. */
export const Decimal = Big();
Decimal.DP = DECIMALS;
Decimal.PE = MAX_DIGITS;
Decimal.NE = -MAX_DIGITS;
Decimal.strict = false;

const tooLong = (): never => fail(`A result has more than ${MAX_DIGITS} digits.`);

export function bounded(value: Big): Big {
  return value.c.length > MAX_DIGITS || Math.abs(value.e) > MAX_DIGITS ? tooLong() : value;
}

/** The operations of one expression. Their operands are bounded, and so are their results. */
export type BoundedDecimals = {
  plus(left: Big, right: Big): Big;
  minus(left: Big, right: Big): Big;
  times(left: Big, right: Big): Big;
  /** Rounded to `DECIMALS` places. */
  dividedBy(left: Big, right: Big): Big;
  /** Whether nothing was lost when a quotient was rounded. */
  isExact(quotient: Big, dividend: Big, divisor: Big): boolean;
  /** A negative exponent gives the reciprocal, rounded to `DECIMALS` places. */
  power(base: Big, exponent: number): Big;
};

export function boundedDecimals(): BoundedDecimals {
  let steps = 0;
  const spend = (digits: number): void => {
    steps += digits + STEPS_OF_OPERATION;
    if (steps > MAX_DIGIT_STEPS) fail('The expression takes too many steps: calculate it in parts, or round before.');
  };
  const alignedDigits = (left: Big, right: Big) => left.c.length + right.c.length + Math.abs(left.e - right.e);

  function divide(left: Big, right: Big): Big {
    const quotientDigits = Math.max(0, DECIMALS + 1 + left.e - right.e) + 1;
    spend(quotientDigits * right.c.length * STEPS_OF_QUOTIENT_DIGIT);
    return bounded(left.div(right));
  }

  return {
    plus(left, right) {
      spend(alignedDigits(left, right));
      return bounded(left.plus(right));
    },
    minus(left, right) {
      spend(alignedDigits(left, right));
      return bounded(left.minus(right));
    },
    times(left, right) {
      spend(left.c.length * right.c.length);
      return bounded(left.times(right));
    },
    dividedBy: divide,
    isExact(quotient, dividend, divisor) {
      spend(quotient.c.length * divisor.c.length);
      return quotient.times(divisor).eq(dividend);
    },
    power(base, exponent) {
      const times = Math.abs(exponent);
      // The reciprocal of a long power is short, so only the steps bound a power that is divided by.
      if (exponent > 0 && times * significandLog10(base) >= MAX_DIGITS) tooLong();
      spend((base.c.length * times) ** 2 / 2);
      const power = base.pow(times);
      return exponent < 0 ? divide(new Decimal(1), power) : bounded(power);
    },
  };
}

/** The logarithm of the digits of a value, read as a whole number. */
const significandLog10 = ({ c: digits }: Big): number =>
  digits.length - 1 + Math.log10(Number(`${digits[0]}.${digits.slice(1, 17).join('')}`));
