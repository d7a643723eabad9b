/** The check digits of European VAT numbers, by the published rule of each country. */

type Check = (digits: number[]) => boolean;

/** The sum of the products of digits and weights. */
const weighted = (digits: readonly number[], weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * (digits[at] ?? 0), 0);

const number = (digits: readonly number[]): number => Number(digits.join(''));

/** The check digit is what the weighted sum lacks to a multiple of 11; `ten` replaces a remainder of 10. */
const elevens =
  (weights: readonly number[], ten?: number): Check =>
  (digits) => {
    const rest = (11 - (weighted(digits, weights) % 11)) % 11;
    return (rest === 10 ? ten : rest) === digits[weights.length];
  };

/** The weighted sum modulo 11 is the check digit; `ten` replaces a remainder of 10. */
const remainder =
  (weights: readonly number[], ten?: number): Check =>
  (digits) => {
    const rest = weighted(digits, weights) % 11;
    return (rest === 10 ? ten : rest) === digits[weights.length];
  };

/** The formula of Luhn over all digits. */
const luhn: Check = (digits) =>
  digits
    .toReversed()
    .reduce((sum, digit, at) => sum + (at % 2 === 0 ? digit : ((digit * 2) % 10) + (digit > 4 ? 1 : 0)), 0) %
    10 ===
  0;

/** ISO 7064, modulo 11 and 10. */
const hybrid: Check = (digits) => {
  const rest = digits.slice(0, -1).reduce((product, digit) => (((digit + product) % 10 || 10) * 2) % 11, 10);
  return (11 - rest) % 10 === digits.at(-1);
};

const austrian: Check = (digits) => {
  const doubled = (digit: number) => Math.floor(digit / 5) + ((digit * 2) % 10);
  const sum = digits.slice(0, 7).reduce((all, digit, at) => all + (at % 2 === 0 ? digit : doubled(digit)), 0);
  return (96 - sum) % 10 === digits[7];
};

const british: Check = (digits) => {
  const sum = weighted(digits, [8, 7, 6, 5, 4, 3, 2]) + number(digits.slice(7));
  return sum % 97 === 0 || (sum + 55) % 97 === 0;
};

/** Since 2020 sole traders have numbers of a second rule: modulo 97 over the whole with its letters. */
const dutch = (digits: number[]): boolean => {
  const letters = [2, 3, 2, 1, ...digits.slice(0, 9), 1, 1, ...digits.slice(9)];
  const whole = letters.reduce((rest, digit) => (rest * 10 + digit) % 97, 0);
  return remainder([9, 8, 7, 6, 5, 4, 3, 2])(digits) || whole === 1;
};

/** Countries that are not listed have no rule here. */
const CHECKS: Record<string, Check> = {
  ATU: austrian,
  BE: (digits) => 97 - (number(digits.slice(0, 8)) % 97) === number(digits.slice(8)),
  CHE: elevens([5, 4, 3, 2, 7, 6, 5, 4]),
  DE: hybrid,
  DK: (digits) => weighted(digits, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  EE: (digits) => weighted(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0,
  EL: (digits) => (weighted(digits, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === digits[8],
  FI: elevens([7, 9, 10, 5, 8, 4, 2]),
  FR: (digits) => digits.length !== 11 || (number(digits.slice(2)) * 100 + 12) % 97 === number(digits.slice(0, 2)),
  GB: british,
  HR: hybrid,
  HU: (digits) => weighted(digits, [9, 7, 3, 1, 9, 7, 3, 1]) % 10 === 0,
  IT: luhn,
  LU: (digits) => number(digits.slice(0, 6)) % 89 === number(digits.slice(6)),
  MT: (digits) => (weighted(digits, [3, 4, 6, 7, 8, 9]) + number(digits.slice(6))) % 37 === 0,
  NL: dutch,
  NO: elevens([3, 2, 7, 6, 5, 4, 3, 2]),
  PL: remainder([6, 5, 7, 2, 3, 4, 5, 6, 7]),
  PT: elevens([9, 8, 7, 6, 5, 4, 3, 2], 0),
  SE: (digits) => luhn(digits.slice(0, 10)),
  SI: elevens([8, 7, 6, 5, 4, 3, 2], 0),
  SK: (digits) => number(digits) % 11 === 0,
};

/** Returns whether the check digits are right, or undefined for a country whose rule is not known here. */
export function hasVatCheckDigits(vat: string): boolean | undefined {
  const country = /^(?:ATU|CHE|[A-Z]{2})/.exec(vat)?.[0] ?? '';
  const digits = [...vat.slice(country.length).replaceAll(/\D/g, '')].map(Number);
  return CHECKS[country]?.(digits);
}
