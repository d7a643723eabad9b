/** The two organizations a fresh local product starts with. The clear texts are the caller's to keep. */
import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Passwords, Table } from '../ports.ts';
import { type ProvisionedOrganization, planOrganization, provisionPlanned } from './found-organization.ts';

type SeedPorts = { table: Table; clock: Clock; ids: Ids; vault: Vault; passwords: Passwords };

/** What they will be, to be kept before they are founded: a seeding that is cut off goes on with it. */
export const planDemo = (ports: SeedPorts, models: readonly string[]): Promise<ProvisionedOrganization[]> =>
  Promise.all(['Demo One', 'Demo Two'].map((name) => planOrganization(ports, { name, models })));

export async function seedDemo(ports: SeedPorts, planned: ProvisionedOrganization[]): Promise<void> {
  for (const organization of planned) await provisionPlanned(ports, organization);
}
