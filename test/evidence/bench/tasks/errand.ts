/** Starts the product as `npm start` does, with organizations whose rate limits are high enough for a load. */

import { openLocal } from '../../../../adapters/local/context.ts';
import { knownRates } from '../../../../bin/operator/org.ts';
import { createKey } from '../../../../shared/accounts/api-keys.ts';
import { overrideLimit } from '../../../../shared/accounts/caps.ts';
import { createOrganization } from '../../../../shared/accounts/create-organization.ts';
import { OFFLINE_MODELS } from '../../../../shared/accounts/models.ts';
import { rotateWebhookSecret } from '../../../../shared/accounts/webhook-secrets.ts';
import { freePort } from '../../../functions/over-http/free-port.ts';
import { startLocalProduct } from '../../../functions/over-http/local-product.ts';
import { WITHOUT_LIMIT } from '../servers.ts';
import type { Side } from './side.ts';

/** One API key of each organization, and the signing secret of its webhooks. */
type Made = Pick<Side, 'keys' | 'secrets'>;

/** Needs the state of a stopped product. */
export async function makeOrganizations(state: string, amount: number): Promise<Made> {
  const local = openLocal({ ERRAND_STATE: state });
  const limits = await knownRates();
  const made: Made = { keys: [], secrets: [] };
  const { keys, secrets } = made;
  while (keys.length < amount) {
    const name = `bench ${keys.length}`;
    const { organization } = await createOrganization(local, { name, models: OFFLINE_MODELS });
    for (const { name: limit, hour } of limits) {
      const override = { minute: WITHOUT_LIMIT, ...(hour === undefined ? {} : { hour: WITHOUT_LIMIT }) };
      await overrideLimit(local.table, organization.id, { limit, ...override });
    }
    keys.push((await createKey(local, { organization: organization.id, name })).apiKey);
    secrets.push((await rotateWebhookSecret(local, organization.id)).secret);
  }
  local.close();
  return made;
}

export async function startErrand(state: string, made: Made, endpoint: string): Promise<Side> {
  const { local, process, stop } = await startLocalProduct(state, await freePort());
  const { port, pathname } = new URL(local.filesAndTasks.baseUrl);
  return { port: Number(port), prefix: pathname, ...made, endpoint, processes: [process.pid ?? 0], stop };
}
