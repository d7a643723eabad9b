/** A number as an office program shows it in a list. */

const ROMAN: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];
const MAX_ROMAN = 4_999;
const LETTERS = 26;

export function formatListNumber(number: number, format: string): string {
  switch (format) {
    case 'none':
      return '';
    case 'decimalZero':
      return String(number).padStart(2, '0');
    case 'lowerRoman':
      return roman(number);
    case 'upperRoman':
      return roman(number).toUpperCase();
    case 'lowerLetter':
      return letter(number);
    case 'upperLetter':
      return letter(number).toUpperCase();
    default:
      return String(number);
  }
}

function roman(number: number): string {
  if (number < 1 || number > MAX_ROMAN) return String(number);
  let left = number;
  let text = '';
  for (const [value, sign] of ROMAN) {
    text += sign.repeat(Math.floor(left / value));
    left %= value;
  }
  return text;
}

/** After z comes aa, then bb. */
function letter(number: number): string {
  if (number < 1 || number > LETTERS * LETTERS) return String(number);
  const sign = String.fromCharCode(97 + ((number - 1) % LETTERS));
  return sign.repeat(Math.ceil(number / LETTERS));
}
