/** The texts in which the figures of a value are looked for. */

import type { DocumentLocale } from '../../values/rule.ts';
import type { Surroundings } from '../located-quote.ts';
import { surroundingText } from './surroundings.ts';

/**
 * What is read beside a value: its quote with its whole lines, and all that stands around it, where a figure that is found is
 * a doubt at best.
 */
export type FigureTexts = {
  /** Only the figures of the quote itself contradict: its lines speak of other things as well. */
  quote: string;
  near: string;
  around: string;
  locale: DocumentLocale;
};

export function figureTexts(quote: string, around: Surroundings, locale: DocumentLocale): FigureTexts {
  // A quote may begin or end inside a figure, and its lines have the whole one.
  const near = around.lines.includes(quote.trim()) ? around.lines : `${quote}\n${around.lines}`;
  return {
    quote: plainDigits(quote),
    near: plainDigits(near),
    around: plainDigits(surroundingText(around)),
    locale,
  };
}

/** Digits of other scripts, and full-width ones, as ASCII, and `3½` as `3.5`. */
export const plainDigits = (text: string): string =>
  text
    .replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit)))
    .replaceAll(/(\d*) ?([¼-¾⅐-⅞])/g, (_, whole: string, sign: string) => String(Number(whole) + fractionValue(sign)))
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .replaceAll('％', '%');

/** The digits of a script follow each other, from its zero. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

function fractionValue(sign: string): number {
  const [first, second] = sign.normalize('NFKC').split('⁄');
  return Number(first) / Number(second);
}
