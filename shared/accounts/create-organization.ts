/** Makes an organization and its webhook secret, which is shown this once. */
import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Table } from '../ports.ts';
import { displayName } from './display-name.ts';
import { checkModels } from './models.ts';
import { type Organization, organizationDraft } from './organization.ts';
import { keepFirstSecret, makeWebhookSecret } from './webhook-secret.ts';

type CreateOrganizationPorts = { table: Table; clock: Clock; ids: Ids; vault: Vault };
/** `id` and `webhookSecret`, when they were drawn before. */
type NewOrganization = { name: string; models: readonly string[]; id?: string; webhookSecret?: string };

export async function createOrganization(
  ports: CreateOrganizationPorts,
  { name, models, id = ports.ids.uuid(), webhookSecret = makeWebhookSecret(ports.ids) }: NewOrganization,
): Promise<{ organization: Organization; webhookSecret: string }> {
  const organization: Organization = {
    id,
    name: displayName(name),
    createdAt: ports.clock.now(),
    models: checkModels(models),
    limits: {},
  };
  // The secret first: an organization that can be found is never without one.
  await keepFirstSecret(ports, id, webhookSecret);
  if (!(await ports.table.insert(organizationDraft(organization)))) throw new Error('An id was made twice.');
  return { organization, webhookSecret };
}
