/** The two organizations of a fresh local installation. The caller stores the clear texts. */

import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Passwords, Table } from '../ports.ts';
import { listOrganizations } from './organizations.ts';
import { type ProvisionedOrganization, planOrganization, provisionPlanned } from './provision-organization.ts';

type SeedPorts = { table: Table; clock: Clock; ids: Ids; vault: Vault; passwords: Passwords };

/** Generates their values, to be stored before they are created, so that an interrupted seeding can be resumed. */
export async function planDemo(ports: SeedPorts, models: readonly string[]): Promise<ProvisionedOrganization[]> {
  const takenNames = new Set((await listOrganizations(ports.table)).map(({ name }) => name));
  // If the file is missing, a second demo is planned beside the organizations of the first.
  const names = ['Demo One', 'Demo Two'].map((name) => unusedName(name, takenNames));
  return Promise.all(names.map((name) => planOrganization(ports, { name, models })));
}

export async function seedDemo(ports: SeedPorts, planned: ProvisionedOrganization[]): Promise<void> {
  for (const organization of planned) await provisionPlanned(ports, organization);
}

function unusedName(name: string, takenNames: ReadonlySet<string>): string {
  if (!takenNames.has(name)) return name;
  for (let number = 2; ; number++) if (!takenNames.has(`${name} ${number}`)) return `${name} ${number}`;
}
