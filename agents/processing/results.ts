/** The results: each document with its values, the merged values of all documents, and the confidence. */

import type { DocumentKind } from '../../engines/documents/document.ts';
import { bounded, quotedName } from '../../shared/core/warnings.ts';
import type { Confidence } from '../../shared/tasks/agent-report.ts';
import { effectiveSchema } from '../../shared/tasks/output-schema.ts';
import { folded } from '../records/compare-values.ts';
import { labelKindOf } from '../records/field-words.ts';
import { type DocumentRecord, filledIn, withFewerFields } from '../records/record-plan.ts';
import { shortenedResults } from '../runtime.ts';
import type { DocumentClass } from './document-class.ts';
import {
  type DocumentState,
  isProcessed,
  type Processed,
  type ProcessingPlan,
  type ProcessingState,
  type Value,
} from './state.ts';
import { overallPoints, type SummaryPoint } from './summary-points.ts';

type Merged = { rule: string; value: string; occurrences: number; documents: number[] };

export type ProcessingResults = {
  processing_type: string | null;
  rules: { rule: string; kind: 'named' | 'instruction'; found: number; not_looked_for?: true }[];
  documents: DocumentShown[];
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

type ProcessedShown = Omit<Processed, 'asked' | 'quality' | 'record' | 'summary' | 'class' | 'unsearched'>;
type DocumentShown = ProcessedShown | Exclude<DocumentState, Processed>;

export function resultsOf(
  plan: ProcessingPlan,
  { documents, promptVersion }: Pick<ProcessingState, 'documents' | 'promptVersion'>,
): ProcessingResults {
  const values = documents.filter(isProcessed).flatMap((document) => document.values);
  const counts = new Map<string, number>();
  for (const { rule } of values) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const asked = (rule: string, kind: 'named' | 'instruction') => ({ rule, kind, found: counts.get(rule) ?? 0 });
  return {
    processing_type: plan.processingType,
    rules: [
      ...plan.rules.map((rule) => asked(rule, 'named')),
      ...plan.instructions.map((rule) => ({
        ...asked(rule, 'instruction'),
        ...(plan.hasModel ? {} : { not_looked_for: true as const }),
      })),
    ],
    documents: documents.map(shown),
    ...recordsOf(plan, documents),
    ...ofType(plan, documents.filter(isProcessed)),
    merged: mergedIn(documents),
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
function ofType({ type, length, hasModel }: ProcessingPlan, documents: readonly Processed[]) {
  if (type === 'comparison' && hasModel) return { comparison: compareDocuments(documents) };
  if (type === 'classification')
    return { classes: documents.flatMap(({ document, class: of }) => (of ? [{ document, ...of }] : [])) };
  if (!length) return {};
  const each = documents.map(({ document, summary = [] }) => ({ document, points: summary }));
  const all = each.flatMap(({ points }) => points);
  const points = each.length > 1 ? overallPoints(all, length) : all;
  return { summary: { points, documents: each }, ...(type === 'comparison' ? { comparison: [] } : {}) };
}

function shown(document: DocumentState): DocumentShown {
  if (!isProcessed(document)) return document;
  const { asked, quality, record, summary, class: classOf, unsearched, ...rest } = document;
  return rest;
}

/** Merges equal values of a rule over all documents. Within a rule, values that occur in most documents come first. */
function mergedIn(documents: readonly DocumentState[]): Merged[] {
  const merged = new Map<string, Merged>();
  for (const { document, values } of documents.filter(isProcessed)) {
    for (const { rule, value } of values) {
      const key = JSON.stringify([rule, value]);
      const one = merged.get(key) ?? { rule, value, occurrences: 0, documents: [] };
      one.occurrences++;
      if (!one.documents.includes(document)) one.documents.push(document);
      merged.set(key, one);
    }
  }
  const rules = new Map([...new Set([...merged.values()].map(({ rule }) => rule))].map((rule, at) => [rule, at]));
  return [...merged.values()].sort(
    (a, b) => (rules.get(a.rule) ?? 0) - (rules.get(b.rule) ?? 0) || b.documents.length - a.documents.length,
  );
}

/** Halves the number of values per document until the results fit. */
export const shortened = (results: ProcessingResults): ProcessingResults =>
  shortenedResults(results, (most) => withFewer(results, most));

const MAX_ROWS = 10;

function withFewer(results: ProcessingResults, most: number): ProcessingResults {
  return {
    ...results,
    documents: results.documents.map((document) =>
      'values' in document ? { ...document, values: document.values.slice(0, most).map(brief) } : document,
    ),
    ...(results.records ? { records: results.records.map((one) => ({ ...one, ...withFewerFields(one, most) })) } : {}),
    ...typeWithFewer(results, most),
    merged: results.merged.slice(0, most * 2),
  };
}

const typeWithFewer = ({ summary, classes, comparison }: ProcessingResults, most: number) => ({
  ...(summary
    ? {
        summary: {
          points: summary.points.slice(0, most),
          documents: summary.documents.map((one) => ({ ...one, points: one.points.slice(0, most) })),
        },
      }
    : {}),
  ...(classes ? { classes: classes.map((one) => ({ ...one, candidates: one.candidates.slice(0, most) })) } : {}),
  ...(comparison ? { comparison: comparison.slice(0, most) } : {}),
});

/** Cuts a long table to its first rows. */
const brief = (value: Value): Value => ({
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
  const wanted =
    documents.length *
    (rules.length + instructions.length + (plan.record ? 1 : 0) + (plan.length || plan.labels ? 1 : 0));
  const done = processed.reduce((sum, document) => sum + doneIn(document, rules.length), 0);
  const usable = processed.length / documents.length;
  return {
    dataQuality: rounded(processed.reduce((sum, { quality }) => sum + quality, 0) / Math.max(1, processed.length)),
    analysisCompleteness: rounded(done / wanted),
    sourceReliability: rounded(usable * (values.length === 0 ? 1 : sure.length / values.length)),
  };
}

/** Counts the rules that were fully applied, plus the share of the text that was read for each instruction. */
function doneIn(
  { values, record, summary, class: of, values_left_out: left, asked, unsearched = [] }: Processed,
  rules: number,
): number {
  const told = unsearched.includes('values')
    ? 0
    : values.length + left === 0
      ? 1
      : values.length / (values.length + left);
  const isTyped = summary !== undefined || (of !== undefined && of.label !== null) ? 1 : 0;
  return rules * told + filledIn(record) + isTyped + asked.reduce((sum, share) => sum + share, 0);
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
  bounded(
    documents.filter(isProcessed).flatMap(({ document, type, kind }) => {
      const said = type === null ? kind : BY_WORD.get(type.trim().toLowerCase().replace(/^\./, ''));
      if (type === null || said === kind) return [];
      const field = `input.documents.${document - 1}.type`;
      return said === undefined
        ? [`${field} is not a known type: ${quotedName(type)}. The document was read as ${kind}.`]
        : [`${field} is ${said}, but the document is ${kind} and was read as ${kind}.`];
    }),
  );

/** Warns about documents in which something was not searched for, as that would have taken too long. */
export const slowWarnings = (documents: readonly DocumentState[]): string[] =>
  bounded(
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
function compareDocuments(documents: readonly Processed[]): ComparedField[] {
  const known = documents.map(({ document, record, values }) => ({
    document,
    fields: record ? recordFields(record) : new Map<string, Found>(),
    values: valueFields(values),
  }));
  const names = new Set(known.flatMap(({ fields, values }) => [...fields.keys(), ...values.keys()]));
  const compared = [...names].map((field): ComparedField => {
    const values = known.map(({ document, fields, values }): ComparedValue => {
      const { shown: value = null, place = null, quote = null } = fields.get(field) ?? values.get(field) ?? {};
      return { document, value, place, quote };
    });
    const title = known.flatMap(({ values }) => values.get(field)?.title ?? [])[0];
    return { field: title ?? field, status: statusOf(values), values };
  });
  return compared.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status)).slice(0, MAX_FIELDS);
}

function statusOf(values: readonly ComparedValue[]): ComparedField['status'] {
  const given = values.flatMap(({ value }) => (value === null ? [] : [comparable(value)]));
  if (new Set(given).size > 1) return 'different';
  return given.length < values.length ? 'partial' : 'same';
}

/** Texts are the same whatever their case and white space; a number keeps its sign and decimal point. */
const comparable = (value: string | number | boolean): string =>
  typeof value === 'string' ? value.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim() : String(value);

type Found = { shown: string | number | boolean; place: string | null; quote: string | null; title?: string };

function recordFields({ fields }: NonNullable<Processed['record']>): Map<string, Found> {
  return new Map(
    fields.flatMap(({ path, value, basis: [basis] }): [string, Found][] =>
      value === null || !basis ? [] : [[path, { shown: value, place: basis.place, quote: basis.quote }]],
    ),
  );
}

/** The values of a rule, or of a label; several in one document are one list. An answer without a quote is none. */
function valueFields(values: Processed['values']): Map<string, Found> {
  const rules = new Set(values.map(({ rule }) => rule));
  // A rule that knows a label gives its value in a normalized form.
  const isKnown = (key: unknown) =>
    typeof key === 'string' && (rules.has(labelKindOf(key) ?? '') || rules.has(folded(key).replaceAll(' ', '_')));
  const cited = values.filter(({ rule, verified, key }) => rule !== 'tables' && verified !== false && !isKnown(key));
  const byField = Map.groupBy(cited, ({ rule, key }) => (typeof key === 'string' ? folded(key) : rule));
  return new Map(
    [...byField].flatMap(([field, found]): [string, Found][] => {
      const [first] = found;
      const key = first && typeof first.key === 'string' ? first.key : undefined;
      if (!first) return [];
      const all = new Set(found.map(({ value }) => (key === undefined ? value : value.slice(key.length + 3))));
      const shown = [...all].join('; ').slice(0, MAX_VALUE);
      const { place, excerpt: quote } = first;
      return [[field, { shown, place, quote, ...(key === undefined ? {} : { title: key }) }]];
    }),
  );
}
