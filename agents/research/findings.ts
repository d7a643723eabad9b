/** Adds statements to the findings: each has a citation that code has found in its document. */

import { addressesIn } from '../../engines/outputs/inert-markdown.ts';
import { plainText } from '../../engines/retrieval/passages.ts';
import type { Finding, ResearchCitation } from './report-model.ts';
import type { ChosenDocument, ResearchRequest } from './research-request.ts';

/** A statement that is not yet numbered. */
export type ProposedFinding = Omit<Finding, 'finding'>;

const MAX_PER_TOPIC = 10;
/** So many of the best of each sub-question are kept, however many others there are. */
const MAX_PER_QUESTION = 3;

/**
 * Adds what is proposed: merges equal statements, sorts and numbers all again, and drops those beyond the depth, except what a
 * topic or a sub-question needs. `beyond` is how many it drops.
 */
export function mergeProposed(
  findings: readonly Finding[],
  proposed: readonly ProposedFinding[],
  { analysis }: ResearchRequest,
): { findings: Finding[]; beyond: number } {
  const statements = [...findings, ...proposed];
  const merged: ProposedFinding[] = [];
  // The longest comes first, as a quote may contain shorter ones.
  for (const statement of statements.toSorted((a, b) => b.text.length - a.text.length)) {
    const duplicate = merged.find((candidate) => isSame(statement, candidate) || isPart(statement, candidate));
    if (!duplicate) {
      merged.push({ ...statement });
      continue;
    }
    if (!isPart(statement, duplicate)) duplicate.citations = distinct([...duplicate.citations, ...statement.citations]);
    if (duplicate.figures ?? statement.figures)
      duplicate.figures = distinct([...(duplicate.figures ?? []), ...(statement.figures ?? [])]);
    // What stands nowhere in one document stands in the other.
    if (statement.unfounded === undefined) delete duplicate.unfounded;
    duplicate.topics = [...new Set([...duplicate.topics, ...statement.topics])];
    duplicate.score = Math.max(duplicate.score, statement.score);
  }
  const ofTopic = new Map<string, number>();
  const placeOf = new Map(statements.map(({ text }, at) => [text, at]));
  const orderOf = ({ text }: ProposedFinding) => placeOf.get(text) ?? 0;
  const sorted = merged.toSorted((a, b) => b.score - a.score || orderOf(a) - orderOf(b));
  const keptFindings = sorted.filter(({ topics, sub_question }, at) => {
    const groups = [
      { name: `sub-question ${sub_question}`, most: MAX_PER_QUESTION },
      ...topics.map((topic) => ({ name: topic, most: MAX_PER_TOPIC })),
    ];
    const isNeeded = groups.some(({ name, most }) => (ofTopic.get(name) ?? 0) < most);
    for (const { name } of groups) ofTopic.set(name, (ofTopic.get(name) ?? 0) + 1);
    return at < analysis.findings || isNeeded;
  });
  return {
    findings: keptFindings.map((statement, at) => ({ ...statement, finding: at + 1 })),
    beyond: merged.length - keptFindings.length,
  };
}

const MAX_STATEMENT = 800;
const TAG = /<[a-z/!?][^<>]{0,500}>/gi;

/** Returns the statement on one line, without markup, tags, and URLs that the documents do not contain. */
export function cleanedStatement(statement: string, cited: readonly Pick<ChosenDocument, 'title' | 'text'>[]): string {
  const plain = plainText(statement.normalize('NFC').replace(TAG, ' ')).slice(0, MAX_STATEMENT);
  const isKnown = (address: string) => cited.some(({ title, text }) => addressesIn([`${title}\n${text}`]).has(address));
  const unknownAddresses = [...addressesIn([plain])].filter((address) => !isKnown(address));
  return unknownAddresses
    .sort((a, b) => b.length - a.length)
    .reduce((text, address) => text.replaceAll(address, '[address left out]'), plain)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

export const citedNumbers = (citations: readonly ResearchCitation[]): number[] =>
  [...new Set(citations.map(({ document }) => document))].sort((a, b) => a - b);

export const findingsByNumber = (
  numbers: readonly number[],
  { findings }: { findings: readonly Finding[] },
): Finding[] => findings.filter(({ finding }) => numbers.includes(finding));

const plainOf = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim();
const isSame = (statement: ProposedFinding, candidate: ProposedFinding): boolean =>
  plainOf(statement.text) === plainOf(candidate.text);

/** Returns true if the statement is a part of the quote `whole`, word for word, from the same documents. */
const isPart = (statement: ProposedFinding, whole: ProposedFinding): boolean =>
  statement.is_quote &&
  whole.is_quote &&
  whole.text.includes(statement.text) &&
  statement.citations.every(({ document }) => whole.citations.some((citation) => citation.document === document));

const distinct = <T>(entries: readonly T[]): T[] => [
  ...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values(),
];
