/** The agent that researches a question: plans, gathers from sources, ranks, reads, and writes with citations. */

import type { AgentInput } from '../../shared/agents/agent-input.ts';
import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import type { Agent, Stage } from '../../shared/tasks/agent.ts';
import { checkStages } from './check-stages.ts';
import { draftStages } from './draft-stage.ts';
import { gatherStage } from './gather-stage.ts';
import { planStage, searchStage } from './plan-stage.ts';
import { rankStage } from './rank-stage.ts';
import { readStage } from './read-stage.ts';
import { completeStage, researchRecordStages } from './record-stages.ts';
import { requestOf } from './research-request.ts';
import type { ResearchPorts, ResearchSetting } from './stages.ts';
import { writeStage } from './write-stage.ts';

/** The maximum number of sources queried at once: per organization in this process, and per task. */
const SOURCES_PER_ORGANIZATION = 16;
const SOURCES_PER_TASK = 4;
const MAX_BATCHES = 10;
/** A stage reads so many documents, in calls side by side. */
const DOCUMENTS_PER_STAGE = 15;
/** The maximum number of tasks per organization in this process that hold everything their sources gave. */
const TASKS_IN_MEMORY = 25;

/** Every batch of sources and of documents, and every step of a round, is a checkpoint, so finished work survives if the worker stops. */
export const researchAgent = (ports: ResearchPorts): Agent => {
  const gatherings = semaphore({ name: 'gatherings', capacity: capacityFor(SOURCES_PER_ORGANIZATION) });
  const memory = semaphore({ name: 'researchMemory', capacity: capacityFor(TASKS_IN_MEMORY) });
  const withinMemory = (stage: Stage): Stage => ({
    ...stage,
    run: (work, carried) => {
      const { signal, address } = work;
      return memory.run({ organization: address.organization, signal }, () => stage.run(work, carried));
    },
  });
  return {
    checkpointVersion: 2,
    stages(stored): Stage[] {
      const input = stored as AgentInput<'research_agent'>;
      const request = requestOf(input.asked, input.model);
      const ownGatherings = semaphore({ capacity: SOURCES_PER_TASK, maxEach: SOURCES_PER_TASK });
      const setting: ResearchSetting = {
        ports,
        request,
        input,
        gatherSlots: gatherings,
        taskGatherSlots: ownGatherings,
      };
      const sourceBatches = inBatches(
        Math.max(1, request.sources.length),
        Math.ceil(request.sources.length / MAX_BATCHES) || 1,
      );
      // What the sources of the request leave unread is chosen by a model.
      const rounds = request.hasModel || !input.asked.sources?.length ? request.depth.rounds : 1;
      const documentBatches = inBatches(request.depth.documents, DOCUMENTS_PER_STAGE);
      return [
        withinMemory(planStage(setting)),
        ...sourceBatches.map(({ from, to, isLast }) =>
          withinMemory(gatherStage(setting, request.sources.slice(from, to), isLast)),
        ),
        withinMemory(rankStage(setting)),
        ...documentBatches.map((batch) => readStage(setting, batch)),
        ...Array.from({ length: rounds - 1 }, () =>
          [withinMemory(searchStage(setting)), readStage(setting)].map(unlessOver),
        ).flat(),
        ...researchRecordStages(setting),
        ...draftStages(setting),
        ...checkStages(setting),
        writeStage(setting),
        ...(request.record?.failsOnMissing ? [completeStage()] : []),
      ];
    },
  };
};

const inBatches = (count: number, size: number): { from: number; to: number; isLast: boolean }[] =>
  Array.from({ length: Math.ceil(count / size) }, (_, at) => ({
    from: at * size,
    to: Math.min(count, (at + 1) * size),
    isLast: (at + 1) * size >= count,
  }));

/** Once the rounds are over, the stages of those that are left hand on what they are given. */
const unlessOver = (stage: Stage): Stage => ({
  ...stage,
  run: async (work, carried) => ((carried as { roundsOver?: boolean }).roundsOver ? carried : stage.run(work, carried)),
});
