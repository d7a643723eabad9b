/** Findings as they are stored between two stages, and restored. */

import type { FieldResult } from '../../shared/agents/results/records.ts';
import type { Field } from './field-words.ts';
import type { FieldFinding, ListResult, RecordFindings } from './record-findings.ts';
import type { ArrayField, RecordPlan } from './record-plan.ts';
import { pathInEntry } from './record-plan.ts';

/** Findings as JSON, in the order of the plan. */
export type StoredFindings = {
  single: FieldResult[];
  lists: { entries: FieldResult[][]; fault?: string }[];
  entries?: StoredFindings[];
};

export const storedFindings = ({ single, lists, entries: entryFindings }: RecordFindings): StoredFindings => ({
  ...(entryFindings ? { entries: entryFindings.map(storedFindings) } : {}),
  single: single.map(({ result }) => result),
  lists: lists.map(({ entries, fault }) => ({
    entries: entries.map((row) => row.map(({ result }) => result)),
    ...(fault === undefined ? {} : { fault }),
  })),
});

/** The results are copied: finishing a record changes them. */
export function restoredFindings(plan: RecordPlan, stored: StoredFindings): RecordFindings {
  const { single, lists, entries: storedEntries } = structuredClone(stored);
  const { entry } = plan;
  const toFieldFindings = (fields: readonly Field[], results: readonly FieldResult[]): FieldFinding[] =>
    fields.flatMap((field, at) => {
      const result = results[at];
      return result ? [{ field, result }] : [];
    });
  return {
    ...(storedEntries && entry
      ? { entries: storedEntries.map((storedEntry) => restoredFindings(entry, storedEntry)) }
      : {}),
    single: toFieldFindings(plan.fields, single),
    lists: plan.arrays.flatMap((array, at): ListResult[] => {
      const list = lists[at];
      const entries = list?.entries.map((row, at) => [
        ...toFieldFindings(array.fields, row),
        ...listFindings(array, row.slice(array.fields.length), at),
      ]);
      return list && entries ? [{ ...list, array, entries }] : [];
    }),
  };
}

/** The values of lists within an entry follow its fields, as many as there are. */
const listFindings = ({ lists }: ArrayField, results: readonly FieldResult[], entry: number): FieldFinding[] =>
  results.flatMap((result): FieldFinding[] => {
    const field = lists.find((listField) => `${result.path}.`.startsWith(`${pathInEntry(listField, entry)}.`));
    if (!field) return [];
    const listPath = pathInEntry(field, entry);
    return [
      { field, result, ...(result.path === listPath ? {} : { nth: Number(result.path.slice(listPath.length + 1)) }) },
    ];
  });
