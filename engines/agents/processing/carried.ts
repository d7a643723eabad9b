/** What one stage hands to the next: what it has come to, as a poll shows it, and all that is known of the documents. */
import type { AgentReport } from '../../../shared/agents/agent-task.ts';
import type { Result } from '../../../shared/tasks/results.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { type KeepPorts, keepFile, keepJson, readJson } from '../keep.ts';
import { confidenceIn } from './confidence.ts';
import { writeFile } from './output/write-file.ts';
import type { ProcessingPlan } from './plan.ts';
import { resultsOf, shortened } from './results.ts';
import { type DocumentState, isProcessed } from './state.ts';
import { typeWarnings } from './type-warnings.ts';

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
