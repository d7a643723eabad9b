/** What one stage hands to the next: what it has come to, as a poll shows it, and all that is known. */
import type { AgentReport } from '../../../shared/agents/agent-task.ts';
import type { Result } from '../../../shared/tasks/results.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { keepFile, keepJson, readJson } from '../keep.ts';
import { confidenceIn } from './confidence.ts';
import { scopeNotes } from './notes.ts';
import type { ResearchSetting } from './ports.ts';
import { resultsOf, shortened } from './results.ts';
import type { ResearchState } from './state.ts';
import type { ResearchRequest } from './wish.ts';

/** Up to here it is carried in the table itself. */
const SHORT = 100_000;

type Carried = Result & { known: ResearchState | { bytesAt: string } };

const knownAtFirst = ({ sources }: ResearchRequest): ResearchState => ({
  sources: sources.map((source) => ({
    source,
    status: 'pending',
    items: 0,
    queries: 0,
    sample_data: false,
    faults: [],
  })),
  items: [],
  documents: [],
  points: [],
  leftOut: { irrelevant: 0, duplicates: 0, beyond_depth: 0 },
  findings: [],
  thrownOut: 0,
  written: [],
  queries: 0,
});

export async function takeUp(
  { ports, wish }: Pick<ResearchSetting, 'ports' | 'wish'>,
  carried: unknown,
): Promise<ResearchState> {
  if (carried === undefined) return knownAtFirst(wish);
  const { known } = carried as Carried;
  return 'bytesAt' in known ? readJson<ResearchState>(ports, known.bytesAt) : known;
}

type Handing = { known: ResearchState; stages: string[] };

/** Whatever becomes of the task from here on, this is what it shows. */
export async function handOn(
  { ports, wish }: ResearchSetting,
  address: TaskAddress,
  { known, stages }: Handing,
): Promise<Carried> {
  const results = resultsOf(wish, known);
  const shown = shortened(results);
  const kept = JSON.stringify(known).length <= SHORT ? known : { bytesAt: await keepJson(ports, address, known) };
  const files = shown.truncated ? [await keepFile(ports, address, jsonFile(results, 'partial-results'))] : [];
  return {
    report: { ...reportOf(wish, { known, stages }), results: shown, files },
    known: kept,
  };
}

export const jsonFile = (results: unknown, stem: string) => ({
  name: `${stem}.json`,
  contentType: 'application/json',
  bytes: Buffer.from(`${JSON.stringify(results, undefined, 2)}\n`),
});

/** Without results and files. */
export function reportOf(wish: ResearchRequest, { known, stages }: Handing): Omit<AgentReport, 'results' | 'files'> {
  const { sources, documents, findings, written, queries } = known;
  const read = documents.filter(({ status }) => status === 'read').length;
  return {
    stages,
    sources: read,
    queries,
    preview: {
      sources: sources.length,
      sources_dead: sources.filter(({ status }) => status === 'dead').length,
      items: sources.reduce((sum, { items }) => sum + items, 0),
      documents: documents.length,
      read,
      findings: findings.length,
      deliverables: written.length,
    },
    confidence: confidenceIn(wish, known),
    warnings: scopeNotes(known),
  };
}
