/** How sure the results are, computed from what happened by the formula in docs/research.md. */
import type { Confidence } from '../../../shared/agents/agent-task.ts';
import type { ResearchState, SourceState } from './state.ts';
import type { ResearchRequest } from './wish.ts';

const SAMPLE = 0.5;
const UNDATED = 0.8;
/** Of an option that could not be applied. */
const UNAPPLIED = 0.8;

export function confidenceIn(wish: ResearchRequest, known: ResearchState): Confidence {
  const { deliverables } = wish;
  const { sources, documents, findings, thrownOut, written } = known;
  const read = documents.filter(({ status }) => status === 'read');
  const quality = read.map(
    ({ sample_data: isSample, published_at: at }) => (isSample ? SAMPLE : 1) * (at === null ? UNDATED : 1),
  );
  const backed = written.filter(isBacked).length;
  const proposed = findings.length + thrownOut;
  return {
    dataQuality: rounded(mean(quality)),
    analysisCompleteness: rounded(
      ((read.length / Math.max(1, documents.length) + backed / Math.max(1, deliverables.length)) / 2) *
        applied(wish, known),
    ),
    sourceReliability: rounded(mean(sources.map(soundness)) * (proposed === 0 ? 1 : findings.length / proposed)),
  };
}

/** Of the places that were asked for, those that no document mentions count as their share. */
function applied({ unknownOptions, places }: ResearchRequest, { placesNotMentioned = [] }: ResearchState): number {
  const share = placesNotMentioned.length / Math.max(1, places.length);
  return UNAPPLIED ** unknownOptions.length * (1 - (1 - UNAPPLIED) * share);
}

/** Something stands in it that comes from a document. */
const isBacked = ({ paragraphs, table, charts, documents }: ResearchState['written'][number]): boolean =>
  paragraphs.length > 0 || (table?.rows.length ?? 0) > 0 || (charts?.length ?? 0) > 0 || (documents?.length ?? 0) > 0;

/** Of what a source was asked for, how much it gave. */
const soundness = ({ status, items, faults }: SourceState): number =>
  status === 'pending' || status === 'dead' ? 0 : faults.length === 0 ? 1 : items / (items + faults.length);

const mean = (shares: readonly number[]): number =>
  shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;

const rounded = (share: number): number => Math.round(100 * share) / 100;
