/** Creates organizations that can be used at once, with a key, an admin and a webhook secret. */

import type { Vault } from '../core/crypto.ts';
import { secretText } from '../core/ids.ts';
import type { Clock, Ids, Passwords, Table } from '../ports.ts';
import { apiKeyById, createKey, keyIdIn, makeKeyText } from './api-keys.ts';
import { checkModels } from './models.ts';
import {
  displayName,
  listOrganizations,
  type Organization,
  organizationById,
  organizationDraft,
} from './organizations.ts';
import { createUser, userByName } from './users.ts';
import { keepFirstSecret, makeWebhookSecret } from './webhook-secrets.ts';

/** Makes an organization and its webhook secret, which is shown this once. */
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
  if (!(await ports.table.insert(organizationDraft(organization)))) throw new Error('An id was generated twice.');
  return { organization, webhookSecret };
}

// Creates an organization with an API key, an admin and a webhook secret, each shown once.

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

const MAX_SLUG = 40;

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
async function planOrganization(
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
async function provisionPlanned(ports: ProvisionPorts, planned: ProvisionedOrganization): Promise<void> {
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
  const slug = Array.from(words.join('-')).slice(0, MAX_SLUG).join('').replace(/-$/, '');
  const name = `admin@${slug}`;
  return (await userByName(table, name)) ? `${name}-${secretText(ids, 4).toLowerCase()}` : name;
}

/** The two organizations a fresh local product starts with. The clear texts are the caller's to keep. */
type SeedPorts = { table: Table; clock: Clock; ids: Ids; vault: Vault; passwords: Passwords };

/** What they will be, to be kept before they are founded: a seeding that is cut off goes on with it. */
export async function planDemo(ports: SeedPorts, models: readonly string[]): Promise<ProvisionedOrganization[]> {
  const taken = new Set((await listOrganizations(ports.table)).map(({ name }) => name));
  // Without its file the demo is planned again, beside the organizations of the first one.
  const names = ['Demo One', 'Demo Two'].map((name) => unusedName(name, taken));
  return Promise.all(names.map((name) => planOrganization(ports, { name, models })));
}

function unusedName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name} ${number}`)) return `${name} ${number}`;
}

export async function seedDemo(ports: SeedPorts, planned: ProvisionedOrganization[]): Promise<void> {
  for (const organization of planned) await provisionPlanned(ports, organization);
}
