/** Holds what a model wrote against the documents it cites: its quotes, its numbers, its words. */
import { plainText } from '../../model/extractive/plain-text.ts';
import { addressesIn } from '../chat/inert.ts';
import { stemsIn } from './containment.ts';
import type { Evidence } from './evidence.ts';
import { numbersIn } from './near-duplicates.ts';
import type { ResearchCitation } from './state.ts';

const MOST_STATEMENT = 800;
const TAG = /<[a-z/!?][^<>]{0,500}>/gi;

/** As it is shown: on one line, without marks, tags, and addresses that the documents do not have. */
export function cleaned(statement: string, cited: readonly Evidence[]): string {
  const plain = plainText(statement.normalize('NFC').replace(TAG, ' ')).slice(0, MOST_STATEMENT);
  const isKnown = (address: string) => cited.some(({ addresses }) => addresses().has(address));
  const made = [...addressesIn([plain])].filter((address) => !isKnown(address));
  return made
    .sort((a, b) => b.length - a.length)
    .reduce((text, address) => text.replaceAll(address, '[address left out]'), plain)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The documents' own words for each quote that stands in its document. */
export const heldCitations = (
  citations: readonly ResearchCitation[],
  evidence: ReadonlyMap<number, Evidence>,
): ResearchCitation[] =>
  citations.flatMap(({ document, quote }) => {
    const found = evidence.get(document)?.find(quote);
    return found === undefined ? [] : [{ document, quote: found }];
  });

/** Of its telling words so many must stand in what it cites, and each of its numbers. */
export function isSupported(statement: string, cited: readonly Evidence[], least: number): boolean {
  const isThere = (of: 'words' | 'numbers', one: string) => cited.some((evidence) => evidence[of]().has(one));
  if (![...numbersIn(statement)].every((number) => isThere('numbers', number))) return false;
  const stems = stemsIn(statement);
  return stems.length > 0 && stems.filter((one) => isThere('words', one)).length / stems.length >= least;
}
