/** Merges what several documents say of one entity, such as a company, into one record. */

import { isFreeText, nameKey } from './compare-values.ts';
import type { Field } from './field-words.ts';
import { mergedFindings } from './merge-findings.ts';
import { hasValue, type RecordFindings } from './record-findings.ts';
import type { RecordPlan } from './record-plan.ts';

/** The field that names the entity: the first text that is wanted, or else the first text. */
export function keyField({ fields }: Pick<RecordPlan, 'fields'>): Field | undefined {
  const texts = fields.filter(({ leaf }) => isFreeText(leaf));
  return texts.find(({ isWanted }) => isWanted) ?? texts[0];
}

/** The name of the entity, as names are compared. */
export function entityKey(plan: RecordPlan, { single }: RecordFindings): string | undefined {
  const key = keyField(plan);
  const value = single.find(({ field }) => field === key)?.result.value;
  return key === undefined || value == null ? undefined : nameKey(String(value));
}

/** Whether it has the name of an entity, and says something of it. */
export function namesEntity(plan: RecordPlan, { single, lists }: RecordFindings): boolean {
  const statedCount = single.filter(hasValue).length + lists.filter(({ entries }) => entries.length > 0).length;
  const isNamed = keyField(plan) === undefined || entityKey(plan, { single, lists }) !== undefined;
  return isNamed && statedCount > (plan.fields.length + plan.arrays.length > 1 ? 1 : 0);
}

/**
 * The findings of each entity, in the order of the documents. `rowsOfDocuments` are the rows of the documents. A name in two rows of
 * one document names no single thing, such as a company with a row for each year: its rows stay apart.
 */
export function mergedEntities(
  plan: RecordPlan,
  rowsOfDocuments: readonly (readonly RecordFindings[])[],
): RecordFindings[] {
  const rows = rowsOfDocuments.flatMap((documentRows, document) =>
    documentRows.map((row) => ({ document, row, key: entityKey(plan, row) })),
  );
  const rowsByKey = Map.groupBy(
    rows.filter(({ key }) => key !== undefined),
    ({ key }) => key,
  );
  const isOneEntity = (group: typeof rows) => new Set(group.map(({ document }) => document)).size === group.length;
  return rows.flatMap((keyedRow): RecordFindings[] => {
    const group = rowsByKey.get(keyedRow.key);
    if (keyedRow.key === undefined) return keyField(plan) ? [] : [keyedRow.row];
    if (!group || !isOneEntity(group)) return [keyedRow.row];
    return group[0] === keyedRow
      ? [
          mergedFindings(
            plan,
            group.map(({ row }) => row),
          ),
        ]
      : [];
  });
}
