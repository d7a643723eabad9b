/** The points of a summary, and which of them are the most central. */

import { summarise } from '../../engines/models/extractive/summary.ts';
import type { SummaryLength } from '../../shared/agents/processing-input.ts';

export type SummaryPoint = {
  text: string;
  /** False if a model wrote the text; the quote is always the document's own. */
  is_quote: boolean;
  document: number;
  place: string;
  quote: string;
};

export const POINTS: Record<SummaryLength, number> = { short: 3, standard: 6, long: 12 };
type Passages = { source: string; place: string; text: string }[];

export const central = (passages: Passages, count: number) =>
  summarise([...passages.keys()], passages, { count, focus: new Set(), language: 'en' });

/** The most central points of all documents, in their order. */
export function overallPoints(points: readonly SummaryPoint[], length: SummaryLength): SummaryPoint[] {
  const passages = points.map(({ text, place }) => ({ source: '', place, text }));
  const chosen = new Set(central(passages, POINTS[length]).map(({ passage }) => passage));
  return points.filter((_, at) => chosen.has(at));
}
