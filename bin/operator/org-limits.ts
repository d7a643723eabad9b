/** `errand org limits`: how many calls an organization may make, and where that differs from the product's own limits. */
import { audited } from '../../shared/accounts/audit.ts';
import { clearLimit, overrideLimit } from '../../shared/accounts/change-organization.ts';
import { limitOf, type Organization } from '../../shared/accounts/organization.ts';
import type { Limit } from '../../shared/limits/limit.ts';
import { findOrganization } from './find-organization.ts';
import { knownLimit, knownLimits } from './known-limits.ts';
import type { Report, Shown } from './show.ts';
import { type Line, type Operator, UsageFault } from './verb.ts';
import { wholeNumber } from './whole-number.ts';

export async function limits(operator: Operator, { args: [org = '', name], options }: Line): Promise<Shown> {
  const { minute, hour, clear } = options;
  const changes = clear || minute !== undefined || hour !== undefined;
  if (changes && name === undefined) throw new UsageFault('org limits needs the name of the LIMIT to change.');
  if (clear && (minute !== undefined || hour !== undefined))
    throw new UsageFault('org limits clears or sets, not both.');
  const known = await knownLimits();
  const limit = name === undefined ? undefined : knownLimit(known, name);
  const found = await findOrganization(operator.table, org);
  const organization = (limit && changes && (await change(operator, found, { limit, minute, hour }))) || found;
  return { report: (limit ? [limit] : [...known.values()]).map((each) => reportOf(organization, each)) };
}

type Change = { limit: Limit; minute: string | undefined; hour: string | undefined };

function change(operator: Operator, { id, name }: Organization, { limit, minute, hour }: Change) {
  const override = {
    ...(minute === undefined ? {} : { minute: wholeNumber('minute', minute) }),
    ...(hour === undefined ? {} : { hour: wholeNumber('hour', hour) }),
  };
  const set = Object.entries(override).map(([window, calls]) => `${calls} a ${window}`);
  return audited(
    operator,
    {
      by: operator.by,
      act: 'org limits',
      organization: id,
      subject: name,
      detail: `${limit.name}: ${set.join(', ') || 'cleared'}`,
    },
    () =>
      set.length === 0
        ? clearLimit(operator.table, id, limit.name)
        : overrideLimit(operator.table, id, { limit: limit.name, ...override }),
  );
}

function reportOf(organization: Organization, limit: Limit): Report {
  const { name, minute, hour } = limitOf(organization, limit);
  return { limit: name, minute, hour: hour ?? null, overridden: Object.hasOwn(organization.limits, name) };
}
