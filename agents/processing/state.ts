/** What is planned for and known of each document while they are processed. */

import type { DocumentFailure, DocumentKind } from '../../engines/documents/document.ts';
import type { ProcessingInput } from '../../shared/agents/processing-input.ts';
import { RULE_NAMES, type RuleName, ruleNamed } from './rules/named-rules.ts';

/** What is to be done with the documents: which rules are ours, which are instructions, and in which batches. */
export type ProcessingPlan = {
  documents: { url: string; type: string | null }[];
  processingType: string | null;
  rules: RuleName[];
  instructions: string[];
  /** The numbers of the documents, counted from nought. Each batch is a checkpoint. */
  batches: number[][];
};

const MOST_BATCHES = 10;

export function planOf({ documents, extraction_rules: asked, processing_type: type }: ProcessingInput): ProcessingPlan {
  const texts = (asked ?? []).map((text) => text.trim());
  const named = texts.flatMap((text) => ruleNamed(text) ?? []);
  return {
    documents: documents.map(({ url, type: of }) => ({ url, type: of ?? null })),
    processingType: type ?? null,
    rules: texts.length === 0 ? RULE_NAMES : [...new Set(named)],
    instructions: [...new Set(texts.filter((text) => ruleNamed(text) === undefined))],
    batches: batchesOf(documents.length),
  };
}

function batchesOf(count: number): number[][] {
  const size = Math.ceil(count / MOST_BATCHES);
  const all = Array.from({ length: count }, (_, at) => at);
  return Array.from({ length: Math.ceil(count / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

// What is known of each document while they are processed, and what one stage hands to the next.

/** Why a document could not be used: a closed set of reasons, each with words that follow its name. */
const WORDS = {
  refused: 'is at an address that is not taken',
  unreachable: 'could not be fetched',
} as const;

type UnusableReason = keyof typeof WORDS | DocumentFailure['reason'];
type Unusable = Error & { name: 'Unusable'; reason: keyof typeof WORDS };

export const unusable = (reason: keyof typeof WORDS, cause?: unknown): Unusable =>
  Object.assign(new Error(WORDS[reason], { cause }), { name: 'Unusable' as const, reason });

export const isUnusable = (error: unknown): error is Unusable => error instanceof Error && error.name === 'Unusable';

// What is known of each document while they are processed: also what the results show of it.

/** A value that a rule found, with where it stands. Of a model's answer that stands nowhere, place and excerpt are null. */
export type Value = {
  rule: string;
  value: string;
  text: string;
  place: string | null;
  excerpt: string | null;
} & Record<string, unknown>;

type Named = { document: number; url: string; name: string; type: string | null };

export type Processed = Named & {
  status: 'processed';
  kind: DocumentKind;
  size_bytes: number;
  places: number;
  characters: number;
  /** Of its characters, how many are letters, figures, marks or space; less for text that was read off a picture. */
  quality: number;
  values: Value[];
  /** Found and left out, because a document shows only so many. */
  values_left_out: number;
  /** Of each instruction, how much of the document the model was shown. */
  asked: number[];
};

export type DocumentState =
  | (Named & { status: 'pending' })
  | Processed
  | (Named & { status: 'failed'; reason: UnusableReason; message: string });

export const isProcessed = (state: DocumentState): state is Processed => state.status === 'processed';

/** What one stage hands to the next: what it has come to, as a poll shows it, and all that is known of the documents. */
export type ProcessingState = {
  documents: DocumentState[];
  /** Where the text of a document is kept for the model, by its number. */
  texts: Record<number, string>;
  queries: number;
};

/** What asking about one document came to, whichever model was asked. */
export type DocumentAnswers = {
  values: Value[];
  /** Requests that were answered. */
  calls: number;
  /** Of the document's text, how much was looked at. */
  share: number;
};
