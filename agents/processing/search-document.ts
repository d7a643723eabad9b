/** What code finds in a document: its values, the fields of its record, how it begins, and how readable it is. */

import type { Document } from '../../engines/documents/document.ts';
import type { Documents } from '../../engines/documents/documents.ts';
import { PASSAGES_ONLY } from '../../engines/models/keyless.ts';
import type { SummaryPoint } from '../../shared/agents/results/processing.ts';
import type { DocumentRecord } from '../../shared/agents/results/records.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { ruleApplier } from '../apply-rule.ts';
import { fillRecord } from '../records/fill-record.ts';
import { finishRecord } from '../records/finish-record.ts';
import type { ValueLimits } from '../records/matching/named-rules.ts';
import type { RecordPlan } from '../records/record-plan.ts';
import { restoredFindings, type StoredFindings } from '../records/stored-findings.ts';
import { testPatternsBy } from '../records/test-patterns.ts';
import { unclassified } from './document-class.ts';
import type { ProcessedDocument, ProcessingPlan } from './state.ts';
import { POINTS } from './summary-points.ts';

type SearchResult = Pick<
  ProcessedDocument,
  'quality' | 'values' | 'values_left_out' | 'record' | 'summary' | 'class' | 'unsearched'
>;
type SearchRequest = {
  /** The document's number in the task. */
  document: number;
  plan: Pick<ProcessingPlan, 'rules' | 'record' | 'length' | 'labels' | 'hasModel'>;
  most: ValueLimits;
  organization: string;
  signal: AbortSignal;
};

/** Text recognition (OCR) makes occasional errors. */
const OCR_QUALITY = 0.8;

/** What takes too long is left out, and named in `unsearched`. */
export async function searchDocument(
  documents: Documents,
  read: Document,
  { plan, most: limits, document, ...request }: SearchRequest,
): Promise<SearchResult> {
  const { rules, record, length, labels, hasModel } = plan;
  const { kind, parts, sheets } = read;
  const applyRule = ruleApplier(documents, request);
  const readable = await applyRule('readableShare', parts);
  const tooSlow: NonNullable<SearchResult['unsearched']> = [];
  async function search<T>(what: (typeof tooSlow)[number], pending: Promise<T | undefined>): Promise<T | undefined> {
    const result = await pending;
    if (result === undefined) tooSlow.push(what);
    return result;
  }
  const input = { parts, rules, most: limits, ...definedFields({ sheets }) };
  const namedResult = rules.length > 0 ? await search('values', applyRule('namedValues', input)) : undefined;
  const filled = record && (await fillRecord({ plan: record, parts, document, applyRule }));
  if (filled?.isTooSlow) tooSlow.push('fields');
  const visibleParts = parts.filter(({ hidden }) => !hidden);
  const passages = visibleParts.map(({ label, text }) => ({ source: '', place: label, text }));
  const leading = length && (await search('points', applyRule('leadingPassages', { passages, limit: POINTS[length] })));
  const summary = leading?.map(
    ({ place, text }): SummaryPoint => ({
      text: text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TEXT),
      is_quote: true,
      document,
      place,
      quote: text.slice(0, MAX_QUOTE),
    }),
  );
  const { values = [], left: leftOutCount = 0 } = namedResult ?? {};
  return {
    quality: (readable ?? 0) * (kind === 'image' ? OCR_QUALITY : 1),
    values,
    values_left_out: leftOutCount,
    ...definedFields({
      record: record && filled && (await recordOf(documents, request, record, filled.findings)),
      summary,
      class: labels && unclassified(hasModel ? NOT_SHOWN : PASSAGES_ONLY),
      unsearched: tooSlow.length > 0 ? tooSlow : undefined,
    }),
  };
}

const MAX_TEXT = 600;
const MAX_QUOTE = 300;
const NOT_SHOWN = 'The model named no class that a passage of the document shows.';

const recordOf = (
  documents: Documents,
  request: { organization: string; signal: AbortSignal },
  plan: RecordPlan,
  findings: StoredFindings,
): Promise<DocumentRecord> =>
  finishRecord({ plan, testPatterns: testPatternsBy(documents, request) }, restoredFindings(plan, findings));
