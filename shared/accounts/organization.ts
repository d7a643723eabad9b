/** An organization: the one tenant of both APIs. */

import { loadingCache } from '../core/cache.ts';
import { isUuid } from '../core/uuid.ts';
import type { Cap, Limit } from '../limits/limit.ts';
import type { Clock, Draft, Key, Table } from '../ports.ts';
import { listedRows } from './listed-rows.ts';

/** Of a rate its windows, of a cap the most. */
export type LimitOverride = { minute?: number; hour?: number; most?: number };

export type Organization = {
  id: string;
  name: string;
  createdAt: number;
  /** The first is the default. */
  models: string[];
  /** By the limit's name: what differs from the product's own limits. */
  limits: Record<string, LimitOverride>;
  /** The names of the sources it has of its own; how they are read is in their rows. */
  sources?: string[];
};

const LIST = 'ORGANIZATIONS';
const MOST_KEPT = 10_000;

export const organizationKey = (id: string): Key => ({ pk: `O#${id}`, sk: 'ORGANIZATION' });

export const organizationDraft = (value: Organization): Draft<Organization> => ({
  ...organizationKey(value.id),
  value,
  listed: { list: LIST, at: value.createdAt, id: value.id, state: 'active', type: 'organization', priority: 0 },
});

export async function organizationById(table: Table, id: string): Promise<Organization | undefined> {
  return isUuid(id) ? (await table.get<Organization>(organizationKey(id)))?.value : undefined;
}

/** For the way of a request: what it answers is at most that old. */
export const organizationReader = ({
  table,
  clock,
  keptMs = 30_000,
}: {
  table: Table;
  clock: Clock;
  keptMs?: number;
}) => loadingCache({ clock, ttlMs: keptMs, max: MOST_KEPT, load: (id) => organizationById(table, id) }).get;

export const listOrganizations = (table: Table): Promise<Organization[]> =>
  listedRows(table, LIST, { keyOf: organizationKey });

export function limitOf<L extends Limit | Cap>({ limits }: Organization, limit: L): L {
  const own = limits[limit.name];
  return own ? { ...limit, ...own } : limit;
}
