/** The unsubscribe link of a mail. It contains the organization and a mark of the address, and needs no login. */

import * as v from 'valibot';
import { isUuid } from '../core/ids.ts';
import { signToken, type TokenKind, verifyToken } from '../core/jwt.ts';
import type { Clock, Secrets, Table } from '../ports.ts';
import { isRecipientMark } from './recipient.ts';
import { suppress, suppressedAmong } from './suppressions.ts';

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
