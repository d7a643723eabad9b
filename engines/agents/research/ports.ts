/** What the research agent needs of the outside, and what its stages share. */
import type { AgentInput } from '../../../shared/agents/agent-input.ts';
import type { Semaphore } from '../../../shared/core/semaphore.ts';
import type { Blobs, Clock, Ids } from '../../../shared/ports.ts';
import type { Gather } from '../../../shared/sources/gathered.ts';
import type { ModelOf } from '../../model/models.ts';
import type { RenderReport } from '../../reports/report-document.ts';
import type { ResearchRequest } from './wish.ts';

export type ResearchPorts = {
  blobs: Blobs;
  clock: Clock;
  ids: Ids;
  gather: Gather;
  render: RenderReport;
  modelOf: ModelOf;
};

export type ResearchSetting = {
  ports: ResearchPorts;
  wish: ResearchRequest;
  input: AgentInput<'research_agent'>;
  /** Sources that are gathered from: by all tasks of this process, and by this one. */
  gatherings: Semaphore;
  ownGatherings: Semaphore;
};
