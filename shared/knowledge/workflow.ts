/** A workflow: named instructions in an order, each of which is given what the one before brought. */
import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Table } from '../ports.ts';
import { type KnowledgeEntry, putKnowledge } from './knowledge.ts';

export type WorkflowStep = { name: string; instruction: string };
export type Workflow = KnowledgeEntry & { steps: WorkflowStep[] };

const MOST_STEPS = 20;
const MOST_STEP_NAME = 100;
const MOST_INSTRUCTION = 4_000;

type WorkflowPorts = { table: Table; clock: Clock; ids: Ids };

export function putWorkflow(
  ports: WorkflowPorts,
  organization: string,
  { name, steps }: { name: string; steps: WorkflowStep[] },
): Promise<Workflow> {
  checkSteps(steps);
  return putKnowledge<Workflow>(ports, { kind: 'workflow', organization, name, rest: { steps } });
}

function checkSteps(steps: WorkflowStep[]): void {
  if (steps.length === 0 || steps.length > MOST_STEPS) throw invalid(`A workflow has 1 to ${MOST_STEPS} steps.`);
  for (const { name, instruction } of steps) {
    if (name === '' || name.length > MOST_STEP_NAME)
      throw invalid(`The name of a step has 1 to ${MOST_STEP_NAME} characters.`);
    if (instruction === '' || instruction.length > MOST_INSTRUCTION)
      throw invalid(`The instruction of ${JSON.stringify(name)} must have 1 to ${MOST_INSTRUCTION} characters.`);
  }
}

const invalid = (message: string) => new Problem('invalid', message);
