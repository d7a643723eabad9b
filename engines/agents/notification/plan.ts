/** What a notification is to be: its kind, what it is called, how much of each source it shows, and who gets it. */

import { KNOWN_SOURCES } from '../../../shared/agents/agent-input.ts';
import {
  kindOfNotification,
  type NotificationInput,
  type NotificationKind,
} from '../../../shared/agents/notification-input.ts';
import type { MailFormat } from '../../mail/letter.ts';
import { oneLine, paragraphsOf } from '../../mail/plain-words.ts';

export type NotificationPlan = {
  kind: NotificationKind;
  /** `Weekly report`. */
  title: string;
  /** As asked for. */
  type: string | null;
  sources: string[];
  format: MailFormat;
  charts: boolean;
  subject: string | undefined;
  message: string[];
  zone: string;
  /** No mailbox twice, however it is spelt. */
  recipients: string[];
  /** The numbers of the recipients, counted from nought. Each batch is a checkpoint. */
  batches: number[][];
};

/** Of each source. */
export const MOST_ENTRIES: Record<NotificationKind, number> = { digest: 5, alert: 3, report: 8, reminder: 3 };

const MOST_TITLE = 60;
const MOST_SUBJECT = 150;
const MOST_MESSAGE = 5_000;
const BATCH = 10;
const TITLES: Record<NotificationKind, string> = {
  digest: 'Digest',
  alert: 'Alert',
  report: 'Report',
  reminder: 'Reminder',
};
/** What has neither a type nor a source is only that. */
const MESSAGE = 'Message';

export function planOf({ notification_type: type, schedule, content }: NotificationInput): NotificationPlan {
  const words = oneLine((type ?? '').replaceAll(/[_-]+/g, ' '), MOST_TITLE);
  const kind = kindOfNotification(type ?? '');
  const recipients = distinct(content.recipients);
  const message = paragraphsOf(content.message ?? '', MOST_MESSAGE);
  const sources = sourcesOf(content.data_sources ?? [], message);
  return {
    kind,
    title: titled(words) || (sources.length === 0 ? MESSAGE : TITLES[kind]),
    type: type ?? null,
    sources,
    format: content.format ?? 'html',
    charts: content.include_charts ?? false,
    subject: content.subject ? oneLine(content.subject, MOST_SUBJECT) || undefined : undefined,
    message,
    zone: schedule?.timezone ?? 'UTC',
    recipients,
    batches: batchesOf(recipients.length),
  };
}

/** A mail with nothing to say tells what a research would read. */
const sourcesOf = (named: string[], message: string[]): string[] =>
  named.length > 0 || message.length > 0 ? [...new Set(named)] : [...KNOWN_SOURCES];

const titled = (words: string): string => `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;

const distinct = (addresses: string[]): string[] =>
  [
    ...new Map(addresses.map((address) => [address.toLowerCase(), address] as const).toReversed()).values(),
  ].toReversed();

function batchesOf(count: number): number[][] {
  const all = Array.from({ length: count }, (_, at) => at);
  return Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH));
}
