/** What the rules say of a document without a model: its values, its record, its summary or class, and how readable it is. */

import type { Document } from '../../engines/documents/document.ts';
import type { Documents } from '../../engines/documents/documents.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { ruleApplier } from '../text-work.ts';
import { finishRecord } from './record/finish-record.ts';
import { restoredFindings, type StoredFindings } from './record/merge-findings.ts';
import { type DocumentRecord, type RecordPlan, unsearched } from './record/record-plan.ts';
import { testPatternsBy } from './record/test-patterns.ts';
import type { Processed, ProcessingPlan } from './state.ts';

/** The maximum amount of values kept for one document. */
export type MostValues = { values: number; characters: number };

type Searched = Pick<
  Processed,
  'quality' | 'values' | 'values_left_out' | 'record' | 'summary' | 'class' | 'unsearched'
>;
type SearchRequest = {
  /** The document's number in the task. */
  document: number;
  plan: Pick<ProcessingPlan, 'rules' | 'record' | 'length' | 'labels'>;
  most: MostValues;
  organization: string;
  signal: AbortSignal;
};

/** Text recognition (OCR) makes occasional errors. */
const OCR_QUALITY = 0.8;

/** What takes too long is left out, and named in `unsearched`. */
export async function searchDocument(
  documents: Documents,
  read: Document,
  { plan, most, document, ...request }: SearchRequest,
): Promise<Searched> {
  const { rules, record, length, labels } = plan;
  const { kind, parts, sheets } = read;
  const applyRule = ruleApplier(documents, request);
  const readable = await applyRule('readableShare', parts);
  const tooSlow: NonNullable<Searched['unsearched']> = [];
  async function search<T>(what: (typeof tooSlow)[number], found: Promise<T | undefined>): Promise<T | undefined> {
    const result = await found;
    if (result === undefined) tooSlow.push(what);
    return result;
  }
  const input = { parts, rules, most, ...definedFields({ sheets }) };
  const named = rules.length > 0 ? await search('values', applyRule('namedValues', input)) : undefined;
  const stated = record && (await search('fields', applyRule('statedRecord', { plan: record, parts, document })));
  const summary = length && (await search('points', applyRule('summarizeParts', { parts, document, length })));
  const labelled = labels && (await search('class', applyRule('classifyParts', { parts, document, labels })));
  const { values = [], left = 0 } = named ?? {};
  return {
    quality: (readable ?? 0) * (kind === 'image' ? OCR_QUALITY : 1),
    values,
    values_left_out: left,
    ...definedFields({
      record: record && (await recordOf(documents, request, record, stated)),
      summary,
      class: labelled,
      unsearched: tooSlow.length > 0 ? tooSlow : undefined,
    }),
  };
}

const recordOf = (
  documents: Documents,
  request: { organization: string; signal: AbortSignal },
  plan: RecordPlan,
  stated: { whole: StoredFindings } | undefined,
): Promise<DocumentRecord> => {
  const findings = stated ? restoredFindings(plan, stated.whole) : unsearched(plan);
  return finishRecord({ plan, testPatterns: testPatternsBy(documents, request) }, findings);
};
