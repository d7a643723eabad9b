/** The background-agent API: its callers and all its routes. */

import type { Caller } from '../../shared/accounts/caller.ts';
import { issueWebsocketToken } from '../../shared/accounts/websocket-tokens.ts';
import { contractRoutes } from '../contract-routes.ts';
import { type CredentialOwners, identifyByCredential } from '../http/credentials.ts';
import { type Api, type HttpRequestMessage, type Route, route } from '../http/route.ts';
import { healthRoutes } from '../shared-routes.ts';
import { addTask } from './add-task.ts';
import { AGENT_LIMITS, type AgentsContext, type TasksContext } from './context.ts';
import { previewNotification } from './preview-notification.ts';
import { badCredential, invalid, render } from './problems.ts';
import { listTasks, taskRoutes } from './tasks.ts';
import { unsubscribeRoutes } from './unsubscribe.ts';
import { sources, usage } from './usage.ts';
import { webhookRoutes } from './webhooks.ts';

/** `POST /websocket-auth`: a one-time token that opens a WebSocket. */
const websocketAuth: Route<AgentsContext> = route<AgentsContext, 'viewer'>({
  method: 'POST',
  path: '/api/v1/websocket-auth',
  about: 'Issues a token that opens one WebSocket connection.',
  caller: 'viewer',
  limit: AGENT_LIMITS.socketTokens,
  replies: { 200: 'The token, and the seconds until it expires.' },
  idempotent: false,
  async run({ caller }, context) {
    const { token, seconds } = await issueWebsocketToken(context, caller);
    return { status: 200, body: { websocket_token: token, expires_in: seconds } };
  },
});

/** The routes of tasks, webhooks, usage and the unsubscribe page. */
const workRoutes: Route<TasksContext>[] = [
  addTask,
  previewNotification,
  listTasks,
  ...taskRoutes,
  ...webhookRoutes,
  sources,
  usage,
];

async function identify(incoming: HttpRequestMessage, owners: CredentialOwners): Promise<Caller> {
  const caller = await identifyByCredential(incoming, owners);
  if (!caller) throw badCredential();
  return caller;
}

export const agents: Api<AgentsContext> = {
  name: 'agents',
  routes: [
    ...healthRoutes<AgentsContext>(),
    ...contractRoutes<AgentsContext>('agents'),
    ...workRoutes,
    websocketAuth,
    ...unsubscribeRoutes,
  ],
  identify,
  render,
  invalid,
  takesAnyJson: false,
};
