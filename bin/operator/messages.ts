/** `errand announce` and `errand suppression`: messages to open connections, and addresses that receive no more mails. */
import { SOCKET_TEXTS } from '../../functions/message-bodies.ts';
import { withAudit } from '../../shared/accounts/audit.ts';
import { Problem } from '../../shared/core/problem.ts';
import { isRecipientMark, recipientMark } from '../../shared/mail/recipient.ts';
import { listSuppressions, removeSuppression, type Suppression } from '../../shared/mail/suppressions.ts';
import { announce as announceTo } from '../../shared/realtime/announce.ts';
import {
  type CommandLine,
  type CommandOutput,
  type Noun,
  type Operator,
  type ShownValue,
  timeOf,
  UsageFault,
  wholeNumber,
} from './command.ts';
import { findOrganization } from './org.ts';

const LEVELS = ['info', 'warning', 'critical'] as const;
const MAX_CHARACTERS = 2_000;

async function sendAnnouncement(
  operator: Operator,
  { args: [message = ''], options }: CommandLine,
): Promise<ShownValue> {
  const { org, level: requestedLevel = 'info' } = options;
  const level = LEVELS.find((candidate) => candidate === requestedLevel);
  if (!level) throw new UsageFault(`announce knows the levels ${LEVELS.join(', ')}.`);
  if (message.trim() === '' || message.length > MAX_CHARACTERS) {
    throw new UsageFault(`announce needs a message of at most ${MAX_CHARACTERS} characters.`);
  }
  const only = org === undefined ? undefined : (await findOrganization(operator.table, org)).id;
  const text = SOCKET_TEXTS.ofNotice({ level, message }, operator.clock.now());
  const act = { by: operator.by, act: 'announce', subject: message, detail: level };
  const connections = await withAudit(operator, only === undefined ? act : { ...act, organization: only }, () =>
    announceTo(operator, text, only),
  );
  return { report: { level, message, connections } };
}

const announce: Noun = {
  '': {
    usage: 'MESSAGE [--org ORG] [--level LEVEL]',
    about: 'sends it to all connections that subscribed to system notifications; LEVEL is info, warning or critical',
    args: [1, 1],
    options: ['org', 'level'],
    run: sendAnnouncement,
  },
};

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
  const max = wholeNumber('limit', limit);
  if (max < 1 || max > MOST_SHOWN) throw new Problem('invalid', `--limit is from 1 to ${MOST_SHOWN}.`);
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

const suppression: Noun = {
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

export const messageNouns = { announce, suppression };
