/** The webhook body of each API. */
import type { Bodies } from '../shared/webhooks/send.ts';
import { webhookBody } from './agents/task-view.ts';
import { taskView } from './files-and-tasks/task-view.ts';

export const WEBHOOK_BODIES: Bodies = { 'files-and-tasks': taskView, agents: webhookBody };
