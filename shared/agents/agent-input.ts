/** What a background agent is given: what was asked of it, and the model it may use. */
import type * as v from 'valibot';
import { inside } from './field.ts';
import { type NotificationInput, notificationInput } from './notification-input.ts';
import { type ProcessingInput, processingInput } from './processing-input.ts';
import { type ResearchInput, researchInput } from './research-input.ts';
import type { TaskType } from './task-types.ts';

export type AgentRequest = {
  research_agent: ResearchInput;
  processing_agent: ProcessingInput;
  notification_agent: NotificationInput;
};

export type AgentInput<T extends TaskType = TaskType> = {
  model: string;
  asked: AgentRequest[T];
  /** Where we were reached when it was submitted: nothing is fetched from there. */
  ownHosts?: string[];
};

const SCHEMAS: { [T in TaskType]: (sources: readonly string[]) => v.GenericSchema<unknown, AgentRequest[T]> } = {
  research_agent: researchInput,
  processing_agent: processingInput,
  notification_agent: notificationInput,
};

/** Of a type that there is not, only that it is an object can be said. */
export const agentRequestSchema = (
  type: TaskType | undefined,
  sources: readonly string[],
): v.GenericSchema<unknown, AgentRequest[TaskType]> =>
  type === undefined
    ? (inside({}) as unknown as v.GenericSchema<unknown, AgentRequest[TaskType]>)
    : SCHEMAS[type](sources);
