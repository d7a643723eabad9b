/** Creates an organization and its webhook secret, which is shown only once. */

import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Table } from '../ports.ts';
import { displayName } from './display-name.ts';
import { checkModels } from './models.ts';
import { type Organization, organizationDraft } from './organizations.ts';
import { connectionNames } from './stored-connections.ts';
import { makeWebhookSecret, storeFirstSecret } from './webhook-secrets.ts';

type CreateOrganizationPorts = { table: Table; clock: Clock; ids: Ids; vault: Vault };
/** `id` and `webhookSecret`: values that were generated before. */
type NewOrganization = { name: string; models: readonly string[]; id?: string; webhookSecret?: string };

export async function createOrganization(
  ports: CreateOrganizationPorts,
  { name, models, id = ports.ids.uuid(), webhookSecret = makeWebhookSecret(ports.ids) }: NewOrganization,
): Promise<{ organization: Organization; webhookSecret: string }> {
  const organization: Organization = {
    id,
    name: displayName(name),
    createdAt: ports.clock.now(),
    models: checkModels(models, await connectionNames(ports.table, id)),
    limits: {},
  };
  // The secret is written first, so that an organization that can be found always has one.
  await storeFirstSecret(ports, id, webhookSecret);
  if (!(await ports.table.insert(organizationDraft(organization)))) throw new Error('An id was generated twice.');
  return { organization, webhookSecret };
}
