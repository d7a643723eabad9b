/** Organizations of a load: each with a key, an admin, known sources, and limits that do not stand in its way. */
import { knownRates } from '../../bin/operator/known-limits.ts';
import { passwords } from '../../engines/passwords/passwords.ts';
import { openLocal } from '../../local/context.ts';
import { overrideLimit } from '../../shared/accounts/change-organization.ts';
import { type Founded, foundOrganization } from '../../shared/accounts/found-organization.ts';
import { OFFLINE_MODELS } from '../../shared/accounts/models.ts';
import { putKnownSources } from '../api/known-sources.ts';

const WITHOUT_LIMIT = 1_000_000;
/** Checked at the cost that stands beside each hash. */
const LOG_COST = 10;

/** In a state that no product is running on. */
export async function makeOrganizations(state: string, amount: number): Promise<Founded[]> {
  const local = openLocal({ ERRAND_STATE: state });
  const ports = { ...local, passwords: passwords({ logCost: LOG_COST }) };
  const made: Founded[] = [];
  while (made.length < amount) {
    const founded = await foundOrganization(ports, { name: `Soak ${made.length}`, models: OFFLINE_MODELS });
    for (const { name: limit, hour } of await knownRates()) {
      const often = { minute: WITHOUT_LIMIT, ...(hour === undefined ? {} : { hour: WITHOUT_LIMIT }) };
      await overrideLimit(local.table, founded.id, { limit, ...often });
    }
    await putKnownSources(local, founded.id, { withDead: false });
    made.push(founded);
  }
  local.close();
  return made;
}
