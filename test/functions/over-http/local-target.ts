/** Starts the local product, as a person would, for the API suites. */
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openLocal } from '../../../adapters/local/context.ts';
import { startWorkloadModel } from '../../engines/models/workload-model.ts';
import { listen } from '../../evidence/rehearsal/listen.ts';
import { receiver } from '../../shared/webhooks/receiver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { freePort } from './free-port.ts';
import { startLocalProduct } from './local-product.ts';
import { makeOrganizations } from './target.ts';

export async function setup(project: TestProject) {
  const folder = temporaryFolder();
  const model = await startWorkloadModel();
  const { environment: env } = model;
  const product = await startLocalProduct(join(folder.path, 'state'), await freePort(), [], { env });
  const local = openLocal(product.env);
  const organizations = await makeOrganizations(local);
  local.close();
  const webhookReceiver = await receiver();
  const looking = await listen(createServer((_, response) => response.end(JSON.stringify(webhookReceiver.arrived))));
  project.provide('target', {
    filesAndTasks: product.local.filesAndTasks.baseUrl,
    agents: product.local.agents.rootUrl,
    agentsSocket: product.local.agents.wsUrl,
    origin: 'http://localhost:5173',
    mails: { folder: product.local.mail },
    receiver: { origin: webhookReceiver.origin, arrivedUrl: looking.url },
    organizations,
  });
  return async () => {
    await product.stop();
    model.stop();
    await webhookReceiver.close();
    looking.stop();
    folder.remove();
  };
}
