/** The candidates of a field: what may be meant beside, or instead of, its value. */

import type { FieldResult } from '../../shared/agents/results/records.ts';

export type Candidates = FieldResult['candidates'];

export const MAX_CANDIDATES = 10;

/** The value of a result as a candidate, before the candidates that it has. */
export const candidatesOf = ({ value, basis: [basis], reason, candidates }: FieldResult): Candidates =>
  value === null || !basis ? candidates : [{ value, basis, reason }, ...candidates];

export const withCandidates = (result: FieldResult, more: Candidates): FieldResult => ({
  ...result,
  candidates: [...result.candidates, ...more].slice(0, MAX_CANDIDATES),
});
