/** The agent that sends emails: gathers from the sources, composes one email, and sends it to each recipient once. */

import { cleanLine, composeEmail, type Email, paragraphsOf } from '../../engines/mail/email.ts';
import { organizationById } from '../../shared/accounts/organizations.ts';
import { type AgentInput, KNOWN_SOURCES } from '../../shared/agents/agent-input.ts';
import { wordIn } from '../../shared/agents/field-schemas.ts';
import { MAIL_FORMATS, type NotificationInput } from '../../shared/agents/notification-input.ts';
import { kindOfNotification, type NotificationKind } from '../../shared/agents/notification-kind.ts';
import type { RecipientReport } from '../../shared/agents/results/notification.ts';
import { mailTags } from '../../shared/mail/mail-events.ts';
import { type MailStatus, mailOutcomes, storeMailOutcome } from '../../shared/mail/mail-outcomes.ts';
import { maskedAddress, recipientMark } from '../../shared/mail/recipient.ts';
import { suppressedAmong } from '../../shared/mail/suppressions.ts';
import { unsubscribeUrl } from '../../shared/mail/unsubscribe.ts';
import type { Mail, Mailer, MailResult } from '../../shared/ports.ts';
import type { GatheredItems, SourceItem } from '../../shared/sources/source-item.ts';
import type { Agent, Stage } from '../../shared/tasks/agent.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import type { RunOf } from '../../shared/tasks/task.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { readStoredJson, storeJson } from '../checkpoints.ts';
import { composeStage } from './compose-stage.ts';
import { checkpoint, type NotificationCheckpoint, recipientCounts } from './notification-report.ts';
import type { MailSending, NotificationPorts, NotificationSetting } from './ports.ts';
import { previewStage } from './preview-stage.ts';
import { isHeldBack, type NotificationPlan, type NotificationState, type SourceReport } from './state.ts';
import { countLabel, mailReason } from './wording.ts';

export const notificationAgent = (ports: NotificationPorts): Agent => ({
  checkpointVersion: 2,
  stages(stored): Stage[] {
    const input = stored as AgentInput<'notification_agent'>;
    const plan = planOf(input.asked);
    const setting: NotificationSetting = { ports, plan, input };
    const composed = [gatherStage(setting), composeStage(setting)];
    if (input.preview) return [...composed, previewStage(setting)];
    return [...composed, ...plan.batches.map((batch) => sendStage(setting, batch)), reportStage(setting)];
  },
});

const MAX_ITEMS = 60;

const gatherStage = ({ ports, plan, input }: NotificationSetting): Stage => ({
  name: 'gathering',
  async run({ address, signal, report, run }): Promise<NotificationCheckpoint> {
    const ownHosts = input.ownHosts ?? [];
    const gathered: GatheredItems[] = [];
    for (const [index, source] of plan.sources.entries()) {
      const ask = { queries: [], places: [], maxItems: MAX_ITEMS, signal, ownHosts };
      gathered.push(await ports.gather(address.organization, source, ask));
      report((index + 1) / plan.sources.length);
    }
    const state = { ...initialState(plan), sources: gathered.map(toSourceReport) };
    const gatheredAt = await storeJson(ports, address, gathered);
    return checkpoint({ plan, state: { ...state, gatheredAt }, run, stages: ['gathering'] });
  },
});

const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

type MailOutcome = Exclude<MailResult, 'again'>;

/** Sends an email, with retries while the mail service is throttling. */
async function sendPatiently(
  { pause }: Pick<NotificationPorts, 'pause'>,
  mailer: Mailer,
  mail: Mail,
  signal: AbortSignal,
): Promise<MailOutcome> {
  for (const waitMs of [...WAITS_MS, undefined]) {
    const mailed = await mailer.send(mail);
    if (mailed !== 'again') return checkSender(mailed);
    if (waitMs !== undefined) await pause(waitMs, signal);
  }
  const message = 'The mail service accepts no more e-mails at the moment; its quota may be used up.';
  throw new TaskFailure('PROCESSING_FAILED', message, { mayPass: true });
}

/** A problem with the sender affects every email, so it fails the task and is not stored for one recipient. */
function checkSender(mailed: MailOutcome): MailOutcome {
  if (!('refused' in mailed) || mailed.refused !== 'badSender') return mailed;
  const message =
    'The sender address of this deployment is not verified: ask its operator to verify it with the mail service.';
  throw new TaskFailure('PROCESSING_FAILED', message);
}

/** Identifies a run of a task in rows, in tags and in Message-IDs. */
const runText = (run: RunOf | undefined): string => (run ? `${run.number}-${run.slotAt}` : 'once');

/**
 * Sends one batch, one email per recipient. Each outcome is stored as soon as it is known: a worker that crashes
 * between an email and its row repeats that one email, with the same Message-ID.
 */
const sendStage = ({ ports, plan }: NotificationSetting, batch: number[]): Stage => ({
  name: 'sending',
  async run({ address, signal, report, run }, carried): Promise<NotificationCheckpoint> {
    const { known: state } = carried as NotificationCheckpoint;
    if (isHeldBack(state)) return checkpoint({ plan, state, run, stages: ['gathering', 'composing'] });
    const sending = requireSending(ports);
    const letter = await readStoredJson<Email>(ports, state.letterAt ?? '');
    const { name = '' } = (await organizationById(ports.table, address.organization)) ?? {};
    const recipients = [...state.recipients];
    for (const [index, at] of batch.entries()) {
      signal.throwIfAborted();
      const to = plan.recipients[at] ?? '';
      const request: MailRequest = { address, run: runText(run), to, letter, name, format: plan.format, signal };
      recipients[at] = toRecipientReport(to, await sendOnce(ports, sending, request));
      report((index + 1) / batch.length);
    }
    return checkpoint({ plan, state: { ...state, recipients }, run, stages: ['gathering', 'composing'] });
  },
});

function requireSending({ sending }: NotificationPorts): MailSending {
  if (sending) return sending;
  throw new TaskFailure(
    'PROCESSING_FAILED',
    'This deployment has no sender address for e-mails; ask its operator for one.',
  );
}

type MailRequest = {
  address: TaskAddress;
  run: string;
  to: string;
  letter: Email;
  /** The name of the organization. */
  name: string;
  format: NotificationSetting['plan']['format'];
  signal: AbortSignal;
};

/**
 * Reads the stored outcome right before sending: another worker of this run may have sent the email, or the recipient
 * may have unsubscribed, since the stage began.
 */
async function sendOnce(ports: NotificationPorts, sending: MailSending, request: MailRequest): Promise<MailStatus> {
  const { table, clock } = ports;
  const { address, run, to } = request;
  const mark = recipientMark(address.organization, to);
  const [before] = await mailOutcomes(table, address, run, [mark]);
  if (before) return before;
  const [suppression] = await suppressedAmong(table, address.organization, [mark]);
  const fate: MailStatus = suppression
    ? { status: 'suppressed', at: clock.now(), by: suppression.by }
    : await sendMail(ports, sending, { ...request, mark });
  await storeMailOutcome(table, address, { run, mark }, fate);
  return fate;
}

async function sendMail(
  ports: NotificationPorts,
  sending: MailSending,
  request: MailRequest & { mark: string },
): Promise<MailStatus> {
  const { clock } = ports;
  const messageId = messageIdOf(sending, request);
  const mailed = await sendPatiently(
    ports,
    sending.mailer,
    await mailOf(ports, sending, { ...request, messageId }),
    request.signal,
  );
  const at = clock.now();
  return 'accepted' in mailed
    ? { status: 'sent', at, messageId, providerId: mailed.accepted }
    : { status: 'refused', at, reason: mailed.refused };
}

const messageIdOf = ({ sender }: MailSending, { address, run, mark }: MailRequest & { mark: string }): string =>
  `<${address.taskId}.${run}.${mark}@${sender.slice(sender.lastIndexOf('@') + 1)}>`;

async function mailOf(
  { secrets, clock }: NotificationPorts,
  { sender, rootUrl }: MailSending,
  { address, run, to, letter, name, format, mark, messageId }: MailRequest & { mark: string; messageId: string },
): Promise<Mail> {
  const { organization } = address;
  const subscriber = { organization, mark, hint: maskedAddress(to) };
  const envelope = {
    from: { name: name === '' ? 'Errand' : `${name} via Errand`, address: sender },
    to,
    messageId,
    at: clock.now(),
    reason: mailReason(name),
    unsubscribeAddress: await unsubscribeUrl(secrets, rootUrl, subscriber),
  };
  return {
    raw: await composeEmail(letter, envelope, format),
    from: sender,
    to,
    tags: mailTags(address, { run, mark }),
  };
}

/** Ends a run. It fails if there were recipients but the mail service accepted no email. */
const reportStage = ({ plan }: NotificationSetting): Stage => ({
  name: 'reporting',
  async run({ run }, carried) {
    const { known: state } = carried as NotificationCheckpoint;
    const { sent, refused } = recipientCounts(state.recipients);
    if (sent === 0 && refused > 0) {
      const message = `None of ${countLabel(refused, 'mail')} was accepted by the mail service; the results name each reason.`;
      throw new TaskFailure('PROCESSING_FAILED', message);
    }
    const { known: _, ...result } = checkpoint({
      plan,
      state,
      run,
      stages: ['gathering', 'composing', 'sending', 'reporting'],
    });
    return result;
  },
});

function planOf({ notification_type: type, schedule, content }: NotificationInput): NotificationPlan {
  const words = cleanLine((type ?? '').replaceAll(/[_-]+/g, ' '), MAX_TITLE);
  const kind = kindOfNotification(type ?? '');
  const recipients = distinct(content.recipients);
  const message = paragraphsOf(content.message ?? '', MAX_MESSAGE);
  const sources = sourcesOf(content.data_sources ?? [], message);
  return {
    kind,
    title: toTitle(words) || (sources.length === 0 ? '' : TITLES[kind]),
    type: type ?? null,
    sources,
    format: wordIn(MAIL_FORMATS, content.format),
    charts: content.include_charts ?? false,
    subject: content.subject ? cleanLine(content.subject, MAX_SUBJECT) || undefined : undefined,
    message,
    instructions: content.instructions ?? undefined,
    condition: content.condition ?? undefined,
    zone: schedule?.timezone ?? 'UTC',
    recipients,
    batches: batchesOf(recipients.length),
  };
}

const MAX_TITLE = 60;

const MAX_SUBJECT = 150;

const MAX_MESSAGE = 5_000;

const TITLES: Record<NotificationKind, string> = {
  digest: 'Digest',
  report: 'Report',
  reminder: 'Reminder',
};

/** Without sources and without a message, the default sources of a research task are used. */
const sourcesOf = (requestedSources: string[], message: string[]): string[] =>
  requestedSources.length > 0 || message.length > 0 ? [...new Set(requestedSources)] : [...KNOWN_SOURCES];

const toTitle = (words: string): string => `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;

const distinct = (addresses: string[]): string[] =>
  [
    ...new Map(addresses.map((address) => [address.toLowerCase(), address] as const).toReversed()).values(),
  ].toReversed();

function batchesOf(count: number): number[][] {
  const indexes = Array.from({ length: count }, (_, at) => at);
  return Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => indexes.slice(at * BATCH, (at + 1) * BATCH));
}

const BATCH = 10;

const initialState = ({ recipients }: NotificationPlan): NotificationState => ({
  sources: [],
  subject: null,
  charts: 0,
  queries: 0,
  recipients: recipients.map((address) => ({ address, status: 'pending', at: null, message_id: null, reason: null })),
});

const toSourceReport = ({ source, items, isSample, queries, faults }: GatheredItems): SourceReport => ({
  source,
  items: items.length,
  is_sample: isSample,
  queries,
  quality: items.length === 0 ? 0 : items.reduce((sum, item) => sum + completeness(item), 0) / items.length,
  faults: faults.slice(0, MAX_FAULTS),
});

const MAX_FAULTS = 20;

/** Counts a title, text or a figure, and a date. */
const completeness = ({ title, text, figures = [], publishedAt }: SourceItem): number =>
  [title.trim() !== '', text.trim() !== '' || figures.length > 0, publishedAt !== undefined].filter(Boolean).length / 3;

function toRecipientReport(address: string, fate: MailStatus): RecipientReport {
  const { status, at } = fate;
  return {
    address,
    status,
    at: new Date(at).toISOString(),
    message_id: fate.status === 'sent' ? fate.messageId : null,
    reason: fate.status === 'suppressed' ? fate.by : fate.status === 'refused' ? fate.reason : null,
  };
}
