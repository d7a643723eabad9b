/** How sure the results are, computed from what happened by the formula in docs/extraction.md. */
import type { Confidence } from '../../../shared/agents/agent-task.ts';
import type { ProcessingPlan } from './plan.ts';
import { type DocumentState, isProcessed, type Processed } from './state.ts';

export function confidenceIn(documents: readonly DocumentState[], { rules, instructions }: ProcessingPlan): Confidence {
  const processed = documents.filter(isProcessed);
  const values = processed.flatMap((document) => document.values);
  const sure = values.filter(({ ambiguous, verified, valid }) => !ambiguous && verified !== false && valid !== false);
  const wanted = documents.length * (rules.length + instructions.length);
  const done = processed.reduce((sum, document) => sum + doneIn(document, rules.length), 0);
  const usable = processed.length / documents.length;
  return {
    dataQuality: rounded(processed.reduce((sum, { quality }) => sum + quality, 0) / documents.length),
    analysisCompleteness: rounded(done / wanted),
    sourceReliability: rounded(usable * (values.length === 0 ? 1 : sure.length / values.length)),
  };
}

/** Rules that were applied in full, and of each instruction the share of the text that was looked at. */
function doneIn({ values, values_left_out: left, asked }: Processed, rules: number): number {
  const told = values.length + left === 0 ? 1 : values.length / (values.length + left);
  return rules * told + asked.reduce((sum, share) => sum + share, 0);
}

const rounded = (share: number): number => Math.round(100 * share) / 100;
