/** The background-agent API: people with an access token. Logging in is a face of its own, answered by a function of its own. */
import type { Caller } from '../../shared/accounts/caller.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Secrets } from '../../shared/ports.ts';
import { contractRoutes } from '../contract-routes.ts';
import { healthRoutes } from '../health.ts';
import { bearerIn } from '../http/bearer.ts';
import type { Face } from '../http/face.ts';
import type { Incoming } from '../http/message.ts';
import type { TasksContext } from './context.ts';
import { type LoginContext, loginRoute } from './login.ts';
import { invalid, render } from './problems.ts';
import { unsubscribeRoutes } from './unsubscribe.ts';
import { websocketAuth } from './websocket-auth.ts';
import { workRoutes } from './work-routes.ts';

export type AgentsContext = TasksContext & {
  secrets: Secrets;
  tokenOwner(text: string): Promise<Caller | undefined>;
};

async function identify(incoming: Incoming, { tokenOwner }: Pick<AgentsContext, 'tokenOwner'>): Promise<Caller> {
  const token = bearerIn(incoming);
  const caller = token === undefined ? undefined : await tokenOwner(token);
  if (!caller) throw new Problem('unauthorized', 'Missing or invalid access token; log in again.');
  return caller;
}

const shape = { name: 'agents', render, invalid, takesAnyJson: false };

export const agents: Face<AgentsContext> = {
  ...shape,
  routes: [
    ...healthRoutes<AgentsContext>(),
    ...contractRoutes<AgentsContext>('agents'),
    ...workRoutes,
    websocketAuth,
    ...unsubscribeRoutes,
  ],
  identify,
};

export const login: Face<LoginContext> = {
  ...shape,
  name: 'login',
  routes: [loginRoute],
  identify: async () => {
    throw new Error('Nobody is asked for a credential here.');
  },
};
