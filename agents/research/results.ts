/** The results: the request and plan, what was read, and what it says in words and charts. */

import type { ResearchDocument, ResearchResults, ShownFinding } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { effectiveSchema } from '../../shared/tasks/output-schema.ts';
import { withFewerFields } from '../records/record-plan.ts';
import { chartsOf } from './charts.ts';
import { notesOf } from './notes.ts';
import { isBacked, outcomeOf } from './outcome.ts';
import type { ReportableState } from './pipeline-states.ts';
import type { Finding } from './report-model.ts';
import type { ChosenDocument, ResearchRequest } from './research-request.ts';

export function resultsOf(request: ResearchRequest, state: ReportableState): ResearchResults {
  const cited = new Set([
    ...state.findings.flatMap(({ citations }) => citations.map(({ document }) => document)),
    ...state.written.flatMap(({ paragraphs }) => paragraphs.flatMap(({ citations }) => citations)),
    ...(state.record?.fields ?? []).flatMap(({ basis }) => basis.map(({ document }) => document)),
  ]);
  return {
    query: request.query,
    outcome: outcomeOf(state),
    research_type: request.researchType,
    geographic_scope: request.scope,
    depth: request.depth.name,
    analysis_depth: request.analysis.name,
    plan: state.plan
      ? { queries: state.plan.queries, made_by: state.plan.by, sub_questions: state.plan.subQuestions }
      : null,
    // A section that a model found nothing for has no content yet.
    deliverables: state.written.filter((section) => isBacked(section) || section.note !== undefined),
    findings: state.findings.map((finding) => shownFinding(finding, state.documents)),
    documents: state.documents.map((document) =>
      cited.has(document.document)
        ? { ...toResearchDocument(document), cited: true, snapshot: null }
        : { ...toResearchDocument(document), cited: false },
    ),
    sources: state.sources,
    left_out: state.leftOut,
    statements_thrown_out: state.refused.statements,
    thrown_out_for: state.refused.byReason,
    ...definedFields({ figures_thrown_out: state.refused.figures }),
    charts: chartsOf(state.points, request.texts).map(({ isNoted: _, ...chart }, at) => ({ ...chart, chart: at + 1 })),
    ...recordResults(request, state),
    ...(request.hasModel ? {} : { complete: false as const }),
    notes: notesOf(request, state),
    ...definedFields({ prompt_version: state.promptVersion }),
  };
}

/** Halves the number of findings, rows and paragraphs until the results fit. */
export function shortenedReport(results: ResearchResults): ResearchResults {
  if (isShort(results)) return results;
  for (let limit = 60; limit > 0; limit = Math.floor(limit / 2)) {
    const fewer = withFewer(results, limit);
    if (isShort(fewer)) return fewer;
  }
  return { ...withFewer(results, 1), findings: [], documents: [], deliverables: [] };
}

const recordResults = ({ record: recordRequest }: ResearchRequest, { record }: ReportableState) =>
  recordRequest && record
    ? { output_schema: effectiveSchema(recordRequest.list ?? recordRequest.plan.schema), record }
    : {};

const shownFinding = (
  { score: _, formulas: __, citations, ...finding }: Finding,
  documents: ReportableState['documents'],
): ShownFinding => ({
  ...finding,
  citations: citations.map(({ document, quote, place }) => {
    const { text_by: by, not_opened: reason } = documents.find((source) => source.document === document) ?? {};
    return {
      ...{ document, quote },
      ...definedFields({ page: place?.page, from: place?.from, to: place?.to }),
      ...(place && place.page === undefined && place.label !== 'text' ? { label: place.label } : {}),
      ...(by === 'source' && reason !== undefined ? { text_by: by } : {}),
    };
  }),
});

const toResearchDocument = ({ text: _, figures: __, ...document }: ChosenDocument): ResearchDocument => document;

/** Limits the size of the results in a response, as every poll reads them. */
const MAX_CHARACTERS = 100_000;

const isShort = (results: ResearchResults): boolean => JSON.stringify(results).length <= MAX_CHARACTERS;

const withFewer = (results: ResearchResults, limit: number): ResearchResults => ({
  ...results,
  deliverables: results.deliverables.map((written) => ({
    ...written,
    paragraphs: written.paragraphs.slice(0, limit),
    ...(written.table ? { table: { ...written.table, rows: written.table.rows.slice(0, limit) } } : {}),
  })),
  findings: results.findings.slice(0, limit),
  documents: results.documents.map((document) => ({ ...document, duplicates: document.duplicates.slice(0, 3) })),
  charts: results.charts.slice(0, Math.ceil(limit / 10)),
  ...(results.record ? { record: withFewerFields(results.record, limit) } : {}),
  truncated: true,
});
