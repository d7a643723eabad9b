/** One record of several documents, each field from the one that knows it best; or a list with a record of each. */

import type { FieldResult, FieldStatus } from '../../shared/agents/results/records.ts';
import { isSameValue } from './compare-values.ts';
import type { Field } from './field-words.ts';
import { findingsOfRows } from './list-of-records.ts';
import type { ListResult, RecordFindings } from './record-findings.ts';
import type { ArrayField, RecordPlan } from './record-plan.ts';
import { pathInEntry, pathOf } from './record-plan.ts';
import { candidatesOf, MAX_CANDIDATES } from './result-candidates.ts';

export function mergedFindings(plan: RecordPlan, documentFindings: readonly RecordFindings[]): RecordFindings {
  const [firstFindings] = documentFindings;
  if (firstFindings && documentFindings.length === 1) return firstFindings;
  const { entry } = plan;
  // Where one document is an entry, the rows of another document are entries, too.
  const entries =
    entry && documentFindings.some((findings) => findings.entries)
      ? documentFindings.flatMap((findings) => findings.entries ?? findingsOfRows(entry, findings))
      : undefined;
  return {
    ...(entries ? { entries } : {}),
    single: plan.fields.map((field) => {
      const fieldFindings = documentFindings.flatMap(({ single }) =>
        single.filter((finding) => finding.field === field),
      );
      return {
        field,
        result: mergedResult(
          field,
          fieldFindings.map(({ result }) => result),
        ),
      };
    }),
    lists: plan.arrays.map((array) =>
      mergedList(
        array,
        documentFindings.flatMap(({ lists }) => lists.filter((list) => list.array === array)),
      ),
    ),
  };
}

/** The findings of a document that is about something else: its values are candidates, and no more. */
export const setAside = ({ single, lists }: RecordFindings, reason: string): RecordFindings => ({
  single: single.map(({ field, result }) => {
    const candidates = candidatesOf({ ...result, reason });
    const aside: FieldResult = { ...result, status: 'missing', value: null, basis: [], reason, candidates };
    return { field, result: candidates.length > 0 ? aside : result };
  }),
  lists: lists.map(({ array }) => ({ array, entries: [], fault: reason })),
});

/** The surest first. */
const RANKS: readonly FieldStatus[] = ['proven', 'computed', 'judged', 'unverified'];
const MAX_BASIS = 50;

const NOT_READ = 'No document could be read.';

/** The cells of a column are a list: they say less of the whole than one value beside its label in another document. */
const isColumn = (basis: FieldResult['basis']): boolean => basis.every(({ column }) => column !== undefined);

function mergedResult({ names, leaf }: Field, results: readonly FieldResult[]): FieldResult {
  const valued = results.filter(({ value }) => value !== null);
  const best = RANKS.flatMap((rank) => valued.filter(({ status }) => status === rank));
  const [surest] = best;
  const isSame = ({ value }: FieldResult) =>
    surest !== undefined && value !== null && surest.value !== null && isSameValue(leaf, value, surest.value);
  const rivals = best.filter((result) => result.status === surest?.status && !isSame(result));
  const allCandidates = results.flatMap(candidatesOf).slice(0, MAX_CANDIDATES);
  const isStated = best.some(({ status, basis }) => status === 'proven' && !isColumn(basis));
  const conflicts = results.filter(({ status, basis }) => status === 'conflict' && !(isStated && isColumn(basis)));
  if (rivals.length > 0 || conflicts.length > 0) {
    const stated = best
      .filter(({ status }) => status === surest?.status)
      .flatMap((result) => candidatesOf(result).slice(0, 1));
    const sides = [...stated, ...conflicts.flatMap(({ candidates }) => candidates)].slice(0, MAX_CANDIDATES);
    const candidates = [
      ...sides,
      ...allCandidates.filter((candidate) => !sides.some(({ basis }) => basis === candidate.basis)),
    ];
    const reason = 'The documents give different values that fit equally well.';
    return {
      path: pathOf(names),
      status: 'conflict',
      value: null,
      basis: sides.map(({ basis }) => basis),
      reason,
      candidates: candidates.slice(0, MAX_CANDIDATES),
    };
  }
  if (!surest) {
    const [nearestResult] = results.toSorted((a, b) => b.candidates.length - a.candidates.length);
    const reason = nearestResult?.reason ?? NOT_READ;
    return { path: pathOf(names), status: 'missing', value: null, basis: [], reason, candidates: allCandidates };
  }
  const agreeing = best.filter((result) => result.status === surest.status && isSame(result));
  const differing = results.filter((result) => !isSame(result));
  return {
    ...surest,
    basis: agreeing.flatMap(({ basis }) => basis).slice(0, MAX_BASIS),
    candidates: [...surest.candidates, ...differing.flatMap(candidatesOf)].slice(0, MAX_CANDIDATES),
  };
}

function mergedList(array: ArrayField, lists: readonly ListResult[]): ListResult {
  const [firstList = { array, entries: [], fault: NOT_READ }] = lists;
  const { maxItems = Infinity } = array.node;
  const allRows = lists.flatMap(({ entries }) => entries);
  const entries = allRows.slice(0, maxItems).map((row, at) =>
    row.map(({ field, result, nth }) => {
      const path = pathInEntry(field, at, nth);
      return { field, result: { ...result, path }, ...(nth === undefined ? {} : { nth }) };
    }),
  );
  // Where one document has the array, others may be without it.
  const filled = lists.filter((list) => list.entries.length > 0);
  const fault = (filled.find((list) => list.fault !== undefined) ?? (filled.length === 0 ? firstList : undefined))
    ?.fault;
  const cut = allRows.length > entries.length ? 'The documents have more entries than are taken.' : undefined;
  const reason = fault ?? cut;
  return { array, entries, ...(reason === undefined ? {} : { fault: reason }) };
}
