/** The caps of an organization, and the operator's overrides of its limits. */

import { Problem } from '../core/problem.ts';
import type { Cap, Limit } from '../limits/rate-limit.ts';
import type { Table } from '../ports.ts';
import { changeOrganization, type LimitOverride, type Organization } from './organizations.ts';

export const UNFINISHED_TASKS: Cap = { name: 'unfinished-tasks', most: 1_000 };
/** WebSocket connections open at the same time. */
export const SOCKETS: Cap = { name: 'sockets', most: 5 };
/** For tasks that name no budget. */
export const TASK_TOKENS: Cap = { name: 'task-tokens', most: Number.POSITIVE_INFINITY };
/** Per UTC month. */
export const MONTHLY_TOKENS: Cap = { name: 'monthly-tokens', most: Number.POSITIVE_INFINITY };
export const MONTHLY_USD: Cap = { name: 'monthly-usd', most: Number.POSITIVE_INFINITY };
/** Every cap of an organization. The constants stand alone so that a bundle holds only those it uses. */
export const CAPS: readonly Cap[] = [UNFINISHED_TASKS, SOCKETS, TASK_TOKENS, MONTHLY_TOKENS, MONTHLY_USD];

/** The operator's override of a limit, or the product's default. */
export function limitOf<L extends Limit | Cap>({ limits }: Organization, limit: L): L {
  const override = limits[limit.name];
  return override ? { ...limit, ...override } : limit;
}

/** The largest rate limit. */
const MAX_CALLS = 1_000_000;
/** The largest cap: budgets count the tokens of a month. */
const MAX_MOST = 1_000_000_000_000;

/** Fields that the override omits keep their values. */
export async function overrideLimit(
  table: Table,
  id: string,
  { limit, ...override }: { limit: string } & LimitOverride,
) {
  // 0 is refused because an hour of 0 would read as an hour without limit.
  const { most: cap, ...calls } = override;
  checkLimit(Object.values(calls), MAX_CALLS);
  if (cap !== undefined) checkLimit([cap], MAX_MOST);
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

function checkLimit(values: readonly number[], max: number): void {
  if (values.every((value) => Number.isInteger(value) && value >= 1 && value <= max)) return;
  throw new Problem('invalid', `A limit is a whole number from 1 to ${max}.`);
}
