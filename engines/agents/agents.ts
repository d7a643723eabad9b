/** Which agent runs tasks of which type. */
import { TASK_TYPES } from '../../shared/agents/task-types.ts';
import type { Gather } from '../../shared/sources/gathered.ts';
import type { Agents } from '../../shared/tasks/agent.ts';
import { type ChatPorts, chatAgent } from './chat/chat-agent.ts';
import { outlineAgent } from './outline/outline-agent.ts';
import type { ProcessingPorts } from './processing/ports.ts';
import { processingAgent } from './processing/processing-agent.ts';

export const agentsOver = (ports: ChatPorts & ProcessingPorts & { gather: Gather }): Agents => ({
  chat: chatAgent(ports),
  ...Object.fromEntries(TASK_TYPES.map((type) => [type, outlineAgent(type, ports)])),
  processing_agent: processingAgent(ports),
});
