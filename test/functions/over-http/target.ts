/** The product under test of the API suites: its URL and some organizations. */
import { passwords } from '../../../engines/passwords/passwords.ts';
import { createKey } from '../../../shared/accounts/api-keys.ts';
import { ROLES, type Role } from '../../../shared/accounts/caller.ts';
import { overrideLimit } from '../../../shared/accounts/caps.ts';
import { createOrganization } from '../../../shared/accounts/create-organization.ts';
import { OFFLINE_MODELS } from '../../../shared/accounts/models.ts';
import type { LimitOverride } from '../../../shared/accounts/organizations.ts';
import { createUser } from '../../../shared/accounts/users.ts';
import type { Vault } from '../../../shared/core/vault.ts';
import type { Clock, Ids, Table } from '../../../shared/ports.ts';
import { WORKLOAD_MODELS } from '../../engines/models/workload-model.ts';
import { putKnownSources } from './known-sources.ts';

/** One organization for each suite that would disturb others, with its special settings. */
const ORGANIZATIONS = [
  'files',
  'texts',
  'stranger',
  'idempotency',
  'limited',
  'shell',
  'guide',
  'tasks',
  'busy',
  'engine',
  'webhooks',
  'login',
  'agents',
  'agent-limits',
  'agent-full',
  'sockets',
  'contracts',
  'client',
  'research',
] as const;
export type OrganizationName = (typeof ORGANIZATIONS)[number];
/** The documents show a new product, which has no language model. */
const WITHOUT_MODEL: ReadonlySet<OrganizationName> = new Set(['guide', 'client']);
/** One user for each role, all of them with this password. */
export const PASSWORD = 'a password of the suites';
export const userNameOf = (name: OrganizationName, role: Role): string => `${role}@${name}`;

const often = (limit: string) => ({ limit, minute: 10_000, hour: 10_000 });
const OFTEN = ['agent-submits', 'agent-status', 'agent-lists', 'agent-results', 'agent-cancels', 'text'].map(often);
/** Raises limits that the suite does not test. */
const OVERRIDES: Partial<Record<OrganizationName, ({ limit: string } & LimitOverride)[]>> = {
  texts: [often('text')],
  guide: OFTEN,
  agents: OFTEN,
  contracts: OFTEN,
  client: OFTEN,
  research: OFTEN,
  'agent-full': [...OFTEN, { limit: 'unfinished-tasks', most: 1 }],
};

type TestOrganization = { id: string; apiKey: string };

export type Target = {
  filesAndTasks: string;
  agents: string;
  /** `{agent_ws_url}` */
  agentsSocket: string;
  /** A page of this origin may call. */
  origin: string;
  /** Where sent mails are: a folder, or the URL of the server that stands in for the mail service. */
  mails: { folder: string } | { server: string };
  /** A receiver of webhooks, which lists as JSON what arrived. */
  receiver: { origin: string; arrivedUrl: string };
  organizations: Record<OrganizationName, TestOrganization>;
};

declare module 'vitest' {
  export interface ProvidedContext {
    target: Target;
  }
}

/** Each hash stores its cost parameters. */
const QUICK = passwords({ logCost: 10 });

type Ports = { table: Table; clock: Clock; ids: Ids; vault: Vault };

export async function makeOrganizations(ports: Ports): Promise<Target['organizations']> {
  const organizations = new Map<string, TestOrganization>();
  for (const name of ORGANIZATIONS) {
    const models = WITHOUT_MODEL.has(name) ? OFFLINE_MODELS : WORKLOAD_MODELS;
    const { organization } = await createOrganization(ports, { name, models });
    const { apiKey } = await createKey(ports, { organization: organization.id, name });
    if (name === 'limited') await overrideLimit(ports.table, organization.id, { limit: 'files', minute: 3 });
    if (name === 'tasks') await overrideLimit(ports.table, organization.id, { limit: 'tasks', minute: 10_000 });
    await putKnownSources(ports, organization.id, { withDead: name === 'research' });
    for (const override of OVERRIDES[name] ?? []) await overrideLimit(ports.table, organization.id, override);
    for (const role of ROLES) {
      const user = { organization: organization.id, name: userNameOf(name, role), role, password: PASSWORD };
      await createUser({ ...ports, passwords: QUICK }, user);
    }
    organizations.set(name, { id: organization.id, apiKey });
  }
  return Object.fromEntries(organizations) as Target['organizations'];
}
