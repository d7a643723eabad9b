/** Says what the figures at the place of a quote say of a value. */

import type { DocumentLocale } from '../../values/rule.ts';
import type { FigureCheck, Surroundings } from '../located-quote.ts';
import { checkDate } from './date-figures.ts';
import { figureTexts } from './figure-texts.ts';
import { checkNumber } from './number-figures.ts';

/** `quote` is the text at the place, cut from the document. A date is `2026-03-01`, `2026-03` or `2026`. */
export function figureCheck(
  kind: 'number' | 'date',
  value: number | string,
  quote: string,
  around: Surroundings,
  locale: DocumentLocale,
): FigureCheck {
  const texts = figureTexts(quote, around, locale);
  return kind === 'date' ? checkDate(String(value), texts) : checkNumber(Number(value), texts);
}
