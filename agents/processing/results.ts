/** The results: each document with its values, and the merged values of all documents. */

import type {
  DocumentView,
  MergedValue,
  ProcessingResults,
  RuleValue,
} from '../../shared/agents/results/processing.ts';
import { effectiveSchema } from '../../shared/tasks/output-schema.ts';
import { shortenedResults } from '../checkpoints.ts';
import { withFewerFields } from '../records/record-plan.ts';
import { compareDocuments } from './compare-documents.ts';
import {
  type DocumentState,
  isProcessed,
  type ProcessedDocument,
  type ProcessingPlan,
  type ProcessingState,
} from './state.ts';
import { overallPoints } from './summary-points.ts';

export function resultsOf(
  plan: ProcessingPlan,
  { documents, promptVersion }: Pick<ProcessingState, 'documents' | 'promptVersion'>,
): ProcessingResults {
  const values = documents.filter(isProcessed).flatMap((document) => document.values);
  const counts = new Map<string, number>();
  for (const { rule } of values) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const ruleEntry = (rule: string, kind: 'named' | 'instruction') => ({ rule, kind, found: counts.get(rule) ?? 0 });
  return {
    processing_type: plan.processingType,
    rules: [
      ...plan.rules.map((rule) => ruleEntry(rule, 'named')),
      ...plan.instructions.map((rule) => ({
        ...ruleEntry(rule, 'instruction'),
        ...(plan.hasModel ? {} : { not_looked_for: true as const }),
      })),
    ],
    documents: documents.map(toDocumentView),
    ...recordsOf(plan, documents),
    ...typeResults(plan, documents.filter(isProcessed)),
    merged: mergedValues(documents),
    ...(lacksModel(plan, documents) ? { complete: false as const } : {}),
    ...(promptVersion ? { prompt_version: promptVersion } : {}),
  };
}

/** Whether something was asked that needs a language model, and there is none. */
export function lacksModel(plan: ProcessingPlan, documents: readonly DocumentState[]): boolean {
  const { hasModel, instructions, length, labels } = plan;
  const hasGaps = documents.some((document) => isProcessed(document) && document.record?.complete === false);
  return !hasModel && (instructions.length > 0 || (length ?? labels) !== undefined || hasGaps);
}

/** Halves the number of values per document until the results fit. */
export const toShortResults = (results: ProcessingResults): ProcessingResults =>
  shortenedResults(results, (maxValues) => withFewer(results, maxValues));

function recordsOf({ record: plan }: ProcessingPlan, documents: readonly DocumentState[]) {
  if (!plan) return {};
  const records = documents
    .filter(isProcessed)
    .flatMap(({ document, record }) => (record ? [{ document, ...record }] : []));
  return { output_schema: effectiveSchema(plan.schema), records };
}

/** What the type of processing gives beside values and records. */
function typeResults({ type, length, hasModel }: ProcessingPlan, documents: readonly ProcessedDocument[]) {
  if (type === 'comparison' && hasModel) return { comparison: compareDocuments(documents) };
  if (type === 'classification')
    return {
      classes: documents.flatMap(({ document, class: documentClass }) =>
        documentClass ? [{ document, ...documentClass }] : [],
      ),
    };
  if (!length) return {};
  const documentSummaries = documents.map(({ document, summary = [] }) => ({ document, points: summary }));
  const allPoints = documentSummaries.flatMap(({ points }) => points);
  const points = documentSummaries.length > 1 ? overallPoints(allPoints, length) : allPoints;
  return { summary: { points, documents: documentSummaries }, ...(type === 'comparison' ? { comparison: [] } : {}) };
}

function toDocumentView(document: DocumentState): DocumentView {
  if (!isProcessed(document)) return document;
  const { asked, quality, record, summary, class: classOf, unsearched, ...rest } = document;
  return rest;
}

/** Merges equal values of a rule over all documents. Within a rule, values that occur in most documents come first. */
function mergedValues(documents: readonly DocumentState[]): MergedValue[] {
  const merged = new Map<string, MergedValue>();
  for (const { document, values } of documents.filter(isProcessed)) {
    for (const { rule, value } of values) {
      const key = JSON.stringify([rule, value]);
      const entry = merged.get(key) ?? { rule, value, occurrences: 0, documents: [] };
      entry.occurrences++;
      if (!entry.documents.includes(document)) entry.documents.push(document);
      merged.set(key, entry);
    }
  }
  const rules = new Map([...new Set([...merged.values()].map(({ rule }) => rule))].map((rule, at) => [rule, at]));
  return [...merged.values()].sort(
    (a, b) => (rules.get(a.rule) ?? 0) - (rules.get(b.rule) ?? 0) || b.documents.length - a.documents.length,
  );
}

const MAX_ROWS = 10;

function withFewer(results: ProcessingResults, maxValues: number): ProcessingResults {
  return {
    ...results,
    documents: results.documents.map((document) =>
      'values' in document ? { ...document, values: document.values.slice(0, maxValues).map(brief) } : document,
    ),
    ...(results.records
      ? { records: results.records.map((record) => ({ ...record, ...withFewerFields(record, maxValues) })) }
      : {}),
    ...typeWithFewer(results, maxValues),
    merged: results.merged.slice(0, maxValues * 2),
  };
}

const typeWithFewer = ({ summary, classes, comparison }: ProcessingResults, maxValues: number) => ({
  ...(summary
    ? {
        summary: {
          points: summary.points.slice(0, maxValues),
          documents: summary.documents.map((documentSummary) => ({
            ...documentSummary,
            points: documentSummary.points.slice(0, maxValues),
          })),
        },
      }
    : {}),
  ...(classes
    ? { classes: classes.map((entry) => ({ ...entry, candidates: entry.candidates.slice(0, maxValues) })) }
    : {}),
  ...(comparison ? { comparison: comparison.slice(0, maxValues) } : {}),
});

/** Cuts a long table to its first rows. */
const brief = (value: RuleValue): RuleValue => ({
  ...value,
  ...(value.rows ? { rows: value.rows.slice(0, MAX_ROWS) } : {}),
  ...(value.values ? { values: value.values.slice(0, MAX_ROWS) } : {}),
});
