/** How far the results of a research can be relied on, in three shares. */

import type { SourceState } from '../../shared/agents/results/research.ts';
import type { Confidence } from '../../shared/tasks/agent-report.ts';
import { filledShare } from '../records/record-plan.ts';
import { openQuestions } from './notes.ts';
import { isBacked, isSaidElsewhere } from './outcome.ts';
import type { ReportableState } from './pipeline-states.ts';
import type { ResearchRequest } from './research-request.ts';

const SAMPLE = 0.5;
const UNDATED = 0.8;
/** The factor for each option that could not be applied. */
const UNAPPLIED = 0.8;

/** Computes the confidence by the formula in docs/guides/research.md. */
export function confidenceIn(request: ResearchRequest, state: ReportableState): Confidence {
  const { deliverables } = request;
  const { sources, documents, findings, written } = state;
  const read = documents.filter(({ status }) => status === 'read');
  const quality = read.map(
    ({ sample_data: isSample, published_at: at }) => (isSample ? SAMPLE : 1) * (at === null ? UNDATED : 1),
  );
  const expectedSections = deliverables.filter(
    ({ kind, title }) => kind !== 'limits' && !state.leftSections?.includes(title),
  );
  const backed = expectedSections.filter((deliverable) =>
    written.some(
      (section) => section.title === deliverable.title && (isBacked(section) || isSaidElsewhere(deliverable, findings)),
    ),
  ).length;
  // A record counts as one section.
  const share = (backed + filledShare(state.record)) / Math.max(1, expectedSections.length + (request.record ? 1 : 0));
  return {
    dataQuality: rounded(mean(quality)),
    analysisCompleteness: rounded(
      ((read.length / Math.max(1, documents.length) + share) / 2) * appliedShare(request, state),
    ),
    sourceReliability: read.length === 0 ? 0 : rounded(mean(sources.map(soundness)) * confirmedShare(state)),
  };
}

/** Of the statements of a model, those that are confirmed: notes whose quotes stand nowhere never come to the check. */
function confirmedShare({ judgements = [], refused }: ReportableState): number {
  const checked = judgements.filter((judgement) => judgement !== null);
  const uncited = checked.filter(({ reason }) => reason === 'no_citation').length;
  const total = checked.length + Math.max(0, (refused.byReason.no_citation ?? 0) - uncited);
  return total === 0 ? 1 : checked.filter(({ isConfirmed }) => isConfirmed).length / total;
}

/**
 * A question of which a part has no answer is as incomplete as that part is large. Work that was done without the model after it
 * gave no usable answer counts like an option that could not be applied.
 */
function appliedShare(request: ResearchRequest, state: ReportableState): number {
  const { unusable = 0, plan } = state;
  const open = openQuestions(request, state).length / Math.max(1, plan?.subQuestions.length ?? 1);
  return UNAPPLIED ** (request.unknownOptions.length + (unusable > 0 ? 1 : 0)) * (1 - open);
}

/** The share of a source's requests that succeeded. */
const soundness = ({ status, items, faults }: SourceState): number =>
  status === 'pending' || status === 'dead' ? 0 : faults.length === 0 ? 1 : items / (items + faults.length);

const mean = (shares: readonly number[]): number =>
  shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;

const rounded = (share: number): number => Math.round(100 * share) / 100;
