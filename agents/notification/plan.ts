/** Plans a notification: its kind, its title, how much of each source it shows, and its recipients. */

import { type EmailFormat, oneLine, paragraphsOf } from '../../engines/mail/email.ts';
import { KNOWN_SOURCES } from '../../shared/agents/agent-input.ts';
import {
  kindOfNotification,
  type NotificationInput,
  type NotificationKind,
} from '../../shared/agents/notification-input.ts';

export type NotificationPlan = {
  kind: NotificationKind;
  /** For example `Weekly report`. */
  title: string;
  /** The type as the caller wrote it. */
  type: string | null;
  sources: string[];
  format: EmailFormat;
  charts: boolean;
  subject: string | undefined;
  message: string[];
  zone: string;
  /** Contains each mailbox once; upper and lower case do not matter. */
  recipients: string[];
  /** Zero-based indexes of the recipients. Each batch is a checkpoint. */
  batches: number[][];
};

/** The maximum number of items shown from each source. */
export const MAX_ENTRIES: Record<NotificationKind, number> = { digest: 5, alert: 3, report: 8, reminder: 3 };

const MAX_TITLE = 60;
const MAX_SUBJECT = 150;
const MAX_MESSAGE = 5_000;
const BATCH = 10;
const TITLES: Record<NotificationKind, string> = {
  digest: 'Digest',
  alert: 'Alert',
  report: 'Report',
  reminder: 'Reminder',
};
/** The title of a notification with neither a type nor a source. */
const MESSAGE = 'Message';

export function planOf({ notification_type: type, schedule, content }: NotificationInput): NotificationPlan {
  const words = oneLine((type ?? '').replaceAll(/[_-]+/g, ' '), MAX_TITLE);
  const kind = kindOfNotification(type ?? '');
  const recipients = distinct(content.recipients);
  const message = paragraphsOf(content.message ?? '', MAX_MESSAGE);
  const sources = sourcesOf(content.data_sources ?? [], message);
  return {
    kind,
    title: titled(words) || (sources.length === 0 ? MESSAGE : TITLES[kind]),
    type: type ?? null,
    sources,
    format: content.format ?? 'html',
    charts: content.include_charts ?? false,
    subject: content.subject ? oneLine(content.subject, MAX_SUBJECT) || undefined : undefined,
    message,
    zone: schedule?.timezone ?? 'UTC',
    recipients,
    batches: batchesOf(recipients.length),
  };
}

/** Without sources and without a message, the default sources of a research task are used. */
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

/** Turns `market_data` into `Market data`. */
export function sourceTitle(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}

export const dayOf = (at: string | number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: zone }).format(
    new Date(at),
  );

export const longDay = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: zone }).format(at);

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Joins names as in `a, b and c`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const MAX_GREETING = 60;
/** Matches `Hello team,` and `Liebe Kolleginnen und Kollegen,`: a few words and a comma, in any language. */
const ADDRESSES = /^\S+(?: \S+){0,6}[,，]$/u;
const GREETS = /^(?:hello|hi|hey|dear|greetings|good (?:morning|day|afternoon|evening))(?: \S+){0,2}[.!:]?$/iu;

const isGreeting = (line: string): boolean =>
  line.length <= MAX_GREETING && (ADDRESSES.test(line) || GREETS.test(line));

/** Returns the first line of a message that is not a greeting. */
export const gistOf = (message: readonly string[]): string =>
  message.find((line) => !isGreeting(line)) ?? message[0] ?? '';
