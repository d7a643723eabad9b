/** Organizations, and what their operator sets for them. */

import { loadingCache } from '../core/cache.ts';
import { isUuid } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import { changeRow, listedRows } from '../core/table-access.ts';
import type { Clock, Draft, Key, Table } from '../ports.ts';
import { checkModels } from './models.ts';
import { connectionNames } from './stored-connections.ts';

/** `minute` and `hour` override a rate limit, `most` a cap. */
export type LimitOverride = { minute?: number; hour?: number; most?: number };

export const MODEL_ROLES = ['strong', 'cheap', 'verify', 'standby'] as const;
type ModelRole = (typeof MODEL_ROLES)[number];

export type Organization = {
  id: string;
  name: string;
  createdAt: number;
  /** The first is the default. */
  models: string[];
  /** The models for demanding work, for short work, for the second look, and the one that answers while another is away for long. */
  roles?: Partial<Record<ModelRole, string>>;
  /** Overrides of the product's limits, by the limit's name. */
  limits: Record<string, LimitOverride>;
  /** The names of the organization's own sources; their settings are in rows of their own. */
  sources?: string[];
  /** `false`: the texts of sources that researches cite are not stored. */
  snapshots?: boolean;
};

const LIST = 'ORGANIZATIONS';
const MAX_ENTRIES = 10_000;

const organizationKey = (id: string): Key => ({ pk: `O#${id}`, sk: 'ORGANIZATION' });

export const organizationDraft = (value: Organization): Draft<Organization> => ({
  ...organizationKey(value.id),
  value,
  listed: { list: LIST, at: value.createdAt, id: value.id, state: 'active', type: 'organization', priority: 0 },
});

export async function organizationById(table: Table, id: string): Promise<Organization | undefined> {
  return isUuid(id) ? (await table.get<Organization>(organizationKey(id)))?.value : undefined;
}

/** Reads organizations for requests through a cache; a result may be as old as its TTL. */
export const organizationReader = ({
  table,
  clock,
  keptMs = 30_000,
}: {
  table: Table;
  clock: Clock;
  keptMs?: number;
}) => loadingCache({ clock, ttlMs: keptMs, max: MAX_ENTRIES, load: (id) => organizationById(table, id) }).get;

export const listOrganizations = (table: Table): Promise<Organization[]> =>
  listedRows(table, LIST, { keyOf: organizationKey });

/** Returns `undefined` if the organization does not exist. */
export const changeOrganization = (table: Table, id: string, change: (organization: Organization) => Organization) =>
  changeRow(table, organizationKey(id), { draft: organizationDraft, change });

export async function setModels(table: Table, id: string, models: readonly string[]) {
  const checked = checkModels(models, await connectionNames(table, id));
  return changeOrganization(table, id, (organization) => ({ ...organization, models: checked }));
}

/** Returns `undefined` if no model is set, or if the organization does not have it any more. */
export function modelInRole({ models, roles = {} }: Organization, role: ModelRole): string | undefined {
  const model = roles[role];
  return model !== undefined && models.includes(model) ? model : undefined;
}

export const setModelRole = (table: Table, id: string, role: ModelRole, model: string) =>
  changeOrganization(table, id, (organization) => {
    if (!organization.models.includes(model)) {
      throw new Problem('invalid', `${model.slice(0, 80)} is not one of its models: set them with "org models" first.`);
    }
    return { ...organization, roles: { ...organization.roles, [role]: model } };
  });

export const setSources = (table: Table, id: string, change: (names: readonly string[]) => string[]) =>
  changeOrganization(table, id, (organization) => ({ ...organization, sources: change(organization.sources ?? []) }));

/** Applies to tasks submitted from now on. */
export const setSnapshots = (table: Table, id: string, snapshots: boolean) =>
  changeOrganization(table, id, (organization) => ({ ...organization, snapshots }));
