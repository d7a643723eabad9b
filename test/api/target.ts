/** The product the API suites talk to: an address and some organizations, whatever runs behind it. */
import { overrideLimit } from '../../shared/accounts/change-organization.ts';
import { createKey } from '../../shared/accounts/create-key.ts';
import { createOrganization } from '../../shared/accounts/create-organization.ts';
import type { Vault } from '../../shared/core/vault.ts';
import type { Clock, Ids, Table } from '../../shared/ports.ts';

/** One for each suite that would disturb another, and what is special about it. */
const ORGANIZATIONS = [
  'files',
  'stranger',
  'idempotency',
  'limited',
  'shell',
  'guide',
  'tasks',
  'busy',
  'engine',
  'webhooks',
] as const;
export type OrganizationName = (typeof ORGANIZATIONS)[number];
export type TestOrganization = { id: string; apiKey: string };

export type Target = {
  filesAndTasks: string;
  agents: string;
  /** A page of this origin may call. */
  origin: string;
  organizations: Record<OrganizationName, TestOrganization>;
};

declare module 'vitest' {
  export interface ProvidedContext {
    target: Target;
  }
}

type Ports = { table: Table; clock: Clock; ids: Ids; vault: Vault };

export async function makeOrganizations(ports: Ports): Promise<Target['organizations']> {
  const made = new Map<string, TestOrganization>();
  for (const name of ORGANIZATIONS) {
    const { organization } = await createOrganization(ports, { name, models: ['offline/extractive'] });
    const { apiKey } = await createKey(ports, { organization: organization.id, name });
    if (name === 'limited') await overrideLimit(ports.table, organization.id, { limit: 'files', minute: 3 });
    if (name === 'tasks') await overrideLimit(ports.table, organization.id, { limit: 'tasks', minute: 10_000 });
    made.set(name, { id: organization.id, apiKey });
  }
  return Object.fromEntries(made) as Target['organizations'];
}
