/**
 * The agent that extracts from documents: fetches and reads each, applies the rules, asks the model, writes the
 * results.
 */

import type { AgentInput } from '../../shared/agents/agent-input.ts';
import { wordIn } from '../../shared/agents/field-schemas.ts';
import { OUTPUT_FORMATS } from '../../shared/agents/processing-input.ts';
import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import type { Agent, Stage } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { storeResult } from '../checkpoints.ts';
import { fileWriter } from '../write-files.ts';
import { askStages } from './ask-stage.ts';
import { checkComplete, checkUsable, readStages } from './read-stage.ts';
import { resultsOf, toShortResults } from './results.ts';
import { type ProcessingPorts, type ProcessingSetting, reportOf, resume } from './stages.ts';
import { asksModel, planOf } from './state.ts';

/** Merges the values of all documents and writes them as a file of the requested format. */
const writeStage = (setting: ProcessingSetting): Stage => ({
  name: 'writing',
  async run({ address, signal }, carried): Promise<Result> {
    const { ports, plan, input } = setting;
    const state = await resume(setting, carried);
    checkUsable(state.documents);
    if (plan.failsOnMissing) checkComplete(state.documents);
    const results = resultsOf(plan, state);
    const format = wordIn(OUTPUT_FORMATS, input.asked.output_format);
    const write = fileWriter(ports.documents, { organization: address.organization, signal });
    const file = await write('writeResults', { results, format });
    const stages = asksModel(plan) ? ['reading', 'asking', 'writing'] : ['reading', 'writing'];
    const report = reportOf({ plan, state, stages });
    return storeResult(ports, address, { report, results, shortResults: toShortResults(results), written: [file] });
  },
});

/** The maximum number of documents held in memory at once: per organization in this process, and per task. */
const AT_ONCE = 8;
const AT_ONCE_EACH = 2;

/** Every batch that was read and every document that was asked about is a checkpoint, which survives if the worker stops. */
export const processingAgent = (ports: ProcessingPorts): Agent => {
  const downloads = semaphore({ name: 'downloads', capacity: capacityFor(AT_ONCE) });
  return {
    checkpointVersion: 2,
    stages(stored): Stage[] {
      const input = stored as AgentInput<'processing_agent'>;
      const plan = planOf(input.asked, input.model);
      const stagesOf = (indexGroups: number[][], toStages: (indexes: number[], isLast: boolean) => Stage[]): Stage[] =>
        indexGroups.flatMap((indexes, at) => toStages(indexes, at === indexGroups.length - 1));
      const ownDownloads = semaphore({ capacity: AT_ONCE_EACH, maxEach: AT_ONCE_EACH });
      const setting: ProcessingSetting = { ports, plan, input, downloads, ownDownloads };
      return [
        ...stagesOf(plan.batches, (batch, isLast) => readStages(setting, batch, isLast)),
        ...(asksModel(plan) ? stagesOf(plan.groups, (group, isLast) => askStages(setting, group, isLast)) : []),
        writeStage(setting),
      ];
    },
  };
};
