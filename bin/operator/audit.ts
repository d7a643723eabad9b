/** `errand audit`: who did what, newest first. */

import { userInfo } from 'node:os';
import { listAudit } from '../../shared/accounts/audit.ts';
import { Problem } from '../../shared/core/problem.ts';
import { type CommandLine, type Noun, type Operator, type ShownValue, timeOf, wholeNumber } from './command.ts';

import { findOrganization } from './org.ts';

const MOST = 1_000;

async function run({ table }: Operator, { args: [org], options: { limit = '20' } }: CommandLine): Promise<ShownValue> {
  const max = wholeNumber('limit', limit);
  if (max < 1 || max > MOST) throw new Problem('invalid', `--limit is from 1 to ${MOST}.`);
  const only = org === undefined ? {} : { organization: (await findOrganization(table, org)).id };
  const entries = await listAudit(table, { ...only, max });
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

/** Who sits at this machine. In a container the user may have a number and no name. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
