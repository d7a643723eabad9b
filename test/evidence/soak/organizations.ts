/** Organizations of a load: each with a key, an admin, known sources, and raised limits. */

import { openLocal } from '../../../adapters/local/context.ts';
import { knownRates } from '../../../bin/operator/org.ts';
import { passwords } from '../../../engines/passwords/passwords.ts';
import { overrideLimit } from '../../../shared/accounts/caps.ts';
import { OFFLINE_MODELS } from '../../../shared/accounts/models.ts';
import {
  type ProvisionedOrganization,
  provisionOrganization,
} from '../../../shared/accounts/provision-organization.ts';
import type { Vault } from '../../../shared/core/vault.ts';
import type { Clock, Ids, Table } from '../../../shared/ports.ts';
import { putKnownSources } from '../../functions/over-http/known-sources.ts';

const WITHOUT_LIMIT = 1_000_000;
/** Checked at the cost that stands beside each hash. */
const LOG_COST = 10;

type Ports = { table: Table; clock: Clock; ids: Ids; vault: Vault };

/** Without `models`, its tasks get passages only. */
export async function foundBusyOrganization(
  ports: Ports,
  name: string,
  models = OFFLINE_MODELS,
): Promise<ProvisionedOrganization> {
  const hashing = passwords({ logCost: LOG_COST });
  const founded = await provisionOrganization({ ...ports, passwords: hashing }, { name, models });
  for (const { name: limit, hour } of await knownRates()) {
    const often = { minute: WITHOUT_LIMIT, ...(hour === undefined ? {} : { hour: WITHOUT_LIMIT }) };
    await overrideLimit(ports.table, founded.id, { limit, ...often });
  }
  await putKnownSources(ports, founded.id, { withDead: false });
  return founded;
}

/** In a state folder without a running product. */
export async function makeOrganizations(
  state: string,
  amount: number,
  models = OFFLINE_MODELS,
): Promise<ProvisionedOrganization[]> {
  const local = openLocal({ ERRAND_STATE: state });
  const made: ProvisionedOrganization[] = [];
  while (made.length < amount) made.push(await foundBusyOrganization(local, `Soak ${made.length}`, models));
  local.close();
  return made;
}
