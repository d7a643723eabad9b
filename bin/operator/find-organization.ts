/** The organization an operator means: by its id or by its exact name. */

import { listOrganizations, type Organization, organizationById } from '../../shared/accounts/organizations.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Table } from '../../shared/ports.ts';

const MOST_TOLD = 5;

export async function findOrganization(table: Table, text: string): Promise<Organization> {
  const byId = await organizationById(table, text);
  if (byId) return byId;
  const name = text.normalize('NFC').trim();
  const [found, ...others] = (await listOrganizations(table)).filter((organization) => organization.name === name);
  const shown = JSON.stringify(name.slice(0, 100));
  if (!found)
    throw new Problem('notFound', `There is no organization ${shown}: "npm run errand -- org list" shows them.`);
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id);
  const told = [...ids.slice(0, MOST_TOLD), ...(ids.length > MOST_TOLD ? ['...'] : [])].join(', ');
  throw new Problem('invalid', `${ids.length} organizations are called ${shown}: give one of the ids ${told}`);
}
