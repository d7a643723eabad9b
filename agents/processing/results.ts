/** The results: each document with its values, the merged values of all documents, and the confidence. */

import type { DocumentKind } from '../../engines/documents/document.ts';
import { limitWarnings, quotedName } from '../../shared/core/warnings.ts';
import type { Confidence } from '../../shared/tasks/agent-report.ts';
import { effectiveSchema } from '../../shared/tasks/output-schema.ts';
import { normalizedText } from '../records/compare-values.ts';
import { labelKindOf } from '../records/field-words.ts';
import { type DocumentRecord, filledShare, withFewerFields } from '../records/record-plan.ts';
import { shortenedResults } from '../runtime.ts';
import type { DocumentClass } from './document-class.ts';
import {
  type DocumentState,
  isProcessed,
  type ProcessedDocument,
  type ProcessingPlan,
  type ProcessingState,
  type RuleValue,
} from './state.ts';
import { overallPoints, type SummaryPoint } from './summary-points.ts';

type Merged = { rule: string; value: string; occurrences: number; documents: number[] };

export type ProcessingResults = {
  processing_type: string | null;
  rules: { rule: string; kind: 'named' | 'instruction'; found: number; not_looked_for?: true }[];
  documents: DocumentView[];
  /** With a schema: the schema that the records keep, and one record for each document that could be used. */
  output_schema?: Record<string, unknown>;
  records?: ({ document: number } & DocumentRecord)[];
  /** Of a summarization: the points of all documents together, and of each. */
  summary?: { points: SummaryPoint[]; documents: { document: number; points: SummaryPoint[] }[] };
  /** Of a classification: the class of each document that could be used. */
  classes?: ({ document: number } & DocumentClass)[];
  /** Of a comparison: the fields of the documents, those that differ first. */
  comparison?: ComparedField[];
  merged: Merged[];
  /** False if something was asked that needs a language model, and there is none. */
  complete?: false;
  /** The version of the prompts; absent if no language model was asked. */
  prompt_version?: string;
  /** True if values were left out of this response; the files have all of them. */
  truncated?: true;
};

type ProcessedView = Omit<ProcessedDocument, 'asked' | 'quality' | 'record' | 'summary' | 'class' | 'unsearched'>;
type DocumentView = ProcessedView | Exclude<DocumentState, ProcessedDocument>;

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
function mergedValues(documents: readonly DocumentState[]): Merged[] {
  const merged = new Map<string, Merged>();
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

/** Halves the number of values per document until the results fit. */
export const toShortResults = (results: ProcessingResults): ProcessingResults =>
  shortenedResults(results, (maxValues) => withFewer(results, maxValues));

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
  ...(Array.isArray(value.rows) ? { rows: value.rows.slice(0, MAX_ROWS) } : {}),
  ...(Array.isArray(value.values) ? { values: value.values.slice(0, MAX_ROWS) } : {}),
});

/** Computes the confidence by the formula in docs/guides/extraction.md. */
export function confidenceIn(documents: readonly DocumentState[], plan: ProcessingPlan): Confidence {
  const { rules, instructions } = plan;
  const processed = documents.filter(isProcessed);
  const values = processed.flatMap((document) => document.values);
  const sure = values.filter(({ ambiguous, verified, valid }) => !ambiguous && verified !== false && valid !== false);
  const expectedWork =
    documents.length *
    (rules.length + instructions.length + (plan.record ? 1 : 0) + (plan.length || plan.labels ? 1 : 0));
  const completedWork = processed.reduce((sum, document) => sum + completedWorkOf(document, rules.length), 0);
  const usable = processed.length / documents.length;
  return {
    dataQuality: rounded(processed.reduce((sum, { quality }) => sum + quality, 0) / Math.max(1, processed.length)),
    analysisCompleteness: rounded(completedWork / expectedWork),
    sourceReliability: rounded(usable * (values.length === 0 ? 1 : sure.length / values.length)),
  };
}

/** Counts the rules that were fully applied, plus the share of the text that was read for each instruction. */
function completedWorkOf(
  {
    values,
    record,
    summary,
    class: documentClass,
    values_left_out: leftOutCount,
    asked,
    unsearched = [],
  }: ProcessedDocument,
  rules: number,
): number {
  const valueShare = unsearched.includes('values')
    ? 0
    : values.length + leftOutCount === 0
      ? 1
      : values.length / (values.length + leftOutCount);
  const isTyped = summary !== undefined || (documentClass !== undefined && documentClass.label !== null) ? 1 : 0;
  return rules * valueShare + filledShare(record) + isTyped + asked.reduce((sum, share) => sum + share, 0);
}

const rounded = (share: number): number => Math.round(100 * share) / 100;

const KINDS: Record<DocumentKind, readonly string[]> = {
  pdf: [],
  docx: ['docm'],
  xlsx: ['xlsm'],
  pptx: ['pptm'],
  odt: [],
  ods: [],
  odp: [],
  doc: [],
  xls: [],
  ppt: [],
  rtf: [],
  html: ['htm', 'xhtml'],
  csv: ['tsv', 'tab'],
  text: ['txt', 'plain', 'md', 'markdown', 'json', 'xml', 'yaml', 'yml', 'log'],
  image: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'picture', 'scan'],
};

const BY_WORD = new Map<string, string>(
  Object.entries(KINDS).flatMap(([kind, also]) => [kind, ...also].map((word): [string, string] => [word, kind])),
);

/** Warns about documents whose type is not the one that the caller gave. */
export const typeWarnings = (documents: readonly DocumentState[]): string[] =>
  limitWarnings(
    documents.filter(isProcessed).flatMap(({ document, type, kind }) => {
      const statedKind = type === null ? kind : BY_WORD.get(type.trim().toLowerCase().replace(/^\./, ''));
      if (type === null || statedKind === kind) return [];
      const field = `input.documents.${document - 1}.type`;
      return statedKind === undefined
        ? [`${field} is not a known type: ${quotedName(type)}. The document was read as ${kind}.`]
        : [`${field} is ${statedKind}, but the document is ${kind} and was read as ${kind}.`];
    }),
  );

/** Warns about documents in which something was not searched for, as that would have taken too long. */
export const slowWarnings = (documents: readonly DocumentState[]): string[] =>
  limitWarnings(
    documents
      .filter(isProcessed)
      .flatMap(({ document, name, unsearched }) =>
        unsearched
          ? [
              `Document ${document} (${name}) took too long to be searched: it has no ${unsearched.join(' and no ')} from rules here.`,
            ]
          : [],
      ),
  );

/** An error message lists at most this many unusable documents. */
export const MAX_LISTED = 5;

type ComparedValue = {
  document: number;
  value: string | number | boolean | null;
  place: string | null;
  quote: string | null;
};

type ComparedField = {
  field: string;
  /** `partial`: not all documents have it, and those that do agree. */
  status: 'different' | 'partial' | 'same';
  values: ComparedValue[];
};

const MAX_FIELDS = 500;
const MAX_VALUE = 300;
const ORDER = ['different', 'partial', 'same'] as const;

/** What differs between documents: each field with its value in every document, and where that stands. Fields that differ come first. */
function compareDocuments(documents: readonly ProcessedDocument[]): ComparedField[] {
  const documentFields = documents.map(({ document, record, values }) => ({
    document,
    fields: record ? recordFields(record) : new Map<string, FieldContent>(),
    values: valueFields(values),
  }));
  const names = new Set(documentFields.flatMap(({ fields, values }) => [...fields.keys(), ...values.keys()]));
  const compared = [...names].map((field): ComparedField => {
    const values = documentFields.map(({ document, fields, values }): ComparedValue => {
      const { content: value = null, place = null, quote = null } = fields.get(field) ?? values.get(field) ?? {};
      return { document, value, place, quote };
    });
    const title = documentFields.flatMap(({ values }) => values.get(field)?.title ?? [])[0];
    return { field: title ?? field, status: statusOf(values), values };
  });
  return compared.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status)).slice(0, MAX_FIELDS);
}

function statusOf(values: readonly ComparedValue[]): ComparedField['status'] {
  const comparableValues = values.flatMap(({ value }) => (value === null ? [] : [comparable(value)]));
  if (new Set(comparableValues).size > 1) return 'different';
  return comparableValues.length < values.length ? 'partial' : 'same';
}

/** Texts are the same whatever their case and white space; a number keeps its sign and decimal point. */
const comparable = (value: string | number | boolean): string =>
  typeof value === 'string' ? value.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim() : String(value);

type FieldContent = { content: string | number | boolean; place: string | null; quote: string | null; title?: string };

function recordFields({ fields }: NonNullable<ProcessedDocument['record']>): Map<string, FieldContent> {
  return new Map(
    fields.flatMap(({ path, value, basis: [basis] }): [string, FieldContent][] =>
      value === null || !basis ? [] : [[path, { content: value, place: basis.place, quote: basis.quote }]],
    ),
  );
}

/** The values of a rule, or of a label; several in one document are one list. An answer without a quote is none. */
function valueFields(values: ProcessedDocument['values']): Map<string, FieldContent> {
  const rules = new Set(values.map(({ rule }) => rule));
  // A rule that knows a label gives its value in a normalized form.
  const isKnown = (key: unknown) =>
    typeof key === 'string' &&
    (rules.has(labelKindOf(key) ?? '') || rules.has(normalizedText(key).replaceAll(' ', '_')));
  const cited = values.filter(({ rule, verified, key }) => rule !== 'tables' && verified !== false && !isKnown(key));
  const byField = Map.groupBy(cited, ({ rule, key }) => (typeof key === 'string' ? normalizedText(key) : rule));
  return new Map(
    [...byField].flatMap(([field, fieldValues]): [string, FieldContent][] => {
      const [firstValue] = fieldValues;
      const key = firstValue && typeof firstValue.key === 'string' ? firstValue.key : undefined;
      if (!firstValue) return [];
      const distinctTexts = new Set(
        fieldValues.map(({ value }) => (key === undefined ? value : value.slice(key.length + 3))),
      );
      const content = [...distinctTexts].join('; ').slice(0, MAX_VALUE);
      const { place, excerpt: quote } = firstValue;
      return [[field, { content, place, quote, ...(key === undefined ? {} : { title: key }) }]];
    }),
  );
}
