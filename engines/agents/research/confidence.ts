/** How sure the results are, computed from what happened by the formula in docs/research.md. */
import type { Confidence } from '../../../shared/agents/report.ts';
import type { Known, SourceState } from './state.ts';
import type { Wish } from './wish.ts';

const SAMPLE = 0.5;
const UNDATED = 0.8;

export function confidenceIn({ deliverables }: Wish, known: Known): Confidence {
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
      (read.length / Math.max(1, documents.length) + backed / Math.max(1, deliverables.length)) / 2,
    ),
    sourceReliability: rounded(mean(sources.map(soundness)) * (proposed === 0 ? 1 : findings.length / proposed)),
  };
}

/** Something stands in it that comes from a document. */
const isBacked = ({ paragraphs, table, charts, documents }: Known['written'][number]): boolean =>
  paragraphs.length > 0 || (table?.rows.length ?? 0) > 0 || (charts?.length ?? 0) > 0 || (documents?.length ?? 0) > 0;

/** Of what a source was asked for, how much it gave. */
const soundness = ({ status, items, faults }: SourceState): number =>
  status === 'pending' || status === 'dead' ? 0 : faults.length === 0 ? 1 : items / (items + faults.length);

const mean = (shares: readonly number[]): number =>
  shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;

const rounded = (share: number): number => Math.round(100 * share) / 100;
