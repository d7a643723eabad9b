/** What the operator may change of an organization: its models, its sources, and where its limits differ. Undefined = no such one. */
import { Problem } from '../core/problem.ts';
import type { Table } from '../ports.ts';
import { changeRow } from './change-row.ts';
import { checkModels } from './models.ts';
import { type LimitOverride, type Organization, organizationDraft, organizationKey } from './organization.ts';

const MOST_CALLS = 1_000_000;

const changeOrganization = (table: Table, id: string, change: (organization: Organization) => Organization) =>
  changeRow(table, organizationKey(id), { draft: organizationDraft, change });

export async function setModels(table: Table, id: string, models: readonly string[]) {
  const checked = checkModels(models);
  return changeOrganization(table, id, (organization) => ({ ...organization, models: checked }));
}

export const setSources = (table: Table, id: string, change: (names: readonly string[]) => string[]) =>
  changeOrganization(table, id, (organization) => ({ ...organization, sources: change(organization.sources ?? []) }));

/** What the override does not name stays as it was. */
export async function overrideLimit(
  table: Table,
  id: string,
  { limit, ...override }: { limit: string } & LimitOverride,
) {
  // 0 is refused because an hour of 0 would read as an hour without limit.
  if (!Object.values(override).every((calls) => Number.isInteger(calls) && calls >= 1 && calls <= MOST_CALLS)) {
    throw new Problem('invalid', `A limit is a whole number from 1 to ${MOST_CALLS}.`);
  }
  return changeOrganization(table, id, (organization) => ({
    ...organization,
    limits: { ...organization.limits, [limit]: { ...organization.limits[limit], ...override } },
  }));
}

export const clearLimit = (table: Table, id: string, limit: string) =>
  changeOrganization(table, id, (organization) => {
    const { [limit]: _cleared, ...limits } = organization.limits;
    return { ...organization, limits };
  });
