/** The Files & Tasks API: its callers, errors and routes. */

import type { Caller } from '../../shared/accounts/caller.ts';
import { Problem } from '../../shared/core/problem.ts';
import { contractRoutes } from '../contract-routes.ts';
import { type CredentialOwners, identifyByCredential } from '../http/credentials.ts';
import type { Api, HttpRequestMessage, Route } from '../http/route.ts';
import { healthRoutes } from '../shared-routes.ts';
import { textRoute } from './file-text.ts';
import { fileRoutes } from './files.ts';
import { type FilesContext, invalid, render } from './schema.ts';
import { taskRoutes } from './tasks.ts';
import { knowledgeRoutes, modelRoute, usageRoute } from './usage.ts';
import { webhookRoutes } from './webhooks.ts';

/** The routes of the Files & Tasks API. */
export const routes: Route<FilesContext>[] = [
  ...healthRoutes<FilesContext>(),
  ...contractRoutes<FilesContext>('files-and-tasks'),
  ...fileRoutes,
  textRoute,
  ...taskRoutes,
  ...webhookRoutes,
  modelRoute,
  ...knowledgeRoutes,
  usageRoute,
];

async function identify(incoming: HttpRequestMessage, owners: CredentialOwners): Promise<Caller> {
  const caller = await identifyByCredential(incoming, owners);
  if (!caller) throw new Problem('unauthorized', 'Missing or invalid API key');
  return caller;
}

export const filesAndTasks: Api<FilesContext> = {
  name: 'files-and-tasks',
  routes,
  identify,
  render,
  invalid,
  takesAnyJson: true,
};
