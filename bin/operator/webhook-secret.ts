/** `errand webhook-secret`: what an organization's webhooks are signed with. */
import { audited } from '../../shared/accounts/audit.ts';
import { listOrganizations } from '../../shared/accounts/organization.ts';
import { currentSecrets, resealWebhookSecrets, rotateWebhookSecret } from '../../shared/accounts/webhook-secret.ts';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import { findOrganization } from './find-organization.ts';
import { SHOWN_ONCE, type Shown, timeOf } from './show.ts';
import type { Line, Noun, Operator } from './verb.ts';

async function rotate(operator: Operator, { args: [org = ''], options }: Line): Promise<Shown> {
  const { id, name } = await findOrganization(operator.table, org);
  if (!options.again) await demandOne(operator, id);
  const act = { by: operator.by, act: 'webhook-secret rotate', organization: id, subject: name };
  const { secret, previousUntil } = await audited(operator, act, () => rotateWebhookSecret(operator, id));
  return { report: { id, name, webhookSecret: secret, previousUntil: timeOf(previousUntil) }, note: SHOWN_ONCE };
}

/** Two headers have room for two: with a third, receivers of x-service-signature that moved on would know none. */
async function demandOne(operator: Operator, id: string): Promise<void> {
  const [, before] = await currentSecrets(operator, id).catch((error) => {
    if (isProblem(error, 'unreadable')) return [];
    throw error;
  });
  if (!before) return;
  throw new Problem(
    'invalid',
    `The secret before still holds until ${timeOf(before.until)}, and x-service-signature has room for two: ` +
      'rotate again then, or now with --again.',
  );
}

async function reseal(operator: Operator): Promise<Shown> {
  const act = { by: operator.by, act: 'webhook-secret reseal', subject: 'all' };
  const all = await audited(operator, act, async () => {
    const organizations = await listOrganizations(operator.table);
    for (const { id } of organizations) await resealWebhookSecrets(operator, id);
    return organizations.length;
  });
  return { report: { organizations: all }, note: 'All of them are sealed under the current master secret.' };
}

export const webhookSecret: Noun = {
  rotate: {
    usage: 'rotate ORG [--again]',
    about: 'makes a new webhook secret; the one before holds for another 24 hours',
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
