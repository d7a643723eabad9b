/** `errand webhook-secret`: what an organization's webhooks are signed with. */
import { audited } from '../../shared/accounts/audit.ts';
import { rotateWebhookSecret } from '../../shared/accounts/webhook-secret.ts';
import { findOrganization } from './find-organization.ts';
import { SHOWN_ONCE, type Shown, timeOf } from './show.ts';
import type { Line, Noun, Operator } from './verb.ts';

async function rotate(operator: Operator, { args: [org = ''] }: Line): Promise<Shown> {
  const { id, name } = await findOrganization(operator.table, org);
  const act = { by: operator.by, act: 'webhook-secret rotate', organization: id, subject: name };
  const { secret, previousUntil } = await audited(operator, act, () => rotateWebhookSecret(operator, id));
  return { report: { id, name, webhookSecret: secret, previousUntil: timeOf(previousUntil) }, note: SHOWN_ONCE };
}

export const webhookSecret: Noun = {
  rotate: {
    usage: 'rotate ORG',
    about: 'makes a new webhook secret; the one before holds for another 24 hours',
    args: [1, 1],
    run: rotate,
  },
};
