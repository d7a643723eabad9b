/** Stores the report as a file of the requested format, with the texts of what it cites. */

import { type RenderedReport, type RenderReport, renderReadable } from '../../engines/reports/report-document.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { fileWriter } from '../file-work.ts';
import { jsonFile, storeResult, type WrittenFile } from '../runtime.ts';
import { type Checked, type Published, reachedOf } from './pipeline-states.ts';
import { rowsOfRecord } from './record-stages.ts';
import { reportRefusals } from './refusals.ts';
import { RESULTS_STEM, reportDocument } from './report.ts';
import { publishedReport } from './report-sections.ts';
import { type ResearchResults, resultsOf, shortened } from './results.ts';
import { keepSnapshots } from './snapshots.ts';
import { type ResearchSetting, reportOf, type StageRun, stageOf, stagesTo } from './stages.ts';

export const writeStage = (setting: ResearchSetting): Stage =>
  stageOf(setting, {
    name: 'writing',
    before: stagesTo('reading'),
    after: stagesTo('writing'),
    next: published,
    store: storedReport,
  });

async function published(checked: Checked, { wish, activity }: StageRun): Promise<Published> {
  const { state, refusals } = publishedReport(wish, reachedOf(checked));
  reportRefusals(activity, refusals);
  return state;
}

async function storedReport(state: Published, run: StageRun): Promise<Result> {
  const { ports, wish, work } = run;
  const whole = reachedOf(state);
  const kept = await keepSnapshots(run, { results: resultsOf(wish, whole), documents: state.documents });
  const { results, snapshots } = kept;
  const { written, warnings } = await writtenFiles(run, results);
  const draft = reportOf(wish, { state: whole, stages: stagesTo('writing') });
  const report = { ...draft, snapshots, warnings: [...(draft.warnings ?? []), ...warnings] };
  return storeResult(ports, work.address, { report, results, shown: shortened(results), written });
}

type Files = { written: WrittenFile[]; warnings: string[] };

async function writtenFiles(
  { ports, wish, work: { address, signal } }: StageRun,
  results: ResearchResults,
): Promise<Files> {
  const request = { organization: address.organization, signal };
  const record = rowsOfRecord(wish, results);
  const ofRecord = record ? await fileWriter(ports.documents, request)('recordFiles', record) : [];
  if (wish.format === 'json') return { written: [jsonFile(results, 'report'), ...ofRecord], warnings: [] };
  const document = reportDocument(wish, results, ports.clock.now());
  const render: RenderReport = (...what) => ports.render(...what, request);
  const { report, page, warnings } = await renderReadable(render, document, wish.format, {
    warning: wish.texts.pdfLacks,
    withPage: true,
  });
  const readable = [report, ...(page ? [page] : [])].map(named);
  return { written: [...readable, ...ofRecord, jsonFile(results, RESULTS_STEM)], warnings };
}

const named = ({ bytes, contentType, extension }: RenderedReport): WrittenFile => ({
  name: `report.${extension}`,
  contentType,
  bytes,
});
