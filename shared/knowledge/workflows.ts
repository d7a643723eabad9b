/** A workflow: named instructions in sequence, each of which receives the result of the previous one. */

import type { Clock, Ids, Table } from '../ports.ts';
import { invalid, type KnowledgeEntry, putKnowledge } from './knowledge.ts';

export type WorkflowStep = { name: string; instruction: string };
export type Workflow = KnowledgeEntry & { steps: WorkflowStep[] };

const MAX_STEPS = 20;
const MAX_STEP_NAME = 100;
const MAX_INSTRUCTION = 4_000;

type WorkflowPorts = { table: Table; clock: Clock; ids: Ids };

export function putWorkflow(
  ports: WorkflowPorts,
  organization: string,
  { name, steps }: { name: string; steps: WorkflowStep[] },
): Promise<Workflow> {
  checkSteps(steps);
  return putKnowledge<Workflow>(ports, { kind: 'workflow', organization, name, fields: { steps } });
}

function checkSteps(steps: WorkflowStep[]): void {
  if (steps.length === 0 || steps.length > MAX_STEPS) throw invalid(`A workflow has 1 to ${MAX_STEPS} steps.`);
  for (const { name, instruction } of steps) {
    if (name === '' || name.length > MAX_STEP_NAME)
      throw invalid(`The name of a step has 1 to ${MAX_STEP_NAME} characters.`);
    if (instruction === '' || instruction.length > MAX_INSTRUCTION)
      throw invalid(`The instruction of ${JSON.stringify(name)} must have 1 to ${MAX_INSTRUCTION} characters.`);
  }
}
