/** Maps each task type to the agent that runs it. */

import { pageOpener } from '../engines/sources/open-page.ts';
import { fileGatherer } from '../engines/sources/stored-files.ts';
import type { Agents } from '../shared/tasks/agent.ts';
import { type ChatPorts, chatAgent } from './chat/chat-agent.ts';
import { notificationAgent } from './notification/notification-agent.ts';
import type { NotificationPorts } from './notification/ports.ts';
import { processingAgent } from './processing/processing-agent.ts';
import type { ProcessingPorts } from './processing/stages.ts';
import { earlierResearch } from './research/previous-research.ts';
import { researchAgent } from './research/research-agent.ts';
import type { ResearchPorts } from './research/stages.ts';

type AgentPorts = ChatPorts &
  ProcessingPorts &
  Omit<ResearchPorts, 'openPage' | 'gatherFiles' | 'earlierResearch'> &
  NotificationPorts &
  Parameters<typeof earlierResearch>[0] &
  Pick<Parameters<typeof pageOpener>[0], 'allowedOrigins'>;

export const createAgents = (ports: AgentPorts): Agents => ({
  chat: chatAgent(ports),
  research_agent: researchAgent({
    ...ports,
    openPage: pageOpener(ports),
    gatherFiles: fileGatherer(ports),
    earlierResearch: earlierResearch(ports),
  }),
  processing_agent: processingAgent(ports),
  notification_agent: notificationAgent(ports),
});
