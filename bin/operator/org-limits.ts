/** `errand org limits`: what an organization may do, and where that differs from the product's own limits. */
import { withAudit } from '../../shared/accounts/audit.ts';
import {
  clearLimit,
  type LimitOverride,
  limitOf,
  type Organization,
  overrideLimit,
} from '../../shared/accounts/organizations.ts';
import type { Cap, Limit } from '../../shared/limits/rate-limit.ts';
import { findOrganization } from './find-organization.ts';
import { isCap, knownLimit, knownLimits } from './known-limits.ts';
import type { CommandOutput, ShownValue } from './show.ts';
import { type CommandLine, type Operator, type Options, UsageFault } from './verb.ts';
import { wholeNumber } from './whole-number.ts';

const WINDOWS = ['minute', 'hour', 'most'] as const;

export async function limits(
  operator: Operator,
  { args: [org = '', name], options }: CommandLine,
): Promise<ShownValue> {
  const { clear } = options;
  const set = WINDOWS.filter((window) => options[window] !== undefined);
  const changes = clear || set.length > 0;
  if (changes && name === undefined) throw new UsageFault('org limits needs the name of the LIMIT to change.');
  if (clear && set.length > 0) throw new UsageFault('org limits clears or sets, not both.');
  const known = await knownLimits();
  const limit = name === undefined ? undefined : knownLimit(known, name);
  if (limit) checkFit(limit, set);
  const found = await findOrganization(operator.table, org);
  const override = overrideIn(options);
  const organization = (limit && changes && (await change(operator, found, { limit, override }))) || found;
  return { report: (limit ? [limit] : [...known.values()]).map((each) => limitsReport(organization, each)) };
}

/** A rate has windows, a cap has not. */
function checkFit(limit: Limit | Cap, set: readonly string[]): void {
  if (set.some((window) => isCap(limit) !== (window === 'most'))) {
    throw new UsageFault(`org limits sets ${limit.name} by ${isCap(limit) ? '--most' : '--minute and --hour'}.`);
  }
}

const overrideIn = (options: Options): LimitOverride =>
  Object.fromEntries(
    WINDOWS.flatMap((window) => {
      const text = options[window];
      return text === undefined ? [] : [[window, wholeNumber(window, text)]];
    }),
  );

type Change = { limit: Limit | Cap; override: LimitOverride };

function change(operator: Operator, { id, name }: Organization, { limit, override }: Change) {
  const set = Object.entries(override).map(([window, calls]) =>
    window === 'most' ? `at most ${calls}` : `${calls} a ${window}`,
  );
  return withAudit(
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

function limitsReport(organization: Organization, limit: Limit | Cap): CommandOutput {
  const { minute, hour, most }: LimitOverride = limitOf(organization, limit);
  const overridden = Object.hasOwn(organization.limits, limit.name);
  return { limit: limit.name, minute: minute ?? null, hour: hour ?? null, most: most ?? null, overridden };
}
