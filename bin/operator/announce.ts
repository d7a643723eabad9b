/** `errand announce`: messages to open connections. */
import { SOCKET_TEXTS } from '../../functions/message-bodies.ts';
import { withAudit } from '../../shared/accounts/audit.ts';
import { announce as announceTo } from '../../shared/realtime/announce.ts';
import { type CommandLine, type Noun, type Operator, type ShownValue, UsageFault } from './command.ts';
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

export const announce: Noun = {
  '': {
    usage: 'MESSAGE [--org ORG] [--level LEVEL]',
    about: 'sends it to all connections that subscribed to system notifications; LEVEL is info, warning or critical',
    args: [1, 1],
    options: ['org', 'level'],
    run: sendAnnouncement,
  },
};
