/** Which agent runs tasks of which type. */
import { TASK_TYPES } from '../../shared/agents/task-types.ts';
import type { Agents } from '../../shared/tasks/agent.ts';
import { type ChatPorts, chatAgent } from './chat/chat-agent.ts';
import { outlineAgent } from './outline/outline-agent.ts';

export const agentsOver = (ports: ChatPorts): Agents => ({
  chat: chatAgent(ports),
  ...Object.fromEntries(TASK_TYPES.map((type) => [type, outlineAgent(type, ports)])),
});
