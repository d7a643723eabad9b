/** Summarizes a document without a model: its most central sentences. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { SummaryLength } from '../../../shared/agents/processing-input.ts';
import { findQuote } from '../record/matching/find-quotes.ts';
import { central, POINTS, type SummaryPoint } from '../summary-points.ts';

const MAX_TEXT = 600;
const MAX_QUOTE = 300;

type Summarize = { parts: readonly DocumentPart[]; document: number; length: SummaryLength };

/** Without a model: the most central sentences that a person sees. */
export function summarizeParts({ parts, document, length }: Summarize): SummaryPoint[] {
  const seen = parts.filter(({ hidden }) => !hidden);
  const passages = seen.map(({ label, text }) => ({ source: '', place: label, text }));
  return central(passages, POINTS[length]).flatMap(({ passage, block, text }): SummaryPoint[] => {
    const part = seen[passage];
    if (!part) return [];
    const own = part.text.slice(block.start, block.end);
    const { start, end } = findQuote([{ ...part, text: own }], text) ?? { start: 0, end: own.length };
    const quote = own.slice(start, Math.min(end, start + MAX_QUOTE)).trim();
    return [{ text: text.slice(0, MAX_TEXT), is_quote: true, document, place: part.label, quote }];
  });
}
