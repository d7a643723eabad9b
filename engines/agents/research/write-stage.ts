/** Writes every deliverable, and the report as a file of the wished format. */
import type { ReportFile } from '../../../shared/agents/agent-task.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import type { Result } from '../../../shared/tasks/results.ts';
import { keepFile } from '../keep.ts';
import { jsonFile, reportOf, takeUp } from './carried.ts';
import { documentOf } from './document-of.ts';
import type { ResearchSetting } from './ports.ts';
import { type ResearchResults, resultsOf, shortened } from './results.ts';
import { writeDeliverables } from './write-deliverables.ts';

const STAGES = ['planning', 'gathering', 'ranking', 'reading', 'writing'];

export const writeStage = (setting: ResearchSetting): Stage => ({
  name: 'writing',
  async run(work, carried): Promise<Result> {
    const { address, signal } = work;
    const { ports, wish, input } = setting;
    const known = await takeUp(setting, carried);
    const model = await ports.modelOf(input.model, work);
    known.written = await writeDeliverables({ wish, known, model, signal });
    const results = resultsOf(wish, known);
    const shown = shortened(results);
    const keep = (file: Parameters<typeof keepFile>[2]): Promise<ReportFile> => keepFile(ports, address, file);
    const files = [await keep(await writtenFile(setting, results))];
    // What the answer leaves out must be somewhere as it would have stood there.
    if (shown.truncated && wish.format !== 'json') files.push(await keep(jsonFile(results, 'results')));
    return { report: { ...reportOf(wish, { known, stages: STAGES }), results: shown, files } };
  },
});

async function writtenFile({ ports, wish }: ResearchSetting, results: ResearchResults) {
  if (wish.format === 'json') return jsonFile(results, 'report');
  const { bytes, contentType, extension } = await ports.render(documentOf(results, ports.clock.now()), wish.format);
  return { name: `report.${extension}`, contentType, bytes };
}
