/** The headers that sign a webhook (our own scheme and Standard Webhooks), test webhooks, and their verification. */
import { createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { lruCache } from '../core/cache.ts';
import { hmac } from '../core/crypto.ts';
import type { Limit } from '../limits/rate-limit.ts';

/** The headers by which a receiver knows that a webhook is ours: our own scheme, and Standard Webhooks. */
const SECRET_PREFIX = 'whsec_';

type SignedWebhook = { id: string; at: number; body: string };

const MAX_KEYS = 1_000;

/** Remembered, because making one takes as long as signing with it; as an object, because Node takes four times as long over bare bytes. */
function keysBy(makeKey: (secret: string) => KeyObject): (secret: string) => KeyObject {
  const made = lruCache<string, KeyObject>({ max: MAX_KEYS });
  return (secret) => {
    const known = made.get(secret);
    if (known) return known;
    const key = makeKey(secret);
    made.set(secret, key);
    return key;
  };
}

const ownKey = keysBy((secret) => createSecretKey(secret, 'utf8'));
const standardKey = keysBy((secret) => createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'));

/** Of our own scheme: the secret's text is the key, the body alone is signed. */
const serviceSignature = (secret: string, body: string): string => `sha256=${hmac(ownKey(secret), body, 'hex')}`;

/** Of Standard Webhooks: what the secret's text encodes is the key; id and time are signed too. */
function standardSignature(secret: string, { id, seconds, body }: { id: string; seconds: string; body: string }) {
  return `v1,${hmac(standardKey(secret), `${id}.${seconds}.${body}`, 'base64')}`;
}

/**
 * `secrets` are those that hold, newest first. While more than one does, a receiver of Standard Webhooks may know any of
 * them; one of our own scheme still knows the oldest, and finds the newest under a name of its own.
 */
function signatureHeaders(secrets: readonly string[], { id, at, body }: SignedWebhook): Record<string, string> {
  const [newest = '', ...older] = secrets;
  const oldest = older.at(-1);
  const seconds = String(Math.floor(at / 1_000));
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => standardSignature(secret, { id, seconds, body })).join(' '),
    'x-service-signature': serviceSignature(oldest ?? newest, body),
    ...(oldest === undefined ? {} : { 'x-service-signature-next': serviceSignature(newest, body) }),
  };
}

/** Tells whether a webhook was signed with one of these secrets: what a receiver does, in both schemes. */
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

const isAmong = (signatures: readonly string[], right: string): boolean =>
  signatures.some((each) => isSame(each, right));

function isSame(actual: string, right: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// Sends a test event and returns the outcome. Nothing is stored or retried.

/** Of both APIs together. */
export const TESTS: Limit = { name: 'webhook-tests', minute: 10 };

/** The signatures of a webhook: of the service, of Standard Webhooks, and the headers with both. */
export const webhookSignature = { service: serviceSignature, standard: standardSignature, headers: signatureHeaders };
