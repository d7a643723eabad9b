/** Maps each task type to the agent that runs it. */

import { figureFromTables } from '../engines/models/offline.ts';
import { pageOpener } from '../engines/sources/open-page.ts';
import { fileGatherer, fileQuerier } from '../engines/sources/stored-files.ts';
import type { Agents } from '../shared/tasks/agent.ts';
import { type ChatPorts, chatAgent } from './chat/chat-agent.ts';
import { notificationAgent } from './notification/notification-agent.ts';
import type { NotificationPorts } from './notification/state.ts';
import { processingAgent } from './processing/processing-agent.ts';
import type { ProcessingPorts } from './processing/stages.ts';
import { researchAgent } from './research/research-agent.ts';
import { earlierResearch } from './research/snapshots.ts';
import type { ResearchPorts } from './research/stages.ts';

type AgentPorts = ChatPorts &
  ProcessingPorts &
  Omit<ResearchPorts, 'openPage' | 'gatherFiles' | 'earlierResearch' | 'computeFigure'> &
  NotificationPorts &
  Parameters<typeof earlierResearch>[0];

/** Answers a question for a figure of stored tables by the statements that the offline model has in a chat. */
export const figureComputer = (ports: Parameters<typeof fileQuerier>[0]): ResearchPorts['computeFigure'] => {
  const query = fileQuerier(ports);
  return ({ request, passages, ...files }) =>
    figureFromTables({ request, passages, find: undefined }, (sql) => query({ ...files, sql }));
};

export const agentsOver = (ports: AgentPorts): Agents => ({
  chat: chatAgent(ports),
  research_agent: researchAgent({
    ...ports,
    openPage: pageOpener(ports),
    gatherFiles: fileGatherer(ports),
    earlierResearch: earlierResearch(ports),
    computeFigure: figureComputer(ports),
  }),
  processing_agent: processingAgent(ports),
  notification_agent: notificationAgent(ports),
});
