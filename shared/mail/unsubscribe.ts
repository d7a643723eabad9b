/** The link in every mail by which its reader ends them, without logging in: it names the organization and the address's mark. */
import * as v from 'valibot';
import { signToken, type TokenKind, verifyToken } from '../core/signed-token.ts';
import { isUuid } from '../core/uuid.ts';
import type { Clock, Secrets, Table } from '../ports.ts';
import { isRecipientMark } from './recipient.ts';
import { suppress, suppressedAmong } from './suppression.ts';

/** It has no end: a mail may be read years later. It dies with the master secret's second rotation. */
const UNSUBSCRIBE_TOKEN: TokenKind = { type: 'unsubscribe+jwt', purpose: 'unsubscribe-token' };

const MOST_HINT = 260;

const claims = v.strictObject({
  org: v.pipe(v.string(), v.check(isUuid)),
  to: v.pipe(v.string(), v.check(isRecipientMark)),
  hint: v.pipe(v.string(), v.maxLength(MOST_HINT)),
});

export type Subscriber = { organization: string; mark: string; hint: string };

type UnsubscribePorts = { table: Table; clock: Clock; secrets: Secrets };

export async function unsubscribeUrl(secrets: Secrets, rootUrl: string, subscriber: Subscriber): Promise<string> {
  const { organization: org, mark: to, hint } = subscriber;
  return `${rootUrl}/unsubscribe/${await signToken(secrets, UNSUBSCRIBE_TOKEN, { org, to, hint })}`;
}

/** Undefined = it is no such token, or none of ours. */
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
