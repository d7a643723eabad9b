/** The models of an organization that stand in for another one, or look a second time. */

import { modelInRole, type Organization } from '../accounts/organizations.ts';
import { definedFields } from '../core/optional-fields.ts';
import { faultOfDollars, faultOfMonthlyDollars, type HasPrice } from './budget-fields.ts';

type RoleLimits = { model: string; maxUsd: number | null | undefined; hasPrice: HasPrice };

/**
 * The models of an organization that stand in for another one, or look a second time, unless a budget in dollars could not be
 * enforced with them.
 */
export function roleModelsFor(organization: Organization | undefined, { model, maxUsd, hasPrice }: RoleLimits) {
  const inRole = (role: 'standby' | 'verify'): string | undefined => {
    const own = organization && modelInRole(organization, role);
    if (!organization || own === undefined || own === model) return undefined;
    const fault = faultOfDollars(maxUsd, [own], hasPrice) ?? faultOfMonthlyDollars(organization, [own], hasPrice);
    return fault === undefined ? own : undefined;
  };
  return definedFields({ standbyModel: inRole('standby'), verifyModel: inRole('verify') });
}
