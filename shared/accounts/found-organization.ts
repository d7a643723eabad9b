/** An organization that can be used at once: with a key, an admin and a webhook secret, each shown this once. */
import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Passwords, Table } from '../ports.ts';
import { secretText } from './base62.ts';
import { createKey } from './create-key.ts';
import { createOrganization } from './create-organization.ts';
import { createUser } from './create-user.ts';
import { userByName } from './user.ts';

/** The fields, and no others, of an organization in `local.json`. */
export type Founded = {
  id: string;
  name: string;
  apiKey: string;
  username: string;
  password: string;
  webhookSecret: string;
  models: string[];
};

type Ports = { table: Table; clock: Clock; ids: Ids; vault: Vault; passwords: Passwords };

const MOST_SLUG = 40;

export async function foundOrganization(ports: Ports, wanted: { name: string; models: readonly string[] }) {
  const { organization, webhookSecret } = await createOrganization(ports, wanted);
  const { id, name, models } = organization;
  const { apiKey } = await createKey(ports, { organization: id, name: 'first key' });
  const password = makePassword(ports.ids);
  const admin = await createUser(ports, {
    organization: id,
    name: await freeName(ports, name),
    role: 'admin',
    password,
  });
  return { id, name, apiKey, username: admin.name, password, webhookSecret, models } satisfies Founded;
}

/** 128 random bits: nothing to guess, and nothing that has to be quoted. */
export const makePassword = (ids: Ids): string => secretText(ids, 16);

async function freeName({ table, ids }: Ports, organization: string): Promise<string> {
  const words = organization
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? ['organization'];
  const slug = Array.from(words.join('-')).slice(0, MOST_SLUG).join('').replace(/-$/, '');
  const name = `admin@${slug}`;
  return (await userByName(table, name)) ? `${name}-${secretText(ids, 4).toLowerCase()}` : name;
}
