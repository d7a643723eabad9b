/** Stores the report as a file of the requested format, with the texts of what it cites. */

import { type RenderedReport, type RenderReport, renderReadable } from '../../engines/reports/report-document.ts';
import type { ResearchResults } from '../../shared/agents/results/research.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { jsonFile, storeResult, type WrittenFile } from '../checkpoints.ts';
import { fileWriter } from '../write-files.ts';
import { type CheckedState, type PublishedState, toReportable } from './pipeline-states.ts';
import { rowsOfRecord } from './record-stages.ts';
import { reportRefusals } from './refusals.ts';
import { RESULTS_STEM, reportDocument } from './report.ts';
import { publishedReport } from './report-sections.ts';
import { resultsOf, shortenedReport } from './results.ts';
import { storeSnapshots } from './snapshots.ts';
import { type ResearchSetting, reportOf, type StageRun, stageOf, stagesTo } from './stages.ts';

export const writeStage = (setting: ResearchSetting): Stage =>
  stageOf(setting, {
    name: 'writing',
    before: stagesTo('reading'),
    after: stagesTo('writing'),
    next: publish,
    store: storeReport,
  });

async function publish(checked: CheckedState, { request, activity }: StageRun): Promise<PublishedState> {
  const { state, refusals } = publishedReport(request, toReportable(checked));
  reportRefusals(activity, refusals);
  return state;
}

async function storeReport(state: PublishedState, run: StageRun): Promise<Result> {
  const { ports, request, work } = run;
  const whole = toReportable(state);
  const stored = await storeSnapshots(run, { results: resultsOf(request, whole), documents: state.documents });
  const { results, snapshots } = stored;
  const { written, warnings } = await renderFiles(run, results);
  const draft = reportOf(request, { state: whole, stages: stagesTo('writing') });
  const report = { ...draft, snapshots, warnings: [...(draft.warnings ?? []), ...warnings] };
  return storeResult(ports, work.address, { report, results, shortResults: shortenedReport(results), written });
}

type Files = { written: WrittenFile[]; warnings: string[] };

async function renderFiles(
  { ports, request, work: { address, signal } }: StageRun,
  results: ResearchResults,
): Promise<Files> {
  const caller = { organization: address.organization, signal };
  const record = rowsOfRecord(request, results);
  const ofRecord = record ? await fileWriter(ports.documents, caller)('recordFiles', record) : [];
  if (request.format === 'json') return { written: [jsonFile(results, 'report'), ...ofRecord], warnings: [] };
  const document = reportDocument(request, results, ports.clock.now());
  const render: RenderReport = (...document) => ports.render(...document, caller);
  const { report, page, warnings } = await renderReadable(render, document, request.format, {
    warning: request.texts.pdfLacks,
    withPage: true,
  });
  const readable = [report, ...(page ? [page] : [])].map(toWrittenFile);
  return { written: [...readable, ...ofRecord, jsonFile(results, RESULTS_STEM)], warnings };
}

const toWrittenFile = ({ bytes, contentType, extension }: RenderedReport): WrittenFile => ({
  name: `report.${extension}`,
  contentType,
  bytes,
});
