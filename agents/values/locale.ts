/** How a document writes dates and crowns, read from its text. */

import { crownsIn } from './currencies.ts';
import { dayFirstIn } from './dates.ts';
import type { DocumentLocale } from './rule.ts';

/** The beginning of a document tells. */
const MAX_READ = 20_000;

export function localeIn(text: string): DocumentLocale {
  const beginning = text.slice(0, MAX_READ);
  return { dayFirst: dayFirstIn(beginning), assumesDayFirst: true, crowns: crownsIn(beginning) };
}
