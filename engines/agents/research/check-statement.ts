/** Holds what a model wrote against the documents it cites: its quotes, its numbers, its words. */
import { plainText } from '../../model/extractive/plain-text.ts';
import { addressesIn } from '../chat/inert.ts';
import { heldIn } from './containment.ts';
import { quotable } from './find-quote.ts';
import { numbersIn } from './near-duplicates.ts';
import type { Citation } from './state.ts';

const MOST_STATEMENT = 800;

/** Numbers that a sentence has for itself: the years it may count, and none that the text does not have. */
export function containedNumbers(statement: string, text: string): boolean {
  const known = numbersIn(text);
  return [...numbersIn(statement)].every((number) => known.has(number));
}

const TAG = /<[a-z/!?][^<>]{0,500}>/gi;

/** As it is shown: on one line, without marks, tags, and addresses that the documents do not have. */
export function cleaned(statement: string, texts: readonly string[]): string {
  const plain = plainText(statement.normalize('NFC').replace(TAG, ' ')).slice(0, MOST_STATEMENT);
  const known = addressesIn(texts);
  const made = [...addressesIn([plain])].filter((address) => !known.has(address));
  return made
    .sort((a, b) => b.length - a.length)
    .reduce((text, address) => text.replaceAll(address, '[address left out]'), plain)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The documents' own words for each quote that stands in its document. */
export function heldCitations(citations: readonly Citation[], texts: ReadonlyMap<number, string>): Citation[] {
  return citations.flatMap(({ document, quote }) => {
    const text = texts.get(document);
    const found = text === undefined ? undefined : quotable(text).find(quote);
    return found === undefined ? [] : [{ document, quote: found }];
  });
}

/** Of its telling words so many must stand in what it cites, and each of its numbers. */
export function isSupported(statement: string, texts: readonly string[], least: number): boolean {
  const all = texts.join('\n');
  return containedNumbers(statement, all) && heldIn(all).contains(statement).words >= least;
}
