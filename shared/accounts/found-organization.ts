/** An organization that can be used at once: with a key, an admin and a webhook secret, each shown this once. */
import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Passwords, Table } from '../ports.ts';
import { apiKeyById } from './api-key.ts';
import { secretText } from './base62.ts';
import { createKey } from './create-key.ts';
import { createOrganization } from './create-organization.ts';
import { createUser } from './create-user.ts';
import { displayName } from './display-name.ts';
import { keyIdIn, makeKeyText } from './key-text.ts';
import { checkModels } from './models.ts';
import { organizationById } from './organization.ts';
import { userByName } from './user.ts';
import { makeWebhookSecret } from './webhook-secret.ts';

/** The fields, and no others, of an organization in `local.json`. */
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

const MOST_SLUG = 40;

type OrganizationPlan = { name: string; models: readonly string[] };

export async function provisionOrganization(
  ports: ProvisionPorts,
  wanted: OrganizationPlan,
): Promise<ProvisionedOrganization> {
  const planned = await planOrganization(ports, wanted);
  await provisionPlanned(ports, planned);
  return planned;
}

/** Draws all that an organization will be; nothing is written yet. */
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
    models: checkModels(models),
  };
}

/** May be done again after it was cut off: what is there already stays. */
export async function provisionPlanned(ports: ProvisionPorts, planned: ProvisionedOrganization): Promise<void> {
  const { table } = ports;
  const { id: organization, apiKey: text, username, password } = planned;
  const keyId = keyIdIn(text) ?? '';
  if (!(await organizationById(table, organization))) await createOrganization(ports, planned);
  if (!(await apiKeyById(table, keyId))) {
    await createKey(ports, { organization, name: 'first key', made: { id: keyId, text } });
  }
  if ((await userByName(table, username))?.organization !== organization) {
    await createUser(ports, { organization, name: username, role: 'admin', password });
  }
}

/** 128 random bits: nothing to guess, and nothing that has to be quoted. */
export const makePassword = (ids: Ids): string => secretText(ids, 16);

async function freeName({ table, ids }: Pick<ProvisionPorts, 'table' | 'ids'>, organization: string): Promise<string> {
  const words = organization
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? ['organization'];
  const slug = Array.from(words.join('-')).slice(0, MOST_SLUG).join('').replace(/-$/, '');
  const name = `admin@${slug}`;
  return (await userByName(table, name)) ? `${name}-${secretText(ids, 4).toLowerCase()}` : name;
}
