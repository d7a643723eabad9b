/** Creates an organization with an API key, an admin and a webhook secret, each shown once. */

import { secretText } from '../core/ids.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Passwords, Table } from '../ports.ts';
import { keyIdIn, makeKeyText } from './api-key-text.ts';
import { apiKeyById, createKey } from './api-keys.ts';
import { createOrganization } from './create-organization.ts';
import { displayName } from './display-name.ts';
import { checkModels } from './models.ts';
import { organizationById } from './organizations.ts';
import { connectionNames } from './stored-connections.ts';
import { createUser, userByName } from './users.ts';
import { makeWebhookSecret } from './webhook-secrets.ts';

/** Exactly the fields of an organization in `local.json`. */
export type ProvisionedOrganization = {
  id: string;
  name: string;
  apiKey: string;
  username: string;
  password: string;
  webhookSecret: string;
  models: string[];
};

type ProvisionPorts = { table: Table; clock: Clock; ids: Ids; vault: Vault; passwords: Passwords };

const MAX_SLUG = 40;

type OrganizationPlan = { name: string; models: readonly string[] };

export async function provisionOrganization(
  ports: ProvisionPorts,
  plan: OrganizationPlan,
): Promise<ProvisionedOrganization> {
  const planned = await planOrganization(ports, plan);
  await provisionPlanned(ports, planned);
  return planned;
}

/** Generates all values of an organization without writing any. */
export async function planOrganization(
  { table, ids }: ProvisionPorts,
  { name: typed, models }: OrganizationPlan,
): Promise<ProvisionedOrganization> {
  const name = displayName(typed);
  return {
    id: ids.uuid(),
    name,
    apiKey: makeKeyText(ids).text,
    username: await freeName({ table, ids }, name),
    password: makePassword(ids),
    webhookSecret: makeWebhookSecret(ids),
    models: checkModels(models, await connectionNames(table, undefined)),
  };
}

/** Idempotent: after an interruption it can run again, and existing rows stay unchanged. */
export async function provisionPlanned(ports: ProvisionPorts, planned: ProvisionedOrganization): Promise<void> {
  const { table } = ports;
  const { id: organization, apiKey: text, username, password } = planned;
  const keyId = keyIdIn(text) ?? '';
  if (!(await organizationById(table, organization))) await createOrganization(ports, planned);
  if (!(await apiKeyById(table, keyId))) {
    await createKey(ports, { organization, name: 'first key', generated: { id: keyId, text } });
  }
  if ((await userByName(table, username))?.organization !== organization) {
    await createUser(ports, { organization, name: username, role: 'admin', password });
  }
}

/** 128 random bits as text that needs no quoting. */
export const makePassword = (ids: Ids): string => secretText(ids, 16);

async function freeName({ table, ids }: Pick<ProvisionPorts, 'table' | 'ids'>, organization: string): Promise<string> {
  const words = organization
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? ['organization'];
  const slug = Array.from(words.join('-')).slice(0, MAX_SLUG).join('').replace(/-$/, '');
  const name = `admin@${slug}`;
  return (await userByName(table, name)) ? `${name}-${secretText(ids, 4).toLowerCase()}` : name;
}
