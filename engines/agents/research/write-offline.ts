/** Writes a deliverable out of the findings as they are: quotes, each with its citations. */
import type { Deliverable } from './deliverables.ts';
import type { Finding } from './state.ts';
import type { WrittenDeliverable, WrittenParagraph } from './written.ts';

const SUMMARY = 5;
const OF_ONE_DOCUMENT = 2;
const MOST_OF_TOPIC = 8;

const paragraphOf = ({ finding, text, citations, is_quote: isQuote }: Finding): WrittenParagraph => ({
  text,
  citations: [...new Set(citations.map(({ document }) => document))].sort((a, b) => a - b),
  findings: [finding],
  is_quote: isQuote,
});

export function writeOffline(
  { deliverable, title, kind }: Deliverable,
  findings: readonly Finding[],
): WrittenDeliverable {
  const chosen =
    kind === 'summary'
      ? summaryOf(findings)
      : kind === 'findings'
        ? findings
        : findings.filter(({ topics }) => topics.includes(title)).slice(0, MOST_OF_TOPIC);
  const paragraphs = chosen.map(paragraphOf);
  const note = kind === 'topic' ? 'The documents that were read say nothing of this.' : 'Nothing was found.';
  return { deliverable, title, paragraphs, ...(paragraphs.length === 0 ? { note } : {}) };
}

/** Not all of it from one document, as long as there are others. */
function summaryOf(findings: readonly Finding[]): Finding[] {
  const used = new Map<number, number>();
  const chosen = findings.filter(({ citations }) => {
    const [{ document } = { document: 0 }] = citations;
    used.set(document, (used.get(document) ?? 0) + 1);
    return (used.get(document) ?? 0) <= OF_ONE_DOCUMENT;
  });
  return chosen.slice(0, SUMMARY);
}
