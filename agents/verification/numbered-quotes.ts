/** Quotes as a model is shown them: many rest on the same quotes, and many quotes stand at the same place; each is shown once. */

import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Quote } from './statement-verdict.ts';

export type NumberedQuotes = {
  /** The number of the quote, from 1. */
  numberOf(quote: Quote): number;
  /** JSON, one place or quote a line. */
  lines(): string;
};

export function numberedQuotes(): NumberedQuotes {
  const places = numberedEntries('place');
  const quotes = numberedEntries('quote');
  return {
    numberOf: ({ text, before, after, ...place }) =>
      quotes.numberOf({ place: places.numberOf(place), text, ...definedFields({ before, after }) }),
    lines: () => [...places.lines(), ...quotes.lines()].join('\n'),
  };
}

/** Numbers from 1 for what is shown once. */
function numberedEntries(name: string) {
  const numbers = new Map<string, number>();
  return {
    numberOf(entry: object): number {
      const key = JSON.stringify(entry);
      const number = numbers.get(key) ?? numbers.size + 1;
      numbers.set(key, number);
      return number;
    },
    lines: (): string[] => [...numbers].map(([key, number]) => JSON.stringify({ [name]: number, ...JSON.parse(key) })),
  };
}
