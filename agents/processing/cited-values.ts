/**
 * Values that a model gave for instructions, each with the excerpt that it cites. `verified` says that value and excerpt agree:
 * by code where the value stands in the excerpt, or else by a second look that sees nothing but instruction, value and excerpt.
 */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { DocumentPart } from '../../engines/documents/document.ts';
import type { RuleValue } from '../../shared/agents/results/processing.ts';
import type { ApplyRule } from '../apply-rule.ts';
import type { AnswerCounts } from '../structured-answer.ts';
import { secondLook } from '../verification/second-look.ts';

/** What a model found, with the text of the instruction. */
export type CitedFinding = { rule: string; value: string; excerpt: string };

type CitedRequest = {
  model: LanguageModelV4;
  /** The model with the role of the second look, if the organization has one. */
  verifier?: LanguageModelV4 | undefined;
  /** Of the document. */
  name: string;
  parts: readonly DocumentPart[];
  applyRule: ApplyRule;
  now: number;
  signal: AbortSignal;
};

const MAX_VALUE = 2_000;

/** The values of all findings of a document. One call looks again at those that code cannot tell. */
export async function citedValues(
  request: CitedRequest,
  counts: AnswerCounts,
  findings: readonly CitedFinding[],
): Promise<RuleValue[]> {
  if (findings.length === 0) return [];
  const { model, verifier, name, now, signal } = request;
  const cited = findings.map(({ value, excerpt }) => ({ value: value.slice(0, MAX_VALUE), excerpt }));
  const parts = request.parts.filter(({ hidden }) => !hidden);
  const places = (await request.applyRule('citedPlaces', { parts, cited })) ?? [];
  const doubts = findings.flatMap(({ rule }, at) => {
    const [place, value] = [places[at], cited[at]?.value ?? ''];
    if (place?.agreement !== 'doubt') return [];
    const quote = { source: `${name}, ${place.label}`, text: place.excerpt, ...place.around };
    return [{ at, statement: { claim: { field: rule, value }, quotes: [quote] } }];
  });
  const verdicts = await secondLook(
    counts,
    { model: verifier ?? model, now, signal },
    doubts.map(({ statement }) => statement),
  );
  const supported = new Set(doubts.flatMap(({ at }, nth) => (verdicts[nth]?.verdict === 'supported' ? [at] : [])));
  return findings.map(({ rule, value }, at) => {
    const place = places[at];
    return {
      rule,
      value: value.slice(0, MAX_VALUE),
      text: value.slice(0, MAX_VALUE),
      place: place?.label ?? null,
      excerpt: place?.excerpt ?? null,
      verified: place?.agreement === 'stands' || supported.has(at),
    };
  });
}
