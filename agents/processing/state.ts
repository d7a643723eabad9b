/** What is known of each document while they are processed, and what one stage hands to the next. */

import type { DocumentFailure, DocumentKind } from '../../engines/documents/document.ts';
import type { AgentReport } from '../../shared/agents/agent-task.ts';
import type { Result } from '../../shared/tasks/results.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { type KeepPorts, keepFile, keepJson, readJson } from '../stored-results.ts';
import type { ProcessingPlan } from './plan.ts';
import { typeWarnings } from './read-stage.ts';
import { confidenceIn, resultsOf, shortened } from './results.ts';
import { writeFile } from './write-stage.ts';

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

/** Up to here it is carried in the table itself. */
const SHORT = 100_000;

type Carried = Result & { known: ProcessingState | { bytesAt: string } };

const knownAtFirst = ({ documents }: ProcessingPlan): ProcessingState => ({
  documents: documents.map(({ url, type }, at) => ({ document: at + 1, url, name: '', type, status: 'pending' })),
  texts: {},
  queries: 0,
});

export async function takeUp(ports: KeepPorts, plan: ProcessingPlan, carried: unknown): Promise<ProcessingState> {
  if (carried === undefined) return knownAtFirst(plan);
  const { known } = carried as Carried;
  return 'bytesAt' in known ? readJson<ProcessingState>(ports, known.bytesAt) : known;
}

type Handing = { plan: ProcessingPlan; known: ProcessingState; stages: string[] };

/** Whatever becomes of the task from here on, this is what it shows. */
export async function handOn(
  ports: KeepPorts,
  address: TaskAddress,
  { plan, known, stages }: Handing,
): Promise<Carried> {
  const results = resultsOf(plan, known.documents);
  const shown = shortened(results);
  const report = reportOf({ plan, known, stages });
  const kept = JSON.stringify(known).length <= SHORT ? known : { bytesAt: await keepJson(ports, address, known) };
  const files = shown.truncated ? [await keepFile(ports, address, writeFile(results, 'json', 'partial-results'))] : [];
  return { report: { ...report, results: shown, files }, known: kept };
}

/** Without results and files. */
export function reportOf({ plan, known, stages }: Handing): Omit<AgentReport, 'results' | 'files'> {
  const { documents, queries } = known;
  const processed = documents.filter(isProcessed);
  return {
    stages,
    sources: processed.length,
    queries,
    preview: {
      documents: documents.length,
      processed: processed.length,
      failed: documents.filter(({ status }) => status === 'failed').length,
      values: processed.reduce((sum, { values }) => sum + values.length, 0),
    },
    confidence: confidenceIn(documents, plan),
    warnings: typeWarnings(documents),
  };
}

/** What asking about one document came to, whichever model was asked. */
export type DocumentAnswers = {
  values: Value[];
  /** Requests that were answered. */
  calls: number;
  /** Of the document's text, how much was looked at. */
  share: number;
};
