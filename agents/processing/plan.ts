/** What is to be done with the documents: which rules are ours, which are instructions, and in which batches. */
import type { ProcessingInput } from '../../shared/agents/processing-input.ts';
import { RULE_NAMES, type RuleName, ruleNamed } from './rules/named-rules.ts';

export type ProcessingPlan = {
  documents: { url: string; type: string | null }[];
  processingType: string | null;
  rules: RuleName[];
  instructions: string[];
  /** The numbers of the documents, counted from nought. Each batch is a checkpoint. */
  batches: number[][];
};

const MOST_BATCHES = 10;

export function planOf({ documents, extraction_rules: asked, processing_type: type }: ProcessingInput): ProcessingPlan {
  const texts = (asked ?? []).map((text) => text.trim());
  const named = texts.flatMap((text) => ruleNamed(text) ?? []);
  return {
    documents: documents.map(({ url, type: of }) => ({ url, type: of ?? null })),
    processingType: type ?? null,
    rules: texts.length === 0 ? RULE_NAMES : [...new Set(named)],
    instructions: [...new Set(texts.filter((text) => ruleNamed(text) === undefined))],
    batches: batchesOf(documents.length),
  };
}

function batchesOf(count: number): number[][] {
  const size = Math.ceil(count / MOST_BATCHES);
  const all = Array.from({ length: count }, (_, at) => at);
  return Array.from({ length: Math.ceil(count / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}
