/**
 * The agent that extracts from documents: fetches and reads each, applies the rules, asks the model, writes the
 * results.
 */

import type { AgentInput } from '../../shared/agents/agent-input.ts';
import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import type { Agent, Stage } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { keepFile } from '../stored-results.ts';
import { askStage } from './ask-stage.ts';
import { writeFile } from './output.ts';
import { checkUsable, readStages } from './read-stage.ts';
import { resultsOf, shortened } from './results.ts';
import { type ProcessingPorts, type ProcessingSetting, reportOf, takeUp } from './stages.ts';
import { type ProcessingPlan, planOf } from './state.ts';

/** Merges the values of all documents and writes them as a file of the requested format. */
const writeStage = ({ ports, plan, input }: ProcessingSetting): Stage => ({
  name: 'writing',
  async run({ address }, carried): Promise<Result> {
    const known = await takeUp(ports, plan, carried);
    checkUsable(known.documents);
    const results = resultsOf(plan, known.documents);
    const shown = shortened(results);
    const format = input.asked.output_format ?? 'json';
    const files = [await keepFile(ports, address, writeFile(results, format))];
    // The response leaves something out, so the complete JSON is stored as a file, too.
    if (shown.truncated && format !== 'json') files.push(await keepFile(ports, address, writeFile(results, 'json')));
    const stages = plan.instructions.length > 0 ? ['reading', 'asking', 'writing'] : ['reading', 'writing'];
    return { report: { ...reportOf({ plan, known, stages }), results: shown, files } };
  },
});

/** The maximum number of documents held in memory at once: per organization in this process, and per task. */
const AT_ONCE = 8;
const AT_ONCE_EACH = 2;

/** Every batch of documents is a checkpoint, so finished work survives if the worker stops. */
export const processingAgent = (ports: ProcessingPorts): Agent => {
  const downloads = semaphore({ name: 'downloads', capacity: capacityFor(AT_ONCE) });
  return {
    stages(given): Stage[] {
      const input = given as AgentInput<'processing_agent'>;
      const plan = planOf(input.asked);
      const batches = (of: (batch: number[], isLast: boolean) => Stage[]): Stage[] =>
        plan.batches.flatMap((batch, at) => of(batch, at === plan.batches.length - 1));
      const ownDownloads = semaphore({ capacity: AT_ONCE_EACH, maxEach: AT_ONCE_EACH });
      const setting: ProcessingSetting = { ports, plan, input, downloads, ownDownloads };
      return [
        ...batches((batch, isLast) => readStages(setting, batch, isLast)),
        ...(asksModel(plan) ? batches((batch, isLast) => [askStage(setting, batch, isLast)]) : []),
        writeStage(setting),
      ];
    },
  };
};

const asksModel = ({ instructions }: ProcessingPlan): boolean => instructions.length > 0;
