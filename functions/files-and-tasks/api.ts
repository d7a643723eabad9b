/** The Files & Tasks API: its callers, errors and routes. */

import type { Caller } from '../../shared/accounts/caller.ts';
import type { Vault } from '../../shared/core/crypto.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { StageLimited } from '../../shared/core/stage.ts';
import type { Blobs, Outbound, Post } from '../../shared/ports.ts';
import type { Admit } from '../../shared/tasks/admission.ts';
import type { Hints } from '../../shared/tasks/hints.ts';
import type { FreshTasks } from '../../shared/tasks/submit.ts';
import { type CredentialOwners, identifyByCredential } from '../http/credentials.ts';
import type { Api, ShellContext } from '../http/dispatch.ts';
import type { HttpRequestMessage } from '../http/request.ts';
import type { Route } from '../http/route.ts';
import { contractRoutes, healthRoutes } from '../shared-routes.ts';
import { fileRoutes } from './files.ts';
import { invalid, render } from './schema.ts';
import { taskRoutes } from './tasks.ts';
import { modelRoute, usageRoute } from './usage.ts';
import { webhookRoutes } from './webhooks.ts';

/** The routes of the Files & Tasks API. */
export const routes: Route<FilesContext>[] = [
  ...healthRoutes<FilesContext>(),
  ...contractRoutes<FilesContext>('files-and-tasks'),
  ...fileRoutes,
  ...taskRoutes,
  ...webhookRoutes,
  modelRoute,
  usageRoute,
];

/** The Files & Tasks API: callers with an API key, in either of two headers. */
export type FilesContext = ShellContext &
  StageLimited &
  CredentialOwners & {
    blobs: Blobs;
    outbound: Outbound;
    hints: Hints;
    fresh?: Pick<FreshTasks, 'keep'>;
    /** Throws when the organization, or the lane, has more work than it may. */
    admit: Admit;
    /** Why results cannot be sent to this address; undefined = they may. */
    faultOfEndpoint: (address: string, ownHosts: string[]) => string | undefined;
    /** For the test of a webhook: what it is signed with, and the way to the receiver. */
    vault: Vault;
    post: Post;
  };

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
