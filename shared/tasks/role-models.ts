/** Which of an organization's models a task may call besides its own. */

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
    const roleModel = organization && modelInRole(organization, role);
    if (!organization || roleModel === undefined || roleModel === model) return undefined;
    const fault =
      faultOfDollars(maxUsd, [roleModel], hasPrice) ?? faultOfMonthlyDollars(organization, [roleModel], hasPrice);
    return fault === undefined ? roleModel : undefined;
  };
  return definedFields({ standbyModel: inRole('standby'), verifyModel: inRole('verify') });
}
