/** The two organizations a fresh local product starts with. The clear texts are the caller's to keep. */
import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Passwords, Table } from '../ports.ts';
import { type Founded, foundOrganization } from './found-organization.ts';
import { OFFLINE_MODELS } from './models.ts';

export type DemoOrganization = Founded;

type Ports = { table: Table; clock: Clock; ids: Ids; vault: Vault; passwords: Passwords };

export async function seedDemo(ports: Ports): Promise<DemoOrganization[]> {
  const one = await foundOrganization(ports, { name: 'Demo One', models: OFFLINE_MODELS });
  const two = await foundOrganization(ports, { name: 'Demo Two', models: OFFLINE_MODELS });
  return [one, two];
}
