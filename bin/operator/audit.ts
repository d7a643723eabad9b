/** `errand audit`: what operators did. */
import { listAudit } from '../../shared/accounts/audit.ts';
import { type CommandLine, listLimit, type Noun, type Operator, type ShownValue, timeOf } from './command.ts';
import { findOrganization } from './org.ts';

const MOST_ENTRIES = 1_000;

async function showAudit(
  { table }: Operator,
  { args: [org], options: { limit = '20' } }: CommandLine,
): Promise<ShownValue> {
  const max = listLimit(limit, MOST_ENTRIES);
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
    run: showAudit,
  },
};
