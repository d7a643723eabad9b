/** What labels and tables of a document say of the fields of a schema, and of a list of them. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { SchemaArray } from '../../../shared/tasks/output-schema.ts';
import { isTable, rowsPlan } from '../list-of-records.ts';
import type { RecordPlan } from '../record-plan.ts';
import { type StoredFindings, storedFindings } from '../stored-findings.ts';
import { findRecord, parseVisibleParts } from './find-record.ts';

/** With a list, each row of a document that is a table may be a record of it. */
type StatedInput = {
  plan: RecordPlan;
  list?: SchemaArray | undefined;
  parts: readonly DocumentPart[];
  document: number;
};

/** `rows` is present if the document is a table: they are in the order of `rowsPlan`. */
export function statedRecord({ plan, list, parts, document }: StatedInput): {
  whole: StoredFindings;
  rows?: StoredFindings;
} {
  const parsed = parseVisibleParts(parts);
  const whole = findRecord({ plan, parsed, document });
  const rows = list && findRecord({ plan: rowsPlan(list, plan.accept), parsed, document });
  return {
    whole: storedFindings(whole),
    ...(rows && isTable(whole, rows) ? { rows: storedFindings(rows) } : {}),
  };
}
