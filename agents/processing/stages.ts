/** Shared by the stages of the processing agent: its ports, and the state that one stage hands to the next. */

import type { Documents } from '../../engines/documents/documents.ts';
import { PASSAGES_ONLY } from '../../engines/models/keyless.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import type { AgentInput } from '../../shared/agents/agent-input.ts';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import type { Blobs, Clock, Ids, Outbound, Table } from '../../shared/ports.ts';
import type { AgentReport } from '../../shared/tasks/agent-report.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { type Checkpoint, resumeState, storeCheckpoint } from '../checkpoints.ts';
import { unusableNotes } from '../structured-answer.ts';
import { confidenceIn } from './confidence.ts';
import { lacksModel, resultsOf, toShortResults } from './results.ts';
import { isProcessed, type ProcessedDocument, type ProcessingPlan, type ProcessingState } from './state.ts';
import { slowWarnings, typeWarnings } from './warnings.ts';

export type ProcessingPorts = {
  table: Table;
  clock: Clock;
  blobs: Blobs;
  ids: Ids;
  documents: Documents;
  outbound: Outbound;
  modelOf: ModelOf;
  /** Returns true if the model accepts images. */
  acceptsImages(id: string): boolean;
  /** How many tokens of a document the model is shown whole; without it, the usual number. */
  wholeTokens?(id: string): number;
};

export type ProcessingSetting = {
  ports: ProcessingPorts;
  plan: ProcessingPlan;
  input: AgentInput<'processing_agent'>;
  /**
   * Limits the downloads of this process. A slot is held until its document is read, which limits the memory in use.
   */
  downloads: Semaphore;
  /** Limits the downloads of this task, so that slow sources of one task do not take all slots. */
  ownDownloads: Semaphore;
};

export const resume = ({ ports, plan }: ProcessingSetting, carried: unknown): Promise<ProcessingState> =>
  resumeState(ports, carried, () => initialState(plan));

/** This report is what the task shows, however it goes on from here. */
export function checkpoint(
  { ports, plan }: ProcessingSetting,
  address: TaskAddress,
  { state, stages }: Progress,
): Promise<Checkpoint<ProcessingState>> {
  const results = resultsOf(plan, state);
  const report = reportOf({ plan, state, stages });
  return storeCheckpoint(ports, address, { known: state, report, results, shortResults: toShortResults(results) });
}

/** The report without results and files. */
export function reportOf({
  plan,
  state,
  stages,
}: Progress & { plan: ProcessingPlan }): Omit<AgentReport, 'results' | 'files'> {
  const { documents, queries } = state;
  const processed = documents.filter(isProcessed);
  const isUnusable = stages.includes(READING) && documents.every(({ status }) => status === 'failed');
  return {
    ...(isUnusable ? { stages: [], failedStage: READING } : { stages }),
    hasContent: processed.some(hasContent),
    sources: processed.length,
    queries,
    preview: {
      documents: documents.length,
      processed: processed.length,
      failed: documents.filter(({ status }) => status === 'failed').length,
      values: processed.reduce((sum, { values }) => sum + values.length, 0),
    },
    confidence: confidenceIn(documents, plan),
    warnings: [
      ...(lacksModel(plan, documents) ? [PASSAGES_ONLY] : []),
      ...typeWarnings(documents),
      ...slowWarnings(documents),
      ...unusableNotes(state.unusable ?? 0),
    ],
  };
}

const initialState = ({ documents }: ProcessingPlan): ProcessingState => ({
  documents: documents.map(({ url, type }, at) => ({ document: at + 1, url, name: '', type, status: 'pending' })),
  texts: {},
  queries: 0,
});

type Progress = { state: ProcessingState; stages: string[] };

const READING = 'reading';

const hasContent = ({ values, record, summary, class: documentClass }: ProcessedDocument): boolean =>
  values.length > 0 ||
  (summary ?? []).length > 0 ||
  (documentClass !== undefined && documentClass.label !== null) ||
  (record?.fields ?? []).some(({ value }) => value !== null);
