/** Shared by the stages of the processing agent: its ports, and the state that one stage hands to the next. */

import type { Documents } from '../../engines/documents/documents.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import type { AgentInput } from '../../shared/agents/agent-input.ts';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import type { Blobs, Ids, Outbound } from '../../shared/ports.ts';
import type { AgentReport } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/results.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { type KeepPorts, keepFile, keepJson, readJson } from '../stored-results.ts';
import { writeFile } from './output.ts';
import { confidenceIn, resultsOf, shortened, typeWarnings } from './results.ts';
import { isProcessed, type ProcessingPlan, type ProcessingState } from './state.ts';

export type ProcessingPorts = {
  blobs: Blobs;
  ids: Ids;
  documents: Documents;
  outbound: Outbound;
  modelOf: ModelOf;
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

/** State up to this length is stored in the table, longer state in a blob. */
const SHORT = 100_000;

export type CarriedDocuments = Result & { known: ProcessingState | { bytesAt: string } };

const knownAtFirst = ({ documents }: ProcessingPlan): ProcessingState => ({
  documents: documents.map(({ url, type }, at) => ({ document: at + 1, url, name: '', type, status: 'pending' })),
  texts: {},
  queries: 0,
});

export async function takeUp(ports: KeepPorts, plan: ProcessingPlan, carried: unknown): Promise<ProcessingState> {
  if (carried === undefined) return knownAtFirst(plan);
  const { known } = carried as CarriedDocuments;
  return 'bytesAt' in known ? readJson<ProcessingState>(ports, known.bytesAt) : known;
}

export type ProcessingHandover = { plan: ProcessingPlan; known: ProcessingState; stages: string[] };

/** This report is what the task shows, however it goes on from here. */
export async function handOn(
  ports: KeepPorts,
  address: TaskAddress,
  { plan, known, stages }: ProcessingHandover,
): Promise<CarriedDocuments> {
  const results = resultsOf(plan, known.documents);
  const shown = shortened(results);
  const report = reportOf({ plan, known, stages });
  const kept = JSON.stringify(known).length <= SHORT ? known : { bytesAt: await keepJson(ports, address, known) };
  const files = shown.truncated ? [await keepFile(ports, address, writeFile(results, 'json', 'partial-results'))] : [];
  return { report: { ...report, results: shown, files }, known: kept };
}

/** The report without results and files. */
export function reportOf({ plan, known, stages }: ProcessingHandover): Omit<AgentReport, 'results' | 'files'> {
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
