/** `errand audit`: who did what, the newest first. */
import { listAudit } from '../../shared/accounts/audit.ts';
import { Problem } from '../../shared/core/problem.ts';
import { findOrganization } from './find-organization.ts';
import { type ShownValue, timeOf } from './show.ts';
import type { CommandLine, Noun, Operator } from './verb.ts';
import { wholeNumber } from './whole-number.ts';

const MOST = 1_000;

async function run({ table }: Operator, { args: [org], options: { limit = '20' } }: CommandLine): Promise<ShownValue> {
  const most = wholeNumber('limit', limit);
  if (most < 1 || most > MOST) throw new Problem('invalid', `--limit is from 1 to ${MOST}.`);
  const only = org === undefined ? {} : { organization: (await findOrganization(table, org)).id };
  const entries = await listAudit(table, { ...only, most });
  return {
    report: entries.map(({ at, by, act, subject, detail, organization, outcome }) => ({
      at: timeOf(at),
      by,
      act,
      subject,
      detail: detail ?? null,
      outcome,
      organization: organization ?? null,
    })),
  };
}

export const audit: Noun = {
  '': {
    usage: '[ORG] [--limit N]',
    about: 'shows what operators did, to one organization or to all, the newest first',
    args: [0, 1],
    options: ['limit'],
    run,
  },
};
