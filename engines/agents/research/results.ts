/** What the results say: what was asked and planned, what was read, what it says, and what was written of it. */
import type { Chart } from '../../charts/chart.ts';
import { chartsOf } from './charts-of.ts';
import { notesOf } from './notes.ts';
import type { Chosen, Finding, LeftOut, ResearchDocument, ResearchState, SourceState } from './state.ts';
import type { ResearchRequest } from './wish.ts';
import type { WrittenDeliverable } from './written.ts';

export type ShownChart = Chart & { chart: number; documents: number[] };

export type ResearchResults = {
  query: string;
  research_type: string | null;
  geographic_scope: string[];
  depth: string;
  analysis_depth: string;
  plan: { queries: string[]; made_by: 'model' | 'rules' } | null;
  deliverables: WrittenDeliverable[];
  findings: Omit<Finding, 'score'>[];
  documents: (ResearchDocument & { cited: boolean })[];
  sources: SourceState[];
  left_out: LeftOut;
  statements_thrown_out: number;
  charts: ShownChart[];
  notes: string[];
  /** True where something was left out of this answer; a file has all of it. */
  truncated?: true;
};

export function resultsOf(wish: ResearchRequest, known: ResearchState): ResearchResults {
  const cited = new Set([
    ...known.findings.flatMap(({ citations }) => citations.map(({ document }) => document)),
    ...known.written.flatMap(({ paragraphs }) => paragraphs.flatMap(({ citations }) => citations)),
  ]);
  return {
    query: wish.query,
    research_type: wish.researchType,
    geographic_scope: wish.scope,
    depth: wish.depth.name,
    analysis_depth: wish.analysis.name,
    plan: known.plan ? { queries: known.plan.queries, made_by: known.plan.by } : null,
    deliverables: known.written,
    findings: known.findings.map(({ score: _, ...finding }) => finding),
    documents: known.documents.map((document) => ({ ...shown(document), cited: cited.has(document.document) })),
    sources: known.sources,
    left_out: known.leftOut,
    statements_thrown_out: known.thrownOut,
    charts: chartsOf(known.points).map((chart, at) => ({ ...chart, chart: at + 1 })),
    notes: notesOf(known),
  };
}

const shown = ({ text: _, figures: __, ...document }: Chosen): ResearchDocument => document;

/** Shown whole up to here; it is read with every poll of the results. */
const MOST_CHARACTERS = 100_000;

/** Fewer and fewer findings, rows and paragraphs until it fits. */
export function shortened(results: ResearchResults): ResearchResults {
  if (isShort(results)) return results;
  for (let most = 60; most > 0; most = Math.floor(most / 2)) {
    const fewer = withFewer(results, most);
    if (isShort(fewer)) return fewer;
  }
  return { ...withFewer(results, 1), findings: [], documents: [], deliverables: [] };
}

const isShort = (results: ResearchResults): boolean => JSON.stringify(results).length <= MOST_CHARACTERS;

const withFewer = (results: ResearchResults, most: number): ResearchResults => ({
  ...results,
  deliverables: results.deliverables.map((written) => ({
    ...written,
    paragraphs: written.paragraphs.slice(0, most),
    ...(written.table ? { table: { ...written.table, rows: written.table.rows.slice(0, most) } } : {}),
  })),
  findings: results.findings.slice(0, most),
  documents: results.documents.map((document) => ({ ...document, duplicates: document.duplicates.slice(0, 3) })),
  charts: results.charts.slice(0, Math.ceil(most / 10)),
  truncated: true,
});
