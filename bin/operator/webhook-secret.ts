/** `errand webhook-secret`: what an organization's webhooks are signed with. */

import { withAudit } from '../../shared/accounts/audit.ts';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { resealWebhookSecrets, rotateWebhookSecret } from '../../shared/accounts/webhook-secrets.ts';
import type { CommandLine, Noun, Operator } from './command.ts';
import { SHOWN_ONCE, type ShownValue, timeOf } from './command.ts';

import { findOrganization } from './org.ts';

/** With a third, receivers of x-service-signature that moved on to the second would know neither of its two headers. */
const IN_HEADERS = 2;

async function rotate(operator: Operator, { args: [org = ''], options }: CommandLine): Promise<ShownValue> {
  const { id, name } = await findOrganization(operator.table, org);
  const act = { by: operator.by, act: 'webhook-secret rotate', organization: id, subject: name };
  const most = options.again ? undefined : IN_HEADERS;
  const { secret, previousUntil } = await withAudit(operator, act, () => rotateWebhookSecret(operator, id, most));
  return { report: { id, name, webhookSecret: secret, previousUntil: timeOf(previousUntil) }, note: SHOWN_ONCE };
}

async function reseal(operator: Operator): Promise<ShownValue> {
  const act = { by: operator.by, act: 'webhook-secret reseal', subject: 'all' };
  const all = await withAudit(operator, act, async () => {
    const organizations = await listOrganizations(operator.table);
    for (const { id } of organizations) await resealWebhookSecrets(operator, id);
    return organizations.length;
  });
  return { report: { organizations: all }, note: 'All of them are sealed under the current master secret.' };
}

export const webhookSecret: Noun = {
  rotate: {
    usage: 'rotate ORG [--again]',
    about: 'makes a new webhook secret; the one before holds for another 24 hours, within which it takes --again',
    args: [1, 1],
    options: ['again'],
    run: rotate,
  },
  reseal: {
    usage: 'reseal',
    about: 'seals those of all organizations under the current master secret, after that was replaced',
    args: [0, 0],
    run: reseal,
  },
};
