/** Takes statements into the findings: each with a citation that holds, the same one once with all its documents. */
import { fingerprintOf, numbersIn, sharedPart } from './near-duplicates.ts';
import type { Finding, ResearchCitation, ResearchState } from './state.ts';
import type { ResearchRequest } from './wish.ts';

export type Proposed = Pick<Finding, 'text' | 'is_quote' | 'citations' | 'topics' | 'score'>;

const SAME_WORDS = 0.85;
const MOST_OF_TOPIC = 10;

/** Sorted anew and numbered anew; what is beyond the depth goes, but not what a topic needs. */
export function takeIn(known: ResearchState, proposed: readonly Proposed[], { analysis }: ResearchRequest): void {
  const all: (Proposed & { stems: Set<string> })[] = [];
  // The longest first: a quote holds those that are a part of it.
  for (const one of [...known.findings, ...proposed].sort((a, b) => b.text.length - a.text.length)) {
    const { stems } = fingerprintOf(one.text);
    const same = all.find((other) => isSame(one.text, stems, other) || isPart(one, other));
    if (!same) {
      all.push({ ...one, stems });
      continue;
    }
    if (!isPart(one, same)) same.citations = distinct([...same.citations, ...one.citations]);
    same.topics = [...new Set([...same.topics, ...one.topics])];
    same.score = Math.max(same.score, one.score);
  }
  const sorted = all.sort((a, b) => b.score - a.score);
  const ofTopic = new Map<string, number>();
  const kept = sorted.filter(({ topics }, at) => {
    const isNeeded = topics.some((topic) => (ofTopic.get(topic) ?? 0) < MOST_OF_TOPIC);
    for (const topic of topics) ofTopic.set(topic, (ofTopic.get(topic) ?? 0) + 1);
    return at < analysis.findings || isNeeded;
  });
  known.findings = kept.map(({ stems: _, ...one }, at) => ({ ...one, finding: at + 1 }));
}

const isSame = (text: string, stems: Set<string>, other: Proposed & { stems: Set<string> }): boolean =>
  sharedPart(stems, other.stems) >= SAME_WORDS &&
  Math.min(stems.size, other.stems.size) >= SAME_WORDS * Math.max(stems.size, other.stems.size) &&
  [...numbersIn(text)].sort().join() === [...numbersIn(other.text)].sort().join();

/** Of one document, word for word. */
const isPart = (one: Proposed, other: Proposed): boolean =>
  one.is_quote &&
  other.is_quote &&
  other.text.includes(one.text) &&
  one.citations.every(({ document }) => other.citations.some((citation) => citation.document === document));

const distinct = (citations: ResearchCitation[]): ResearchCitation[] => [
  ...new Map(citations.map((one) => [JSON.stringify([one.document, one.quote]), one])).values(),
];
