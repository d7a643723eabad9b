/**
 * Fills the fields of a schema from one document: the way into this folder for chat, processing and research. What several
 * documents say is put together by `mergedFindings`, and made a record of by `finishRecord`.
 */

import type { DocumentPart } from '../../engines/documents/document.ts';
import type { SchemaArray } from '../../shared/tasks/output-schema.ts';
import type { ApplyRule } from '../apply-rule.ts';
import { askFields, type FieldsQuestion } from './ask-fields.ts';
import { unsearchedFindings } from './record-findings.ts';
import type { RecordPlan } from './record-plan.ts';
import { type StoredFindings, storedFindings } from './stored-findings.ts';

type FillRequest = {
  plan: RecordPlan;
  /** With a list, each row of a document that is a table may be a record of it. */
  list?: SchemaArray | undefined;
  parts: readonly DocumentPart[];
  /** The document's number in the task. */
  document: number;
  applyRule: ApplyRule;
  /** The model that is asked for what labels and tables leave open. Without it, they alone fill the record. */
  question?: FieldsQuestion;
};

type FilledRecord = {
  findings: StoredFindings;
  /** The records of a list, in the order of `rowsPlan`; present if the document is a table and no model was asked. */
  rows?: StoredFindings;
  /** The text took too long to be searched, so that no field has a value. */
  isTooSlow?: true;
  /** How many answers the model gave, and to how many questions none was usable. */
  calls: number;
  unusable: number;
  /** The places that the model was shown, where that was not the whole document. */
  read?: string[];
};

export async function fillRecord(request: FillRequest): Promise<FilledRecord> {
  const { plan, list, parts, document, applyRule, question } = request;
  if (question) {
    const visibleParts = parts.filter(({ hidden }) => !hidden);
    const { findings, ...counts } = await askFields({ plan, parts: visibleParts, document, applyRule, ...question });
    return { findings: storedFindings(findings), ...counts };
  }
  const stated = await applyRule('statedRecord', { plan, list, parts, document });
  const counts = { calls: 0, unusable: 0 };
  if (!stated) return { findings: storedFindings(unsearchedFindings(plan)), isTooSlow: true, ...counts };
  return { findings: stated.whole, ...(stated.rows ? { rows: stated.rows } : {}), ...counts };
}
