/** Numbers as people write them: 1,234.56 and 1.234,56 and 1 234,56 and 1'234.56. */

/** Digits with marks between them; never ends with a mark. */
export const NUMBER = "\\d{1,3}(?:[\\u00a0\\u202f ]\\d{3})+(?:[.,]\\d{1,4})?(?!\\d)|\\d+(?:[.,'’]\\d+)*";

const THREES = /^\d{1,3}(?:[.,'’]\d{2,3})*[.,'’]\d{3}$/;

/** As a plain decimal; undefined for something that is no number, such as 1.2.3. */
export function plainNumber(written: string): string | undefined {
  const text = written.replaceAll(/[\u00a0\u202f ]/g, '');
  const marks = text.match(/[.,'’]/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined) return text;
  const [whole, tail] = [text.slice(0, text.lastIndexOf(last)), text.slice(text.lastIndexOf(last) + 1)];
  const others = marks.slice(0, -1);
  // One kind of mark, in front of three figures: it parts thousands. A nought in front of it never does.
  const groups = others.every((mark) => mark === last) && THREES.test(text) && !/^0/.test(text);
  if (groups) return digits(text);
  const isParted =
    others.length === 0 || (others.every((mark) => mark === others[0] && mark !== last) && THREES.test(whole));
  return isParted && /[.,]/.test(last) ? `${digits(whole)}.${tail}` : undefined;
}

const digits = (text: string): string => text.replaceAll(/\D/g, '');

const MOST_PLACES = 4;

/** Multiplied, with two places or the more that it had. */
export function money(plain: string, times: number): string {
  if (times === 1)
    return plain.includes('.') && (plain.split('.')[1] ?? '').length >= 2 ? plain : Number(plain).toFixed(2);
  const product = Number((Number(plain) * times).toFixed(MOST_PLACES));
  return product.toFixed(2);
}

const SMALL =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const TENS = ['thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety', 'hundred'];
const SPELLED = new Map([
  ...SMALL.map((word, at): [string, string] => [word, String(at + 1)]),
  ...TENS.map((word, at): [string, string] => [word, String((at + 3) * 10)]),
]);

/** In English words. */
export const SPELLED_NUMBER = [...SPELLED.keys()].sort((a, b) => b.length - a.length).join('|');
export const spelledNumber = (word: string): string | undefined => SPELLED.get(word.toLowerCase());
