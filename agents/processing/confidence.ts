/** How far the results of a processing can be relied on, in three shares. */

import type { Confidence } from '../../shared/tasks/agent-report.ts';
import { filledShare } from '../records/record-plan.ts';
import { type DocumentState, isProcessed, type ProcessedDocument, type ProcessingPlan } from './state.ts';

/** Computes the confidence by the formula in docs/guides/extraction.md. */
export function confidenceIn(documents: readonly DocumentState[], plan: ProcessingPlan): Confidence {
  const { rules, instructions } = plan;
  const processed = documents.filter(isProcessed);
  const values = processed.flatMap((document) => document.values);
  const sure = values.filter(({ ambiguous, verified, valid }) => !ambiguous && verified !== false && valid !== false);
  const expectedWork =
    documents.length *
    (rules.length + instructions.length + (plan.record ? 1 : 0) + (plan.length || plan.labels ? 1 : 0));
  const completedWork = processed.reduce((sum, document) => sum + completedWorkOf(document, rules.length), 0);
  const usable = processed.length / documents.length;
  return {
    dataQuality: rounded(processed.reduce((sum, { quality }) => sum + quality, 0) / Math.max(1, processed.length)),
    analysisCompleteness: rounded(completedWork / expectedWork),
    sourceReliability: rounded(usable * (values.length === 0 ? 1 : sure.length / values.length)),
  };
}

/** Counts the rules that were fully applied, plus the share of the text that was read for each instruction. */
function completedWorkOf(
  {
    values,
    record,
    summary,
    class: documentClass,
    values_left_out: leftOutCount,
    asked,
    unsearched = [],
  }: ProcessedDocument,
  rules: number,
): number {
  const valueShare = unsearched.includes('values')
    ? 0
    : values.length + leftOutCount === 0
      ? 1
      : values.length / (values.length + leftOutCount);
  const isTyped = summary !== undefined || (documentClass !== undefined && documentClass.label !== null) ? 1 : 0;
  return rules * valueShare + filledShare(record) + isTyped + asked.reduce((sum, share) => sum + share, 0);
}

const rounded = (share: number): number => Math.round(100 * share) / 100;
