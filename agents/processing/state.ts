/** The plan of a processing task, and the state of each document while it is processed. */

import type { DocumentKind } from '../../engines/documents/document.ts';
import { writesText } from '../../shared/accounts/models.ts';
import {
  type ProcessingInput,
  type ProcessingType,
  processingTypeOf,
  type SummaryLength,
} from '../../shared/agents/processing-input.ts';
import type {
  DocumentClass,
  DocumentView,
  ProcessedView,
  RuleValue,
  SummaryPoint,
} from '../../shared/agents/results/processing.ts';
import type { DocumentRecord } from '../../shared/agents/results/records.ts';
import { LABELLED_NAMES, RULE_NAMES, type RuleName, ruleNamed } from '../../shared/agents/rule-names.ts';
import { planOfChecked, type RecordPlan } from '../records/record-plan.ts';
import { type ClassLabel, labelsOf } from './document-class.ts';

/** The plan of a task: its documents, the named rules, the instructions for the model, and the batches. */
export type ProcessingPlan = {
  documents: { url: string; fileId?: string; type: string | null }[];
  /** As the caller wrote it, and what it means. */
  processingType: string | null;
  type: ProcessingType;
  /** For summaries. */
  length?: SummaryLength;
  /** For classification. */
  labels?: ClassLabel[];
  rules: RuleName[];
  instructions: string[];
  /** Without a language model, instructions get the nearest passages: what they ask for is not looked for. */
  hasModel: boolean;
  /** The record that the caller's schema asks for, and whether a task without a wanted field fails. */
  record?: RecordPlan;
  failsOnMissing: boolean;
  /** Zero-based indexes of the documents: those that are read together, and those that a model is asked about side by side. */
  batches: number[][];
  groups: number[][];
};

/** Instructions are for any model; open fields of a record, summaries and classes only for one that reads. */
export const asksModel = ({ instructions, record, length, labels, hasModel }: ProcessingPlan): boolean =>
  instructions.length > 0 || ((record ?? length ?? labels) !== undefined && hasModel);

/** Without a schema and rules of the caller's own. A comparison is of what has a name in each document. */
const DEFAULT_RULES: Record<ProcessingType, RuleName[]> = {
  extraction: [...RULE_NAMES, ...LABELLED_NAMES],
  summarization: [],
  classification: [],
  comparison: [...LABELLED_NAMES, 'key_value_pairs'],
};

const MAX_BATCHES = 10;
/** Keeps the memory of a task within bounds, as the texts and pictures of a group are loaded at once. */
const ASKED_AT_ONCE = 4;

export function planOf(input: ProcessingInput, model: string): ProcessingPlan {
  const {
    documents,
    extraction_rules: requestedRules,
    processing_type: requestedType,
    processing_options: options,
  } = input;
  const type = processingTypeOf(requestedType);
  const texts = (requestedRules ?? []).map((text) => text.trim());
  const namedRules = texts.flatMap((text) => ruleNamed(text) ?? []);
  const record =
    input.output_schema == null ? undefined : planOfChecked(input.output_schema, input.accept ?? undefined).plan;
  return {
    documents: documents.map(({ url, file_id: fileId, type: documentType }) => ({
      url: url ?? `/files/${fileId}`,
      ...(fileId == null ? {} : { fileId }),
      type: documentType ?? null,
    })),
    processingType: requestedType ?? null,
    type,
    // Without a language model, a comparison shows how the documents begin.
    ...(type === 'summarization' || (type === 'comparison' && !writesText(model))
      ? { length: options?.length ?? 'standard' }
      : {}),
    ...(type === 'classification' ? { labels: labelsOf(options?.labels, record) } : {}),
    rules: texts.length === 0 && !record ? DEFAULT_RULES[type] : [...new Set(namedRules)],
    instructions: [...new Set(texts.filter((text) => ruleNamed(text) === undefined))],
    hasModel: writesText(model),
    ...(record ? { record } : {}),
    failsOnMissing: input.on_missing === 'fail',
    batches: indexGroups(documents.length, Math.ceil(documents.length / MAX_BATCHES)),
    groups: indexGroups(documents.length, ASKED_AT_ONCE),
  };
}

/** The reasons why a document cannot be fetched. Each text follows the document's name in a message. */
const UNUSABLE_MESSAGES = {
  refused: 'has a URL that is not allowed',
  unreachable: 'could not be fetched',
  gone: 'was deleted, or has expired',
} as const;

type UnusableDocument = Error & { name: 'Unusable'; reason: keyof typeof UNUSABLE_MESSAGES };

export const unusableError = (reason: keyof typeof UNUSABLE_MESSAGES, cause?: unknown): UnusableDocument =>
  Object.assign(new Error(UNUSABLE_MESSAGES[reason], { cause }), { name: 'Unusable' as const, reason });

export const isUnusable = (error: unknown): error is UnusableDocument =>
  error instanceof Error && error.name === 'Unusable';

/** With what only the stages and the confidence need. */
export type ProcessedDocument = ProcessedView & {
  kind: DocumentKind;
  /**
   * The share of characters that are letters, digits, punctuation, symbols or white space; lower for text recognized in
   * an image.
   */
  quality: number;
  /** In the caller's schema, if there is one. */
  record?: DocumentRecord;
  /** For the types of processing that have them. */
  summary?: SummaryPoint[];
  class?: DocumentClass;
  /** What is missing because searching the text took too long. */
  unsearched?: ('values' | 'fields' | 'points' | 'class')[];
  /** For each instruction, the share of the document that the model was shown. */
  asked: number[];
};

export type DocumentState = ProcessedDocument | Exclude<DocumentView, ProcessedView>;

export const isProcessed = (state: DocumentState): state is ProcessedDocument => state.status === 'processed';

/** The picture of a page as it is stored between two stages. */
export type StoredPicture = { page: number; base64: string };

/** All that is known of the documents; one stage hands it to the next. */
export type ProcessingState = {
  documents: DocumentState[];
  /** Maps document numbers to the blob keys of their text, which the model reads later. */
  texts: Record<number, string>;
  /** The same for pictures of pages, for a model that sees. */
  pictures?: Record<number, string>;
  queries: number;
  /** Questions to which the model gave no usable answer. */
  unusable?: number;
  /** The version of the prompts, once a language model was asked. */
  promptVersion?: string;
};

/** The answers about one document, from either model. */
export type DocumentAnswers = {
  values: RuleValue[];
  /** The number of requests that were answered. */
  calls: number;
  /** The share of the document's text that was read. */
  share: number;
  /** The number of questions without a usable answer. */
  unusable: number;
};

function indexGroups(count: number, size: number): number[][] {
  const indexes = Array.from({ length: count }, (_, at) => at);
  return Array.from({ length: Math.ceil(count / size) }, (_, at) => indexes.slice(at * size, (at + 1) * size));
}
