/** Organizations that attack or are attacked, each with an API key, and a user with a token for each role. */

import type { LocalContext } from '../../../adapters/local/context.ts';
import { knownRates } from '../../../bin/operator/org.ts';
import { passwords } from '../../../engines/passwords/passwords.ts';
import { ACCESS_TOKEN, issueToken } from '../../../shared/accounts/access-tokens.ts';
import { createKey } from '../../../shared/accounts/api-keys.ts';
import { ROLES, type Role } from '../../../shared/accounts/caller.ts';
import { overrideLimit } from '../../../shared/accounts/caps.ts';
import { createOrganization } from '../../../shared/accounts/create-organization.ts';
import type { LimitOverride } from '../../../shared/accounts/organizations.ts';
import { createUser, type PublicUser } from '../../../shared/accounts/users.ts';

const PASSWORD = 'a password of the attacks';
const PLENTY = 1_000_000;
/** A low cost is enough, because each hash stores the cost with which it is checked. */
const QUICK = passwords({ logCost: 10 });

export type Tenant = {
  id: string;
  name: string;
  apiKey: string;
  webhookSecret: string;
  people: Record<Role, PublicUser>;
  tokens: Record<Role, string>;
};
type Wanted = { limits?: Record<string, LimitOverride>; models?: string[] };

export function tenantsOver(local: LocalContext) {
  let made = 0;
  const tokenOf = (person: PublicUser) => issueToken(local, ACCESS_TOKEN, person);

  /** Creates an organization without limits, except for the given ones. */
  async function found({ limits = {}, models = ['offline/extractive'] }: Wanted = {}): Promise<Tenant> {
    const name = `attacked-${++made}`;
    const { organization, webhookSecret } = await createOrganization(local, { name, models });
    const { id } = organization;
    for (const { name: limit, hour } of await knownRates()) {
      const plenty = { minute: PLENTY, ...(hour ? { hour: PLENTY } : {}) };
      await overrideLimit(local.table, id, { limit, ...(limits[limit] ?? plenty) });
    }
    await overrideLimit(local.table, id, { limit: 'unfinished-tasks', most: PLENTY });
    const { apiKey } = await createKey(local, { organization: id, name });
    const people = {} as Tenant['people'];
    const tokens = {} as Tenant['tokens'];
    for (const role of ROLES) {
      const wanted = { organization: id, name: `${role}@${name}`, role, password: PASSWORD };
      people[role] = await createUser({ ...local, passwords: QUICK }, wanted);
      tokens[role] = await tokenOf(people[role]);
    }
    return { id, name, apiKey, webhookSecret, people, tokens };
  }

  return { found, tokenOf, passwords: QUICK };
}
