/** The check digits of European VAT numbers, by the published rule of each country. */

/** Returns undefined for the number of a person, which has no rule here. `text` is the number with its letters. */
type Check = (digits: number[], text: string) => boolean | undefined;

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
const luhn = (digits: readonly number[]): boolean =>
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
const dutch: Check = (digits) => {
  const letters = [2, 3, 2, 1, ...digits.slice(0, 9), 1, 1, ...digits.slice(9)];
  const whole = letters.reduce((rest, digit) => (rest * 10 + digit) % 97, 0);
  return remainder([9, 8, 7, 6, 5, 4, 3, 2])(digits, '') || whole === 1;
};

const bulgarian: Check = (digits) => {
  if (digits.length !== 9) return undefined;
  const rest = weighted(digits, [1, 2, 3, 4, 5, 6, 7, 8]) % 11;
  return (rest === 10 ? (weighted(digits, [3, 4, 5, 6, 7, 8, 9, 10]) % 11) % 10 : rest) === digits[8];
};

const CYPRIOT = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
const cypriot: Check = (digits, text) => {
  const sum = digits.reduce((all, digit, at) => all + (at % 2 === 0 ? (CYPRIOT[digit] ?? 0) : digit), 0);
  return !text.startsWith('12') && text.at(-1) === String.fromCharCode(65 + (sum % 26));
};

const czech: Check = (digits) => {
  const check = ((11 - (weighted(digits, [8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 || 1) % 10;
  return digits.length === 8 ? digits[0] !== 9 && check === digits[7] : undefined;
};

/** Letters in the order of the remainder that they stand for. */
const IRISH = 'WABCDEFGHIJKLMNOPQRSTUV';
const irish: Check = (digits, text) => {
  const second = Math.max(0, IRISH.indexOf(text[8] ?? 'W'));
  return IRISH[(weighted(digits, [8, 7, 6, 5, 4, 3, 2]) + 9 * second) % 23] === text[7];
};

const SPANISH = 'TRWAGMYFPDXBNJZSQVHLCKE';
/** People have a number with a letter behind it, organizations one with a letter before it and a digit or letter behind it. */
const spanish: Check = (digits, text) => {
  const [first = '', last = ''] = [text[0], text.at(-1)];
  const abroad = 'XYZ'.indexOf(first);
  if (abroad >= 0 || /\d/.test(first))
    return SPANISH[number([...(abroad > 0 ? [abroad] : []), ...digits]) % 23] === last;
  const seven = digits.slice(0, 7);
  if (/[KLM]/.test(first)) return SPANISH[number(seven) % 23] === last;
  const sum = seven.reduce(
    (all, digit, at) => all + (at % 2 === 1 ? digit : Math.floor(digit / 5) + ((digit * 2) % 10)),
    0,
  );
  const check = (10 - (sum % 10)) % 10;
  return last === `${check}` || last === 'JABCDEFGHI'[check];
};

/** A second row of weights counts where the first leaves a remainder of 10. */
const lithuanian: Check = (digits) => {
  const length = digits.length - 1;
  const sum = (from: number) =>
    digits.slice(0, length).reduce((all, digit, at) => all + digit * (((at + from) % 9) + 1), 0);
  const rest = sum(0) % 11;
  return digits[length - 1] === 1 && (rest === 10 ? (sum(2) % 11) % 10 : rest) === digits[length];
};

const latvian: Check = (digits) =>
  (digits[0] ?? 0) > 3 ? weighted(digits, [9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 === 3 : undefined;

const romanian: Check = (digits) => {
  const ten = [...Array.from({ length: 10 - digits.length }, () => 0), ...digits];
  return ((weighted(ten, [7, 5, 3, 2, 1, 7, 5, 3, 2]) * 10) % 11) % 10 === ten[9];
};

const CHECKS: Record<string, Check> = {
  ATU: austrian,
  BE: (digits) => 97 - (number(digits.slice(0, 8)) % 97) === number(digits.slice(8)),
  BG: bulgarian,
  CHE: elevens([5, 4, 3, 2, 7, 6, 5, 4]),
  CY: cypriot,
  CZ: czech,
  DE: hybrid,
  DK: (digits) => weighted(digits, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  EE: (digits) => weighted(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0,
  EL: (digits) => (weighted(digits, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === digits[8],
  ES: spanish,
  FI: elevens([7, 9, 10, 5, 8, 4, 2]),
  FR: (digits) => digits.length !== 11 || (number(digits.slice(2)) * 100 + 12) % 97 === number(digits.slice(0, 2)),
  GB: british,
  HR: hybrid,
  HU: (digits) => weighted(digits, [9, 7, 3, 1, 9, 7, 3, 1]) % 10 === 0,
  IE: irish,
  IT: luhn,
  LT: lithuanian,
  LU: (digits) => number(digits.slice(0, 6)) % 89 === number(digits.slice(6)),
  LV: latvian,
  MT: (digits) => (weighted(digits, [3, 4, 6, 7, 8, 9]) + number(digits.slice(6))) % 37 === 0,
  NL: dutch,
  NO: elevens([3, 2, 7, 6, 5, 4, 3, 2]),
  PL: remainder([6, 5, 7, 2, 3, 4, 5, 6, 7]),
  PT: elevens([9, 8, 7, 6, 5, 4, 3, 2], 0),
  RO: romanian,
  SE: (digits) => luhn(digits.slice(0, 10)),
  SI: elevens([8, 7, 6, 5, 4, 3, 2], 0),
  SK: (digits) => number(digits) % 11 === 0,
};

/** Returns whether the check digits are right, or undefined where no rule is known here. */
export function hasVatCheckDigits(vat: string): boolean | undefined {
  const country = /^(?:ATU|CHE|[A-Z]{2})/.exec(vat)?.[0] ?? '';
  const text = vat.slice(country.length);
  return CHECKS[country]?.([...text.replaceAll(/\D/g, '')].map(Number), text);
}
