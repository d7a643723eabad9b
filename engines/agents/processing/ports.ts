/** What the processing agent needs of the outside, and what its stages share. */
import type { AgentInput } from '../../../shared/agents/agent-input.ts';
import type { Semaphore } from '../../../shared/core/semaphore.ts';
import type { Blobs, Ids, Outbound } from '../../../shared/ports.ts';
import type { Documents } from '../../documents/documents.ts';
import type { ModelOf } from '../../model/models.ts';
import type { ProcessingPlan } from './plan.ts';

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
