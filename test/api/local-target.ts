/** Starts the local product, as a person would, for the API suites. */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openLocal } from '../../local/context.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { freePort } from './free-port.ts';
import { startLocalProduct } from './local-product.ts';
import { makeOrganizations } from './target.ts';

export async function setup(project: TestProject) {
  const folder = temporaryFolder();
  const product = await startLocalProduct(join(folder.path, 'state'), await freePort());
  const local = openLocal(product.env);
  const organizations = await makeOrganizations(local);
  local.close();
  project.provide('target', {
    filesAndTasks: product.local.filesAndTasks.baseUrl,
    agents: product.local.agents.rootUrl,
    agentsSocket: product.local.agents.wsUrl,
    origin: 'http://localhost:5173',
    mails: { folder: product.local.mail },
    organizations,
  });
  return async () => {
    await product.stop();
    folder.remove();
  };
}
