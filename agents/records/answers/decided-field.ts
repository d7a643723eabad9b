/** The value of a field, of what labels say, what the model answers, and what a second look says of both. */

import { isFreeText, isSameValue } from '../compare-values.ts';
import { isReadSurely } from '../matching/find-record.ts';
import { faultOfValue } from '../matching/typed-values.ts';
import { type Basis, type FieldResult, type FoundField, missing } from '../record-plan.ts';
import { basisAt } from './formulas.ts';
import { type Look, type Proposal, verdictOnFound, verdictOnProposal, verdictText } from './look.ts';
import { bestOf } from './proposals.ts';

export function decidedField(look: Look, found: FoundField, proposals: readonly Proposal[] = []): FoundField {
  const { field, result } = found;
  const proposal = bestOf(look, proposals);
  if (!proposal) return { ...found, result: withoutAnswer(look, found) };
  const isSame = result.value !== null && isSameValue(field.leaf, result.value, proposal.checked.value);
  if (isSame && result.status === 'computed') return found;
  if (isSame && (!found.found || isReadSurely(look.request.paper, found.found)))
    return { ...found, result: { ...result, status: 'proven' } };
  const own = proposedResult(look, proposal);
  if (result.value === null || isSame) return { field, result: withCandidates(own, result.candidates) };
  return { field, result: betweenBoth(look, found, own) };
}

/** The model gives no value. What code found may be that of another field. */
function withoutAnswer(look: Look, found: FoundField): FieldResult {
  const { result } = found;
  if (result.value === null)
    return result.status === 'missing' && result.candidates.length === 0
      ? missing(result.path, `The model found no value for it in what it read: ${look.read}.`)
      : result;
  const verdict = verdictOnFound(look, found);
  if (verdict === undefined || verdict?.verdict === 'supported') return result;
  return {
    ...result,
    status: 'unverified',
    reason: `${result.reason}, which the model did not give; ${verdictText(verdict)}`,
  };
}

/** Label and model differ: the second look decides, and the loser stays a candidate. */
function betweenBoth(look: Look, found: FoundField, own: FieldResult): FieldResult {
  const { field, result } = found;
  const verdict = verdictOnFound(look, found);
  const isSupported = verdict?.verdict === 'supported';
  const isOwn = own.status === 'judged' || own.status === 'computed';
  if (isOwn && isSupported && !isFreeText(field.leaf)) {
    const candidates = [...candidatesOf(own), ...candidatesOf(result)];
    const reason = 'The model reads another value than the label gives, and a second look agrees to both.';
    return { ...own, status: 'conflict', value: null, basis: candidates.map(({ basis }) => basis), reason, candidates };
  }
  // Of two texts that both hold, such as a name and the name with its address, the model's is what the field asks for.
  if (isOwn) return withCandidates(own, candidatesOf(result));
  if (isSupported) return withCandidates({ ...result, status: 'judged' }, candidatesOf(own));
  return own.value === null
    ? withCandidates(
        unverified(result, `${result.reason}, which the model contradicts; ${verdictText(verdict ?? null)}`),
        own.candidates,
      )
    : withCandidates(own, candidatesOf(result));
}

const unverified = (result: FieldResult, reason: string): FieldResult => ({ ...result, status: 'unverified', reason });

type Candidates = FieldResult['candidates'];

export const candidatesOf = ({ value, basis: [basis], reason, candidates }: FieldResult): Candidates =>
  value === null || !basis ? candidates : [{ value, basis, reason }, ...candidates];

const MAX_CANDIDATES = 10;

export const withCandidates = (result: FieldResult, more: Candidates): FieldResult => ({
  ...result,
  candidates: [...result.candidates, ...more].slice(0, MAX_CANDIDATES),
});

/** What becomes of a proposal of the model by code and second look. */
export function proposedResult(look: Look, proposal: Proposal, entry?: string): FieldResult {
  const { path, field, checked } = proposal;
  const basis = basisOf(look, proposal);
  const refused = (reason: string): FieldResult => ({
    ...missing(path, reason),
    candidates: [{ value: checked.value, basis: basis[0] ?? nowhere(look), reason }],
  });
  const outside = faultOfValue(field.leaf, checked.value);
  const fault = checked.fault ?? (outside === undefined ? undefined : `the value ${outside}`);
  if (fault !== undefined) return refused(`The model's value is refused: ${fault}.`);
  const verdict = verdictOnProposal(look, proposal, entry);
  const result = { path, value: checked.value, candidates: [] };
  if (verdict?.verdict === 'contradicted') return refused(`The model's value is refused: ${verdictText(verdict)}.`);
  if (verdict?.verdict === 'supported') {
    const looked = (basis.length > 0 ? basis : [nowhere(look)]).map(
      (one): Basis => ({ ...one, looked_by: look.lookedBy }),
    );
    const agrees = `a second look agrees${verdict.words ? `: ${JSON.stringify(verdict.words)}` : ''}`;
    const reason = checked.isAbsent ? `nothing of it stands in what was read (${look.read}), and ${agrees}` : agrees;
    return proposal.result
      ? { ...proposal.result, basis: looked }
      : { ...result, status: 'judged', basis: looked, reason };
  }
  const reason = `The model gives it; ${verdictText(verdict ?? null)}.`;
  return { ...result, status: 'unverified', basis: basis.length > 0 ? basis : [nowhere(look)], reason };
}

/** What was read in a picture alone stands in what was read. */
const nowhere = ({ document, hasPictures, read }: Look): Basis => ({
  document,
  place: hasPictures ? read : '',
  quote: '',
});

function basisOf({ document, request, read }: Look, { checked: { evidence, isAbsent }, result }: Proposal): Basis[] {
  if (result) return result.basis;
  return isAbsent ? [{ document, place: read, quote: '' }] : evidence.map((one) => basisAt(request, one));
}
