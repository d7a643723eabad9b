/** Expressions within the limits of characters and parts that would take seconds if they were simply worked out. */

const nines = (digits: number): string => '9'.repeat(digits);
const sumOf = (times: number, term: string): string => Array.from({ length: times }, () => term).join('+');

/** Named by what is hard about them. */
export const HARD_EXPRESSIONS = {
  'a sum of long reciprocals': `(${sumOf(17, `(1.${nines(198)}^-100)`)})`,
  'a long power': `${nines(199)}^100`,
  'a long reciprocal': `(${nines(199)})^-100`,
  'sums of reciprocals': sumOf(90, '1.0000001^-99'),
  'a product of powers': Array.from({ length: 90 }, () => `(${nines(20)})^99`).join('*'),
  'powers of quotients': `sum(${'(1/7)^99,'.repeat(150)}1)`,
  'long quotients': sumOf(18, `1e150/1.${'0'.repeat(196)}1`),
  'quotients that grow': `1e150${'/1e-99'.repeat(400)}`,
  'long products': sumOf(19, `${nines(99)}*${nines(99)}`),
  'a long number': nines(3_900),
};
