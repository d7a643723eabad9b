/** Makes an organization and its webhook secret, which is shown this once. */
import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Table } from '../ports.ts';
import { displayName } from './display-name.ts';
import { checkModels } from './models.ts';
import { type Organization, organizationDraft } from './organization.ts';
import { rotateWebhookSecret } from './webhook-secret.ts';

type Ports = { table: Table; clock: Clock; ids: Ids; vault: Vault };
type Wanted = { name: string; models: readonly string[] };

export async function createOrganization(
  ports: Ports,
  { name, models }: Wanted,
): Promise<{ organization: Organization; webhookSecret: string }> {
  const organization: Organization = {
    id: ports.ids.uuid(),
    name: displayName(name),
    createdAt: ports.clock.now(),
    models: checkModels(models),
    limits: {},
  };
  // The secret first: an organization that can be found is never without one.
  const { secret } = await rotateWebhookSecret(ports, organization.id);
  if (!(await ports.table.insert(organizationDraft(organization)))) throw new Error('An id was made twice.');
  return { organization, webhookSecret: secret };
}
