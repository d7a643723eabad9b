/** Both APIs, as their documents are made of them. */

import { agents } from '../../functions/agents/api.ts';
import * as agentsContract from '../../functions/agents/contract.ts';
import { login } from '../../functions/agents/login.ts';
import { KINDS } from '../../functions/agents/problems.ts';
import { filesAndTasks } from '../../functions/files-and-tasks/api.ts';
import * as filesContract from '../../functions/files-and-tasks/contract.ts';
import { STATUS } from '../../functions/files-and-tasks/schema.ts';
import type { Route } from '../../functions/http/route.ts';
import { bodiesOf, submissions } from './bodies.ts';
import { examplesIn } from './examples.ts';
import type { FaceDocument } from './face-document.ts';

const COMMON =
  'Every answer has an `x-request-id`. Unknown paths are answered with 404, wrong methods with 405. ' +
  'The fields that an answer has may grow in number; none goes or changes.';

const UUID = { type: 'string', format: 'uuid' };
const EXAMPLE_ID = '01a1fc1f-dc5b-7062-a1d5-0ff65b8f6e23';
const EVENT = { description: 'The `webhook-id` of the event.', schema: { type: 'string' } };

const filesRoutes = filesAndTasks.routes as readonly Route<never>[];

export const filesDocument: FaceDocument = {
  title: 'Errand: files and tasks',
  description: `Files come in, tasks work on them, results are polled for and sent to a webhook. ${COMMON}`,
  server: 'http://127.0.0.1:4000',
  routes: filesRoutes,
  operations: filesContract.operations,
  answers: filesContract.schemas,
  bodies: bodiesOf(filesRoutes, filesContract.operations),
  statusOf: (code) => ({ status: STATUS[code] }),
  security: {
    schemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key, or an access token of a member or an admin.',
      },
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'x-api-key',
        description: 'An API key. A Bearer value wins over it.',
      },
    },
    required: [{ bearer: [] }, { apiKey: [] }],
  },
  parameterName: (name) => name,
  parameters: {
    fileId: { description: 'Which file.', schema: UUID },
    taskId: { description: 'Which task.', schema: UUID },
    deliveryId: EVENT,
  },
  webhook: {
    name: 'taskEnded',
    summary: 'A task has ended: the object of `GET /tasks/:taskId` in its final state.',
    body: 'EndedTask',
    example: {
      taskId: EXAMPLE_ID,
      namespace: 'property',
      status: 'failure',
      createdAt: '2026-11-20T14:02:00.100Z',
      completedAt: '2026-11-20T14:02:00.140Z',
      error: { message: 'The task was cancelled.', code: 'TASK_CANCELLED' },
    },
  },
  tags: {
    Files: 'Bringing files in, by their address or by a signed upload.',
    Tasks: 'A prompt with files, worked on behind the answer.',
    Webhooks: 'What was sent when tasks ended.',
    Models: 'What works on tasks.',
    Service: 'Whether it answers, and by which contract.',
    Usage: 'Tasks and tokens by day, and what is stored.',
  },
  examples: examplesIn(filesRoutes, '$BASE'),
};

const agentRoutes = [...login.routes, ...agents.routes] as readonly Route<never>[];

export const agentsDocument: FaceDocument = {
  title: 'Errand: background agents',
  description: `Research, processing and notification agents: submit, watch, cancel, read the results. ${COMMON}`,
  server: 'http://127.0.0.1:4001',
  routes: agentRoutes,
  operations: agentsContract.operations,
  answers: agentsContract.schemas,
  bodies: { ...bodiesOf(agentRoutes, agentsContract.operations), ...submissions() },
  statusOf: (code) => ({ status: KINDS[code][0], code: KINDS[code][1] }),
  security: {
    schemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The access token of a login, or an API key, which has the role member.',
      },
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'x-api-key',
        description: 'An API key. A Bearer value wins over it.',
      },
    },
    required: [{ bearer: [] }, { apiKey: [] }],
  },
  parameterName: (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  parameters: {
    task_id: { description: 'Which task.', schema: { type: 'string', examples: [`task_${EXAMPLE_ID}`] } },
    delivery_id: EVENT,
    token: { description: 'Of the link in a mail.', schema: { type: 'string' } },
  },
  webhook: {
    name: 'taskEvent',
    summary: 'A task has ended.',
    body: 'TaskEvent',
    example: {
      event_type: 'task_completed',
      task_id: `task_${EXAMPLE_ID}`,
      timestamp: '2026-11-20T14:02:00.240Z',
      data: {
        status: 'completed',
        duration_minutes: 0,
        results_available: true,
        results_url: `/api/v1/tasks/task_${EXAMPLE_ID}/results`,
      },
      metadata: { order: '2041' },
    },
  },
  tags: {
    Login: 'An access token for an hour.',
    Tasks: 'Submitting, watching, cancelling, results.',
    Webhooks: 'What was sent when tasks ended.',
    Usage: 'Limits, and what is left of them.',
    WebSocket: 'What becomes of tasks, while it happens: see the AsyncAPI document.',
    Mails: 'The link by which a reader ends mails.',
    Service: 'Whether it answers, and by which contract.',
  },
  examples: examplesIn(agentRoutes, '$ROOT'),
};
