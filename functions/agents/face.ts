/**
 * The background-agent API: callers with an access token or an API key. Logging in is a face of its own, answered by a
 * function of its own.
 */
import type { Caller } from '../../shared/accounts/caller.ts';
import type { Secrets } from '../../shared/ports.ts';
import { contractRoutes } from '../contract-routes.ts';
import { healthRoutes } from '../health.ts';
import type { Face } from '../http/face.ts';
import { type CredentialOwners, callerIn } from '../http/identify.ts';
import type { Incoming } from '../http/message.ts';
import type { TasksContext } from './context.ts';
import { type LoginContext, loginRoute } from './login.ts';
import { badCredential, invalid, render } from './problems.ts';
import { unsubscribeRoutes } from './unsubscribe.ts';
import { websocketAuth } from './websocket-auth.ts';
import { workRoutes } from './work-routes.ts';

export type AgentsContext = TasksContext & CredentialOwners & { secrets: Secrets };

async function identify(incoming: Incoming, owners: CredentialOwners): Promise<Caller> {
  const caller = await callerIn(incoming, owners);
  if (!caller) throw badCredential();
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
