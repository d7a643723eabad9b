/** Which agent runs tasks of which type. */
import type { Agents } from '../../shared/tasks/agent.ts';
import { type ChatPorts, chatAgent } from './chat/chat-agent.ts';
import { outlineAgent } from './outline/outline-agent.ts';
import type { ProcessingPorts } from './processing/ports.ts';
import { processingAgent } from './processing/processing-agent.ts';
import type { ResearchPorts } from './research/ports.ts';
import { researchAgent } from './research/research-agent.ts';

export const agentsOver = (ports: ChatPorts & ProcessingPorts & ResearchPorts): Agents => ({
  chat: chatAgent(ports),
  research_agent: researchAgent(ports),
  processing_agent: processingAgent(ports),
  notification_agent: outlineAgent('notification_agent', ports),
});
