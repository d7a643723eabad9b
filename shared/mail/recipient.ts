/** Recipients of mails: valid mailboxes, suppressions and unsubscribe links. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { signToken, type TokenKind, verifyToken } from '../core/crypto.ts';
import { isUuid } from '../core/ids.ts';
import type { Clock, Key, Mail, MailRefusal, Secrets, Table } from '../ports.ts';

/** Identifies a recipient without naming the address. */
const MARK_CHARACTERS = 22;

/** The same for every spelling of upper and lower case, another one in every organization. */
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

/** What a mail may be, wherever it is sent: the mail service's own limits. */
export const MAIL_LIMITS = { bytes: 10_485_760, addressCharacters: 254, tags: 10 } as const;

/** One mailbox and nothing else: no name, no list, nothing that could end a line. */
const MAILBOX = /^[^\s"(),:;<>@[\\\]\p{Cc}]{1,64}@[a-z\d-]{1,63}(\.[a-z\d-]{1,63})+$/iu;
const TAG = /^[\w-]{1,256}$/;

export const isMailbox = (text: string): boolean =>
  text.length <= MAIL_LIMITS.addressCharacters && MAILBOX.test(text) && !/(^|[@.])-|-([.@]|$)/.test(domainOf(text));

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@'));

/** Returns undefined if the address is valid. */
export function faultOf({ raw, from, to, tags }: Mail): MailRefusal | undefined {
  const names = Object.entries(tags);
  if (names.length > MAIL_LIMITS.tags || !names.flat().every((text) => TAG.test(text))) {
    throw new RangeError('A mail has at most ten tags, of letters, digits, _ and -.');
  }
  if (!isMailbox(to)) return 'badAddress';
  if (!isMailbox(from)) return 'badSender';
  return raw.byteLength > MAIL_LIMITS.bytes ? 'tooLarge' : undefined;
}

/** Whom an organization sends nothing any more: one row for each address that said so, or that mail came back from. */
export type SuppressedBy = 'unsubscribed' | 'bounced' | 'complained';

/** The address itself is not kept. */
export type Suppression = { mark: string; by: SuppressedBy; at: number; hint: string };

const PAGE = 100;

const partition = (organization: string): string => `O#${organization}#SUPPRESSED`;
const suppressionKey = (organization: string, mark: string): Key => ({ pk: partition(organization), sk: mark });

type SuppressionPorts = { table: Table; clock: Clock };

/** What came first stays: a repeat changes nothing. */
export async function suppress(
  { table, clock }: SuppressionPorts,
  organization: string,
  { mark, by, hint }: Omit<Suppression, 'at'>,
): Promise<void> {
  const value: Suppression = { mark, by, hint, at: clock.now() };
  await table.insert({ ...suppressionKey(organization, mark), value });
}

/** Of at most 100 marks, in their order. */
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

/** What it was; undefined = it was not there. */
export async function removeSuppression(
  table: Table,
  organization: string,
  mark: string,
): Promise<Suppression | undefined> {
  const row = await table.get<Suppression>(suppressionKey(organization, mark));
  return row && (await table.remove(row)) ? row.value : undefined;
}

// The unsubscribe link of a mail. It contains the organization and a mark of the address, and needs no login.

/** It has no end: a mail may be read years later. It dies with the master secret's second rotation. */
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

/** Returns undefined for a text that is not one of our tokens. */
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
