/** Tells whether a webhook was signed with one of these secrets: what a receiver does, in both schemes. */
import { timingSafeEqual } from 'node:crypto';
import { SECRET_PREFIX, serviceSignature, standardSignature } from './sign-webhook.ts';

const TOLERANCE_MS = 300_000;

type ReceivedWebhook = { headers: Readonly<Record<string, string | string[] | undefined>>; body: string; now: number };

/** Which schemes hold; none means that it is not ours, or not of today. */
export function verifyWebhook(secrets: readonly string[], { headers, body, now }: ReceivedWebhook): string[] {
  const textOf = (name: string): string => String(headers[name] ?? '');
  const [id, seconds] = [textOf('webhook-id'), textOf('webhook-timestamp')];
  const signatures = textOf('webhook-signature').split(' ');
  const isFresh = Math.abs(now - Number(seconds) * 1_000) <= TOLERANCE_MS;
  const known = secrets.filter((secret) => secret.startsWith(SECRET_PREFIX));
  const isStandard =
    isFresh && known.some((secret) => isAmong(signatures, standardSignature(secret, { id, seconds, body })));
  const own = ['x-service-signature', 'x-service-signature-next'].filter((name) =>
    known.some((secret) => isAmong([textOf(name)], serviceSignature(secret, body))),
  );
  return isStandard ? ['webhook-signature', ...own] : own;
}

const isAmong = (given: readonly string[], right: string): boolean => given.some((each) => isSame(each, right));

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
