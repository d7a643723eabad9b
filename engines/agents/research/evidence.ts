/** A text that statements are held against: made out once, however many there are. */
import { addressesIn } from '../chat/inert.ts';
import { stemsIn } from './containment.ts';
import { type Quotable, quotable } from './find-quote.ts';
import { numbersIn } from './near-duplicates.ts';
import type { Chosen } from './state.ts';

export type Evidence = {
  find: Quotable['find'];
  words(): ReadonlySet<string>;
  numbers(): ReadonlySet<string>;
  addresses(): ReadonlySet<string>;
};

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

export function evidenceIn(text: string): Evidence {
  const quotes = once(() => quotable(text));
  return {
    find: (quote) => quotes().find(quote),
    words: once(() => new Set(stemsIn(text))),
    numbers: once(() => numbersIn(text)),
    addresses: once(() => addressesIn([text])),
  };
}

export const evidenceOf = (documents: readonly Chosen[]): Map<number, Evidence> =>
  new Map(documents.map(({ document, title, text }) => [document, evidenceIn(`${title}\n${text}`)]));
