/** Mails of agents: their recipients, suppressed addresses, and the outcome of each mail of a run. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { isUuid } from '../core/ids.ts';
import { signToken, type TokenKind, verifyToken } from '../core/jwt.ts';
import { DAY_MS } from '../core/time.ts';
import type { Clock, Draft, Key, Mail, MailRefusal, Secrets, Stored, Table } from '../ports.ts';
import { type TaskAddress, taskPartition } from '../tasks/rows.ts';

/** Identifies a recipient without naming the address. */
const MARK_CHARACTERS = 22;

/** The same for every spelling of upper and lower case, but different in each organization. */
export const recipientMark = (organization: string, address: string): string =>
  createHash('sha256')
    .update(`${organization}\0${address.trim().toLowerCase()}`)
    .digest('base64url')
    .slice(0, MARK_CHARACTERS);

export const isRecipientMark = (text: string): boolean => /^[\w-]{22}$/.test(text);

/** Shortens an address for readers who know it: `a…@host.org`. */
export function hinted(address: string): string {
  const at = address.lastIndexOf('@');
  const [first = ''] = address;
  return `${first}…${address.slice(at)}`;
}

/** The limits of a mail, those of the mail service. */
export const MAIL_LIMITS = { bytes: 10_485_760, addressCharacters: 254, tags: 10 } as const;

/** Exactly one mailbox: no display name, no list, no line break. */
const MAILBOX = /^[^\s"(),:;<>@[\\\]\p{Cc}]{1,64}@[a-z\d-]{1,63}(\.[a-z\d-]{1,63})+$/iu;
const TAG = /^[\w-]{1,256}$/;

export const isMailbox = (text: string): boolean =>
  text.length <= MAIL_LIMITS.addressCharacters && MAILBOX.test(text) && !/(^|[@.])-|-([.@]|$)/.test(domainOf(text));

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@'));

/** Returns `undefined` if the mail is valid. */
export function faultOf({ raw, from, to, tags }: Mail): MailRefusal | undefined {
  const names = Object.entries(tags);
  if (names.length > MAIL_LIMITS.tags || !names.flat().every((text) => TAG.test(text))) {
    throw new RangeError('A mail has at most ten tags, of letters, digits, _ and -.');
  }
  if (!isMailbox(to)) return 'badAddress';
  if (!isMailbox(from)) return 'badSender';
  return raw.byteLength > MAIL_LIMITS.bytes ? 'tooLarge' : undefined;
}

/** The suppression list of an organization: one row for each address that unsubscribed, bounced or complained. */
type SuppressedBy = 'unsubscribed' | 'bounced' | 'complained';

/** The address itself is not stored. */
export type Suppression = { mark: string; by: SuppressedBy; at: number; hint: string };

const PAGE = 100;

const partition = (organization: string): string => `O#${organization}#SUPPRESSED`;
const suppressionKey = (organization: string, mark: string): Key => ({ pk: partition(organization), sk: mark });

type SuppressionPorts = { table: Table; clock: Clock };

/** The first entry stays: a repeat changes nothing. */
export async function suppress(
  { table, clock }: SuppressionPorts,
  organization: string,
  { mark, by, hint }: Omit<Suppression, 'at'>,
): Promise<void> {
  const value: Suppression = { mark, by, hint, at: clock.now() };
  await table.insert({ ...suppressionKey(organization, mark), value });
}

/** For at most 100 marks, in their order. */
export async function suppressedAmong(
  table: Table,
  organization: string,
  marks: string[],
): Promise<(Suppression | undefined)[]> {
  const rows = await table.getMany<Suppression>(marks.map((mark) => suppressionKey(organization, mark)));
  return rows.map((row) => row?.value);
}

export async function listSuppressions(table: Table, organization: string, max: number): Promise<Suppression[]> {
  const found: Suppression[] = [];
  let after: string | undefined;
  do {
    const limit = Math.min(PAGE, max - found.length);
    const page = await table.rows<Suppression>(partition(organization), '', { limit, ...(after ? { after } : {}) });
    found.push(...page.rows.map(({ value }) => value));
    after = page.next;
  } while (after !== undefined && found.length < max);
  return found;
}

/** Returns the removed entry, or `undefined` if there was none. */
export async function removeSuppression(
  table: Table,
  organization: string,
  mark: string,
): Promise<Suppression | undefined> {
  const row = await table.get<Suppression>(suppressionKey(organization, mark));
  return row && (await table.remove(row)) ? row.value : undefined;
}

// The unsubscribe link of a mail. It contains the organization and a mark of the address, and needs no login.

/** The token does not expire: a mail may be read years later. It becomes invalid with the second rotation of the master secret. */
const UNSUBSCRIBE_TOKEN: TokenKind = { type: 'unsubscribe+jwt', purpose: 'unsubscribe-token' };

const MAX_HINT = 260;

const claims = v.strictObject({
  org: v.pipe(v.string(), v.check(isUuid)),
  to: v.pipe(v.string(), v.check(isRecipientMark)),
  hint: v.pipe(v.string(), v.maxLength(MAX_HINT)),
});

type Subscriber = { organization: string; mark: string; hint: string };

type UnsubscribePorts = { table: Table; clock: Clock; secrets: Secrets };

export async function unsubscribeUrl(secrets: Secrets, rootUrl: string, subscriber: Subscriber): Promise<string> {
  const { organization: org, mark: to, hint } = subscriber;
  return `${rootUrl}/unsubscribe/${await signToken(secrets, UNSUBSCRIBE_TOKEN, { org, to, hint })}`;
}

/** Returns `undefined` for a text that is not one of our tokens. */
export async function parseSubscriber({ secrets }: Pick<UnsubscribePorts, 'secrets'>, token: string) {
  const parsed = v.safeParse(claims, await verifyToken(secrets, UNSUBSCRIBE_TOKEN, token));
  if (!parsed.success) return undefined;
  const { org: organization, to: mark, hint } = parsed.output;
  return { organization, mark, hint } satisfies Subscriber;
}

export async function isUnsubscribed(table: Table, { organization, mark }: Subscriber): Promise<boolean> {
  const [row] = await suppressedAmong(table, organization, [mark]);
  return row !== undefined;
}

export const unsubscribe = (
  ports: Pick<UnsubscribePorts, 'table' | 'clock'>,
  { organization, mark, hint }: Subscriber,
) => suppress(ports, organization, { mark, hint, by: 'unsubscribed' });

/** The outcome of each mail of a run: one row per recipient, written as soon as it is known and never changed. */
export type Fate =
  | { status: 'sent'; at: number; messageId: string; providerId: string }
  | { status: 'suppressed'; at: number; by: SuppressedBy }
  | { status: 'refused'; at: number; reason: MailRefusal };

/** A bounce or complaint that arrived after the mail was accepted. */
type LaterReport = { status: 'bounced' | 'complained'; at: number; reason: string };

/** `run` identifies the run of the task, `mark` the recipient. */
type MailOf = { run: string; mark: string };

/** The newest hundred runs of a recurring task are shown; those of a monthly task outlive the retention of tasks. */
const KEPT_MS = 400 * DAY_MS;

const SENT = 'MAIL#';
const fateKey = (address: TaskAddress, { run, mark }: MailOf): Key => ({
  pk: taskPartition(address),
  sk: `${SENT}${run}#${mark}`,
});
/** The provider's ids of the mails that a row records. */
export function mailsSentIn({ sk, value }: Stored): string[] {
  const { providerId } = sk.startsWith(SENT) ? (value as Partial<Extract<Fate, { status: 'sent' }>>) : {};
  return providerId === undefined ? [] : [providerId];
}

const LATER = 'MAILED#';

/** For at most 100 recipients, in their order. */
export async function fatesOf(
  table: Table,
  address: TaskAddress,
  run: string,
  marks: string[],
): Promise<(Fate | undefined)[]> {
  const rows = await table.getMany<Fate>(marks.map((mark) => fateKey(address, { run, mark })));
  return rows.map((row) => row?.value);
}

/** The first stored fate stays, so that another worker of the same run knows what was sent. */
export async function storeFate(table: Table, address: TaskAddress, mail: MailOf, fate: Fate): Promise<void> {
  await table.insert({ ...fateKey(address, mail), value: fate, expiresAt: fate.at + KEPT_MS });
}

const laterDraft = (address: TaskAddress, { run, mark }: MailOf, value: LaterReport): Draft<LaterReport> => ({
  pk: taskPartition(address),
  sk: `${LATER}${run}#${mark}`,
  value,
  expiresAt: value.at + KEPT_MS,
});

/** The most reports that are read for one page of results. */
const MOST = 1_000;

/** The later reports on the mails of a task, by run and mark: `run#mark`. */
export async function laterReports(table: Table, address: TaskAddress): Promise<Map<string, LaterReport>> {
  const reports = new Map<string, LaterReport>();
  let after: string | undefined;
  do {
    const paging = { limit: PAGE, newestFirst: true, ...(after ? { after } : {}) };
    const page = await table.rows<LaterReport>(taskPartition(address), LATER, paging);
    for (const { sk, value } of page.rows) reports.set(sk.slice(LATER.length), value);
    after = page.next;
  } while (after !== undefined && reports.size < MOST);
  return reports;
}

/** Adds to the results of a notification the later reports on its mails. */
type ShownRun = Record<string, unknown>;

/** For one run, or for several under `runs`. A mail is identified by its Message-ID, which names the run and the recipient. */
export function withLaterReports(results: ShownRun, reports: ReadonlyMap<string, LaterReport>): ShownRun {
  if (reports.size === 0) return results;
  const { recipients, runs } = results;
  return {
    ...results,
    ...(Array.isArray(recipients)
      ? { recipients: recipients.map((one: ShownRun) => changedReport(one, reports)) }
      : {}),
    ...(Array.isArray(runs) ? { runs: runs.map((run: ShownRun) => changedRun(run, reports)) } : {}),
  };
}

/** A run may have its results in the field `results`. */
function changedRun(run: ShownRun, reports: ReadonlyMap<string, LaterReport>): ShownRun {
  const { results } = run;
  const inner =
    typeof results === 'object' && results !== null ? { results: withLaterReports(results as ShownRun, reports) } : {};
  return { ...withLaterReports(run, reports), ...inner };
}

const MAIL = /^<[^.]+\.([\w-]+)\.([\w-]+)@/;

function changedReport(recipient: ShownRun, report: ReadonlyMap<string, LaterReport>): ShownRun {
  const [, run, mark] = MAIL.exec(String(recipient.message_id)) ?? [];
  const later = report.get(`${run}#${mark}`);
  if (!later) return recipient;
  const { status, at, reason } = later;
  return { ...recipient, status, reason, sent_at: recipient.at, at: new Date(at).toISOString() };
}

/** An event from the mail service after it accepted a mail: stored with the run, and the address is suppressed. */
export type MailEvent = {
  address: TaskAddress;
  mail: MailOf;
  /** The mailbox as the service names it. */
  to: string;
  status: 'bounced' | 'complained';
  /** False for temporary causes, such as a full mailbox. */
  isLasting: boolean;
  reason: string;
};

export async function handleMailEvent(ports: { table: Table; clock: Clock }, event: MailEvent): Promise<void> {
  const { address, mail, status, isLasting, reason, to } = event;
  await ports.table.insert(laterDraft(address, mail, { status, at: ports.clock.now(), reason }));
  if (isLasting) await suppress(ports, address.organization, { mark: mail.mark, by: status, hint: hinted(to) });
}

/** The tags of a mail, by which later events find its run. */
export const mailTags = ({ organization, taskId: task }: TaskAddress, { run, mark: recipient }: MailOf) => ({
  organization,
  task,
  run,
  recipient,
});

const tag = (is: (text: string) => boolean) => v.pipe(v.tuple([v.pipe(v.string(), v.check(is))]));
/** Built when an event arrives, because most functions load this file for other reasons. */
const tagsSchema = () =>
  v.object({
    organization: tag(isUuid),
    task: tag(isUuid),
    run: tag((text) => /^[\w-]{1,40}$/.test(text)),
    recipient: tag(isRecipientMark),
  });

/** Each name with a list of values, as the service returns them. `undefined`: not a mail of a task. */
export function parseMailTags(value: unknown): { address: TaskAddress; mail: MailOf } | undefined {
  const parsed = v.safeParse(tagsSchema(), value);
  if (!parsed.success) return undefined;
  const { organization, task, run, recipient } = parsed.output;
  return { address: { organization: organization[0], taskId: task[0] }, mail: { run: run[0], mark: recipient[0] } };
}
