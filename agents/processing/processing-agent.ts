/** The agent that extracts from documents: fetches and reads each, applies the rules, asks the model, writes the results. */

import type { Documents } from '../../engines/documents/documents.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import type { AgentInput } from '../../shared/agents/agent-input.ts';
import { capacityFor, type Semaphore, semaphore } from '../../shared/core/semaphore.ts';
import type { Blobs, Ids, Outbound } from '../../shared/ports.ts';
import type { Agent, Stage } from '../../shared/tasks/agent.ts';
import { askStage } from './ask-stage.ts';
import { type ProcessingPlan, planOf } from './plan.ts';
import { readStages } from './read-stage.ts';
import { writeStage } from './write-stage.ts';

/** What the processing agent needs of the outside, and what its stages share. */
export type ProcessingPorts = {
  blobs: Blobs;
  ids: Ids;
  documents: Documents;
  outbound: Outbound;
  modelOf: ModelOf;
};

export type ProcessingSetting = {
  ports: ProcessingPorts;
  plan: ProcessingPlan;
  input: AgentInput<'processing_agent'>;
  /** Of the downloads of this process. A slot is held until its document is read, which bounds the memory they take. */
  downloads: Semaphore;
  /** Of this task, so that one with slow sources does not take all. */
  ownDownloads: Semaphore;
};

// The agent that takes documents apart: fetches and reads each, applies the rules, asks the model, writes the results.

/** Documents held in memory at once: of an organization in this process, and of one of its tasks. */
const AT_ONCE = 8;
const AT_ONCE_EACH = 2;

/** Every batch of documents is a checkpoint, so that what was done survives whatever ends the task. */
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
