/** How good the ground of a mail is, computed from what happened by the formula in docs/notifications.md. */
import type { Confidence } from '../../../shared/agents/agent-task.ts';
import type { SourceRead } from './state.ts';

/** Of a mail that names no source nothing can be said. */
export function confidenceIn(sources: readonly SourceRead[]): Confidence | undefined {
  if (sources.length === 0) return undefined;
  const mean = (of: (source: SourceRead) => number) =>
    rounded(sources.reduce((sum, source) => sum + of(source), 0) / sources.length);
  return {
    dataQuality: mean(({ quality }) => quality),
    analysisCompleteness: mean(({ items }) => (items > 0 ? 1 : 0)),
    sourceReliability: mean(reliability),
  };
}

/** Of the requests, those that brought something; made-up data relies on nothing. */
function reliability({ items, is_sample: isSample, queries, faults }: SourceRead): number {
  if (isSample || items === 0) return 0;
  return Math.max(0, 1 - faults.length / Math.max(1, queries, faults.length));
}

const rounded = (share: number): number => Math.round(100 * share) / 100;
