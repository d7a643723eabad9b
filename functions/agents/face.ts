/**
 * The background-agent API: callers with an access token or an API key. Logging in is a face of its own, answered by a
 * function of its own.
 */
import type { Caller } from '../../shared/accounts/caller.ts';
import type { Secrets } from '../../shared/ports.ts';
import { contractRoutes } from '../contract-routes.ts';
import { healthRoutes } from '../health.ts';
import type { Api } from '../http/face.ts';
import { type CredentialOwners, identifyByCredential } from '../http/identify.ts';
import type { HttpRequestMessage } from '../http/message.ts';
import type { TasksContext } from './context.ts';
import { type LoginContext, loginRoute } from './login.ts';
import { badCredential, invalid, render } from './problems.ts';
import { unsubscribeRoutes } from './unsubscribe.ts';
import { websocketAuth } from './websocket-auth.ts';
import { workRoutes } from './work-routes.ts';

export type AgentsContext = TasksContext & CredentialOwners & { secrets: Secrets };

async function identify(incoming: HttpRequestMessage, owners: CredentialOwners): Promise<Caller> {
  const caller = await identifyByCredential(incoming, owners);
  if (!caller) throw badCredential();
  return caller;
}

const shape = { name: 'agents', render, invalid, takesAnyJson: false };

export const agents: Api<AgentsContext> = {
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

export const login: Api<LoginContext> = {
  ...shape,
  name: 'login',
  routes: [loginRoute],
  identify: async () => {
    throw new Error('Nobody is asked for a credential here.');
  },
};
