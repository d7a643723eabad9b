/** Brings the values of all documents together and writes them as a file of the wished format. */
import type { Stage } from '../../../shared/tasks/agent.ts';
import type { Result } from '../../../shared/tasks/results.ts';
import { keepFile } from '../keep.ts';
import { reportOf, takeUp } from './carried.ts';
import { checkUsable } from './check-usable.ts';
import { writeFile } from './output/write-file.ts';
import type { ProcessingSetting } from './ports.ts';
import { resultsOf, shortened } from './results.ts';

export const writeStage = ({ ports, plan, input }: ProcessingSetting): Stage => ({
  name: 'writing',
  async run({ address }, carried): Promise<Result> {
    const known = await takeUp(ports, plan, carried);
    checkUsable(known.documents);
    const results = resultsOf(plan, known.documents);
    const shown = shortened(results);
    const format = input.asked.output_format ?? 'json';
    const files = [await keepFile(ports, address, writeFile(results, format))];
    // What the answer leaves out must be somewhere as it would have stood there.
    if (shown.truncated && format !== 'json') files.push(await keepFile(ports, address, writeFile(results, 'json')));
    const stages = plan.instructions.length > 0 ? ['reading', 'asking', 'writing'] : ['reading', 'writing'];
    return { report: { ...reportOf({ plan, known, stages }), results: shown, files } };
  },
});
