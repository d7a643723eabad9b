/** `errand webhook-secret`: the secrets that sign webhooks. */
import { withAudit } from '../../shared/accounts/audit.ts';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { resealWebhookSecrets, rotateWebhookSecret } from '../../shared/accounts/webhook-secrets.ts';
import { type CommandLine, type Noun, type Operator, SHOWN_ONCE, type ShownValue, timeOf } from './command.ts';
import { findOrganization } from './org.ts';

/** With a third secret, receivers that verify x-service-signature with the second one would match neither header. */
const IN_HEADERS = 2;

async function rotate(operator: Operator, { args: [org = ''], options }: CommandLine): Promise<ShownValue> {
  const { id, name } = await findOrganization(operator.table, org);
  const act = { by: operator.by, act: 'webhook-secret rotate', organization: id, subject: name };
  const maxSecrets = options.again ? undefined : IN_HEADERS;
  const { secret, previousUntil } = await withAudit(operator, act, () => rotateWebhookSecret(operator, id, maxSecrets));
  return { report: { id, name, webhookSecret: secret, previousUntil: timeOf(previousUntil) }, note: SHOWN_ONCE };
}

async function reseal(operator: Operator): Promise<ShownValue> {
  const act = { by: operator.by, act: 'webhook-secret reseal', subject: 'all' };
  const count = await withAudit(operator, act, async () => {
    const organizations = await listOrganizations(operator.table);
    for (const { id } of organizations) await resealWebhookSecrets(operator, id);
    return organizations.length;
  });
  return { report: { organizations: count }, note: 'All of them are encrypted with the current master secret.' };
}

export const webhookSecret: Noun = {
  rotate: {
    usage: 'rotate ORG [--again]',
    about:
      'creates a new webhook secret; the previous one stays valid for 24 hours, during which another rotation needs --again',
    args: [1, 1],
    options: ['again'],
    run: rotate,
  },
  reseal: {
    usage: 'reseal',
    about: 're-encrypts all webhook secrets with the current master secret',
    args: [0, 0],
    run: reseal,
  },
};
