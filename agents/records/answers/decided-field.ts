/** The value of a field, of what labels say, what the model answers, and what a second look says of both. */

import type { Basis, FieldResult } from '../../../shared/agents/results/records.ts';
import { isFreeText, isSameValue } from '../compare-values.ts';
import { isReadSurely } from '../matching/find-record.ts';
import { faultOfValue } from '../matching/typed-values.ts';
import { type FieldFinding, missingResult } from '../record-findings.ts';
import { candidatesOf, withCandidates } from '../result-candidates.ts';
import { type AnswerContext, type Proposal, verdictOnFound, verdictOnProposal, verdictText } from './answer-context.ts';
import { basisAt } from './formulas.ts';
import { bestOf } from './proposals.ts';

export function decidedField(
  context: AnswerContext,
  finding: FieldFinding,
  proposals: readonly Proposal[] = [],
): FieldFinding {
  const { field, result } = finding;
  const proposal = bestOf(context, proposals);
  if (!proposal) return { ...finding, result: withoutAnswer(context, finding) };
  const isSame = result.value !== null && isSameValue(field.leaf, result.value, proposal.checked.value);
  if (isSame && result.status === 'computed') return finding;
  if (isSame && (!finding.candidate || isReadSurely(context.request.parsed, finding.candidate)))
    return { ...finding, result: { ...result, status: 'proven' } };
  const modelResult = proposedResult(context, proposal);
  if (result.value === null || isSame) return { field, result: withCandidates(modelResult, result.candidates) };
  return { field, result: betweenBoth(context, finding, modelResult) };
}

/** What becomes of a proposal of the model by code and second look. */
export function proposedResult(context: AnswerContext, proposal: Proposal, entry?: string): FieldResult {
  const { path, field, checked } = proposal;
  const basis = basisOf(context, proposal);
  const refusedResult = (reason: string): FieldResult => ({
    ...missingResult(path, reason),
    candidates: [{ value: checked.value, basis: basis[0] ?? emptyBasis(context), reason }],
  });
  const outside = faultOfValue(field.leaf, checked.value);
  const fault = checked.fault ?? (outside === undefined ? undefined : `the value ${outside}`);
  if (fault !== undefined) return refusedResult(`The model's value is refused: ${fault}.`);
  const verdict = verdictOnProposal(context, proposal, entry);
  const result = { path, value: checked.value, candidates: [] };
  if (verdict?.verdict === 'contradicted')
    return refusedResult(`The model's value is refused: ${verdictText(verdict)}.`);
  if (verdict?.verdict === 'supported') {
    const reviewedBasis = (basis.length > 0 ? basis : [emptyBasis(context)]).map(
      (item): Basis => ({ ...item, looked_by: context.lookedBy }),
    );
    const agrees = `a second look agrees${verdict.words ? `: ${JSON.stringify(verdict.words)}` : ''}`;
    const reason = checked.isAbsent ? `nothing of it stands in what was read (${context.read}), and ${agrees}` : agrees;
    return proposal.result
      ? { ...proposal.result, basis: reviewedBasis }
      : { ...result, status: 'judged', basis: reviewedBasis, reason };
  }
  const reason = `The model gives it; ${verdictText(verdict ?? null)}.`;
  return { ...result, status: 'unverified', basis: basis.length > 0 ? basis : [emptyBasis(context)], reason };
}

/** The model gives no value. What code found may be that of another field. */
function withoutAnswer(context: AnswerContext, finding: FieldFinding): FieldResult {
  const { result } = finding;
  if (result.value === null)
    return result.status === 'missing' && result.candidates.length === 0
      ? missingResult(result.path, `The model found no value for it in what it read: ${context.read}.`)
      : result;
  const verdict = verdictOnFound(context, finding);
  if (verdict === undefined || verdict?.verdict === 'supported') return result;
  return {
    ...result,
    status: 'unverified',
    reason: `${result.reason}, which the model did not give; ${verdictText(verdict)}`,
  };
}

/** Label and model differ: the second look decides, and the loser stays a candidate. */
function betweenBoth(context: AnswerContext, finding: FieldFinding, modelResult: FieldResult): FieldResult {
  const { field, result } = finding;
  const verdict = verdictOnFound(context, finding);
  const isSupported = verdict?.verdict === 'supported';
  const isModelConfirmed = modelResult.status === 'judged' || modelResult.status === 'computed';
  if (isModelConfirmed && isSupported && !isFreeText(field.leaf)) {
    const candidates = [...candidatesOf(modelResult), ...candidatesOf(result)];
    const reason = 'The model reads another value than the label gives, and a second look agrees to both.';
    return {
      ...modelResult,
      status: 'conflict',
      value: null,
      basis: candidates.map(({ basis }) => basis),
      reason,
      candidates,
    };
  }
  // Of two texts that both hold, such as a name and the name with its address, the model's is what the field asks for.
  if (isModelConfirmed) return withCandidates(modelResult, candidatesOf(result));
  if (isSupported) return withCandidates({ ...result, status: 'judged' }, candidatesOf(modelResult));
  return modelResult.value === null
    ? withCandidates(
        unverified(result, `${result.reason}, which the model contradicts; ${verdictText(verdict ?? null)}`),
        modelResult.candidates,
      )
    : withCandidates(modelResult, candidatesOf(result));
}

const unverified = (result: FieldResult, reason: string): FieldResult => ({ ...result, status: 'unverified', reason });

/** What was read in a picture alone stands in what was read. */
const emptyBasis = ({ document, hasPictures, read }: AnswerContext): Basis => ({
  document,
  place: hasPictures ? read : '',
  quote: '',
});

function basisOf(
  { document, request, read }: AnswerContext,
  { checked: { evidence, isAbsent }, result }: Proposal,
): Basis[] {
  if (result) return result.basis;
  return isAbsent ? [{ document, place: read, quote: '' }] : evidence.map((item) => basisAt(request, item));
}
