/** Quotes as a model is shown them: many rest on the same quotes, and many quotes stand at the same place; each is shown once. */

import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Quote } from './statement.ts';

export type NumberedQuotes = {
  /** The number of the quote, from 1. */
  numberOf(quote: Quote): number;
  /** JSON, one place or quote a line. */
  lines(): string;
};

export function numberedQuotes(): NumberedQuotes {
  const places = numbered('place');
  const quotes = numbered('quote');
  return {
    numberOf: ({ text, before, after, ...place }) =>
      quotes.numberOf({ place: places.numberOf(place), text, ...definedFields({ before, after }) }),
    lines: () => [...places.lines(), ...quotes.lines()].join('\n'),
  };
}

/** Numbers from 1 for what is shown once. */
function numbered(name: string) {
  const all = new Map<string, number>();
  return {
    numberOf(entry: object): number {
      const key = JSON.stringify(entry);
      const number = all.get(key) ?? all.size + 1;
      all.set(key, number);
      return number;
    },
    lines: (): string[] => [...all].map(([key, number]) => JSON.stringify({ [name]: number, ...JSON.parse(key) })),
  };
}
