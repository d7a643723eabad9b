/** The calculator of chat tasks: exact, closed and bounded. */
import { describe, expect, it } from 'vitest';
import { calculate } from '../../../engines/calculator/calculate.ts';
import { expectWithin } from '../../support/expect-time.ts';
import { processorMs } from '../../support/machine-speed.ts';
import { HARD_EXPRESSIONS } from './hard-expressions.ts';

describe('calculates exactly', () => {
  it.each([
    ['0.1 + 0.2', '0.3'],
    ['1250.40 * 3 - 0.2', '3751'],
    ['(1250.40 - 980) / 980 * 100', '27.591836734693877551020408163265'],
    ['9007199254740993 + 1', '9007199254740994'],
    ['-2^2', '-4'],
    ['2^-2', '0.25'],
    ['200 * 19%', '38'],
    ['sum(1.1, 2.2, 3.3)', '6.6'],
    ['avg(1, 2)', '1.5'],
    ['median(5, 1, 3)', '3'],
    ['median(4, 1, 3, 2)', '2.5'],
    ['min(3, -1) - max(2, 7)', '-8'],
    ['round(2.345, 2)', '2.35'],
    ['roundeven(2.345, 2)', '2.34'],
    ['percent(15, 60)', '25'],
    ['change(80, 100)', '25'],
    ['10 / 4', '2.5'],
    ['-(-(3))', '3'],
  ])('%s', (expression, result) => expect(calculate(expression)).toMatchObject({ result }));

  it('says when a quotient was rounded, and only then', () => {
    expect(calculate('1 / 3')).toEqual({ result: `0.${'3'.repeat(30)}`, rounded: true });
    expect(calculate('1 / 8')).toEqual({ result: '0.125' });
  });
});

describe('calculates with days and units', () => {
  it.each([
    ['2026-01-31 + 1 month', '2026-02-28 (Saturday)'],
    ['2026-03-31 - 2 weeks', '2026-03-17 (Tuesday)'],
    ['2024-02-29 + 1 year', '2025-02-28 (Friday)'],
    ['2026-03-01 - 2026-02-01', '28 days'],
    ['days(2026-01-01, 2027-01-01)', '365'],
    ['3 ft + 2 in to cm', '96.52 cm'],
    ['2 in in cm', '5.08 cm'],
    ['20 C to F', '68 F'],
    ['1.5 h in min', '90 min'],
    ['12.50 EUR * 3', '37.5 EUR'],
    ['10 km / 2 km', '5'],
    ['3 GiB to MB', '3221.225472 MB'],
  ])('%s', (expression, result) => expect(calculate(expression)).toEqual({ result }));
});

describe('refuses what it does not know', () => {
  it.each([
    ['1,234.50 + 1', /separators of thousands/],
    ['1 / 0', /zero/],
    ['3 kg + 1', /unit/],
    ['3 kg + 1 m', /cannot be converted/],
    ['1 EUR + 1 USD', /exchange rate/],
    ['2026-02-30 + 1 day', /not a day/],
    ['constructor(1)', /no function/],
    ['toString', /not expected/],
    ['process.exit()', /./],
    ['9^999', /exponent/],
    ['9^99^99', /exponent|digits/],
    ['1e999', /digits/],
    ['2026-01-01 + 99999999 days', /whole days/],
    ['', /too early/],
    ['1 +', /too early/],
    ['1 2', /Not expected/],
    [`${'('.repeat(60)}1${')'.repeat(60)}`, /deep/],
    ['-'.repeat(60) + 1, /deep/],
  ])('%s', (expression, error) => expect(calculate(expression)).toEqual({ error: expect.stringMatching(error) }));

  it('an expression that is too long', () => {
    expect(calculate('1+'.repeat(3_000))).toEqual({ error: expect.stringMatching(/longer than/) });
    expect(calculate(`${'1+'.repeat(1_000)}1`)).toEqual({ error: expect.stringMatching(/parts/) });
  });

  it.each(Object.entries(HARD_EXPRESSIONS))(
    'within milliseconds, however hard the expression is: %s',
    (_, expression) => {
      expectWithin(
        processorMs(() => calculate(expression)),
        50,
      );
    },
  );

  it.each(['a sum of long reciprocals', 'a long reciprocal', 'sums of reciprocals'] as const)(
    '%s, before it is worked out',
    (name) => {
      expect(calculate(HARD_EXPRESSIONS[name])).toEqual({ error: expect.stringMatching(/too many steps/) });
    },
  );

  it('a quotient with more digits than a value may have', () => {
    expect(calculate(`1e150${'/1e-99'.repeat(3)}`)).toEqual({ error: expect.stringMatching(/more than 200 digits/) });
  });
});

it('discounts the payments of two years by month', () => {
  const payments = Array.from({ length: 24 }, (_, month) => `100 * 1.0041666^-${month + 1}`);
  expect(calculate(`round(${payments.join(' + ')}, 2)`)).toEqual({ result: '2279.39' });
});
