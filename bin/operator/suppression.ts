/** `errand suppression`: addresses that receive no more mails. */
import { withAudit } from '../../shared/accounts/audit.ts';
import { Problem } from '../../shared/core/problem.ts';
import { isRecipientMark, recipientMark } from '../../shared/mail/recipient.ts';
import { listSuppressions, removeSuppression, type Suppression } from '../../shared/mail/suppressions.ts';
import {
  type CommandLine,
  type CommandOutput,
  listLimit,
  type Noun,
  type Operator,
  type ShownValue,
  timeOf,
} from './command.ts';
import { findOrganization } from './org.ts';

const MOST_SHOWN = 10_000;

const reportOf = ({ mark, hint, by, at }: Suppression): CommandOutput => ({
  mark,
  address: hint,
  by,
  since: timeOf(at),
});

async function list(
  { table }: Operator,
  { args: [org = ''], options: { limit = '100' } }: CommandLine,
): Promise<ShownValue> {
  const max = listLimit(limit, MOST_SHOWN);
  const { id } = await findOrganization(table, org);
  return { report: (await listSuppressions(table, id, max)).map(reportOf) };
}

async function remove(operator: Operator, { args: [org = '', who = ''] }: CommandLine): Promise<ShownValue> {
  const { table, by } = operator;
  const { id, name } = await findOrganization(table, org);
  const mark = isRecipientMark(who) ? who : recipientMark(id, who);
  const act = { by, act: 'suppression remove', organization: id, subject: mark };
  const removed = await withAudit(operator, act, async () => {
    const suppressed = await removeSuppression(table, id, mark);
    if (suppressed) return suppressed;
    throw new Problem('notFound', `${name} does not suppress this address: "suppression list" shows all.`);
  });
  return { report: { ...reportOf(removed), state: 'removed' } };
}

export const suppression: Noun = {
  list: {
    usage: 'list ORG [--limit N]',
    about: 'lists the suppressed e-mail addresses of an organization, and why',
    args: [1, 1],
    options: ['limit'],
    run: list,
  },
  remove: {
    usage: 'remove ORG ADDRESS|MARK',
    about: 'allows e-mails to it again; only if the recipient asks for it',
    args: [2, 2],
    run: remove,
  },
};
