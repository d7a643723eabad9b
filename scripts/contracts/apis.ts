/** The two APIs that contracts are written for. */

import { agents } from '../../functions/agents/api.ts';
import * as agentsContract from '../../functions/agents/contract.ts';
import { login } from '../../functions/agents/login.ts';
import { KINDS } from '../../functions/agents/problems.ts';
import { filesAndTasks } from '../../functions/files-and-tasks/api.ts';
import * as filesContract from '../../functions/files-and-tasks/contract.ts';
import { STATUS } from '../../functions/files-and-tasks/schema.ts';
import type { Route } from '../../functions/http/route.ts';
import type { ApiDocument } from './api-document.ts';
import { bodiesOf, submissions } from './bodies.ts';
import { examplesIn } from './examples.ts';

const COMMON =
  'Every answer has an `x-request-id`. Unknown paths return 404, wrong methods 405. ' +
  'Answers may gain fields; none is removed or changes its meaning.';

const UUID = { type: 'string', format: 'uuid' };
const EXAMPLE_ID = '01a1fc1f-dc5b-7062-a1d5-0ff65b8f6e23';
const EVENT = {
  description: 'The id of the event, which the receiver got as `webhook-id`.',
  schema: { type: 'string' },
};

const securityBy = (bearer: string): ApiDocument['security'] => ({
  schemes: {
    bearer: { type: 'http', scheme: 'bearer', description: bearer },
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
      description: 'An API key. A Bearer value wins over it.',
    },
  },
  required: [{ bearer: [] }, { apiKey: [] }],
});

const filesRoutes = filesAndTasks.routes as readonly Route<never>[];

export const filesDocument: ApiDocument = {
  title: 'Errand: files and tasks',
  description: `Store files, run chat tasks on them, poll for the results or receive them by webhook. ${COMMON}`,
  server: 'http://127.0.0.1:4000',
  routes: filesRoutes,
  operations: filesContract.operations,
  answers: filesContract.schemas,
  bodies: bodiesOf(filesRoutes, filesContract.operations),
  bodyTexts: filesContract.bodyTexts,
  statusOf: (code) => ({ status: STATUS[code] }),
  security: securityBy('An API key, or an access token of a member or an admin.'),
  parameterName: (name) => name,
  parameters: {
    fileId: { description: 'The id that `POST /files` returned.', schema: UUID },
    taskId: { description: 'The id that `POST /tasks` returned.', schema: UUID },
    deliveryId: EVENT,
  },
  webhook: {
    name: 'taskEnded',
    summary: 'A task has finished: the object of `GET /tasks/:taskId` in its final state.',
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
    Files: 'Store files by URL or by signed upload, list and delete them.',
    Tasks: 'Submit prompts with files, and read their results.',
    Webhooks: 'Webhook deliveries: list, repeat, test.',
    Models: 'The models that tasks may name.',
    Service: 'Health check and contract.',
    Usage: 'Tasks and tokens by day, and storage.',
  },
  examples: examplesIn(filesRoutes, '$BASE'),
};

const agentRoutes = [...login.routes, ...agents.routes] as readonly Route<never>[];

export const agentsDocument: ApiDocument = {
  title: 'Errand: background agents',
  description: `Submit tasks to research, processing and notification agents, watch and cancel them, read their results. ${COMMON}`,
  server: 'http://127.0.0.1:4001',
  routes: agentRoutes,
  operations: agentsContract.operations,
  answers: agentsContract.schemas,
  bodies: { ...bodiesOf(agentRoutes, agentsContract.operations), ...submissions() },
  bodyTexts: agentsContract.bodyTexts,
  statusOf: (code) => ({ status: KINDS[code][0], code: KINDS[code][1] }),
  security: securityBy('The access token of a login, or an API key, which has the role member.'),
  parameterName: (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  parameters: {
    task_id: {
      description: 'The id that the submit returned: `task_` and a UUID.',
      schema: { type: 'string', examples: [`task_${EXAMPLE_ID}`] },
    },
    delivery_id: EVENT,
    source: {
      description: 'The number of a document that the results cite: its `document`.',
      schema: { type: 'integer', minimum: 1, examples: [1] },
    },
    token: { description: 'The signed token of the unsubscribe link in an e-mail.', schema: { type: 'string' } },
  },
  webhook: {
    name: 'taskEvent',
    summary: 'A task, or a run of a recurring task, has ended.',
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
    Login: 'Get an access token, valid for an hour.',
    Tasks: 'Submit tasks, watch and cancel them, read their results.',
    Webhooks: 'Webhook deliveries: list, repeat, test.',
    Usage: 'Rate limits and what is left of them, tasks and tokens by day.',
    WebSocket: 'Live updates of tasks: see the AsyncAPI document.',
    Mails: 'The unsubscribe link of e-mails.',
    Service: 'Health check and contract.',
  },
  examples: examplesIn(agentRoutes, '$ROOT'),
};
