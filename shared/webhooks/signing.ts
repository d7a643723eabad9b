/** The signature headers of a webhook: our own scheme, and Standard Webhooks. */

import { createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { lruCache } from '../core/cache.ts';
import { hmac } from '../core/derived-keys.ts';

const SECRET_PREFIX = 'whsec_';

type SignedWebhook = { id: string; at: number; body: string };

const MAX_KEYS = 1_000;

/** Cached key objects: creating one takes as long as signing with it, and signing with plain bytes takes four times as long. */
function keysBy(makeKey: (secret: string) => KeyObject): (secret: string) => KeyObject {
  const keys = lruCache<string, KeyObject>({ max: MAX_KEYS });
  return (secret) => {
    const cachedKey = keys.get(secret);
    if (cachedKey) return cachedKey;
    const key = makeKey(secret);
    keys.set(secret, key);
    return key;
  };
}

const ownKey = keysBy((secret) => createSecretKey(secret, 'utf8'));
const standardKey = keysBy((secret) => createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'));

/** Our own scheme: the secret's text is the key, and only the body is signed. */
const serviceSignature = (secret: string, body: string): string => `sha256=${hmac(ownKey(secret), body, 'hex')}`;

/** Standard Webhooks: the decoded secret is the key, and id and time are signed too. */
function standardSignature(secret: string, { id, seconds, body }: { id: string; seconds: string; body: string }) {
  return `v1,${hmac(standardKey(secret), `${id}.${seconds}.${body}`, 'base64')}`;
}

/**
 * `secrets` are the valid ones, newest first. While several are valid, a receiver of Standard Webhooks may use any of them;
 * a receiver of our own scheme finds the oldest in the usual header and the newest in another one.
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

const TOLERANCE_MS = 300_000;

type ReceivedWebhook = { headers: Readonly<Record<string, string | string[] | undefined>>; body: string; now: number };

/**
 * Verifies a webhook against these secrets in both schemes, as a receiver does. Returns the schemes that verify; none if the
 * webhook is not ours or is too old.
 */
export function verifyWebhook(secrets: readonly string[], { headers, body, now }: ReceivedWebhook): string[] {
  const textOf = (name: string): string => String(headers[name] ?? '');
  const [id, seconds] = [textOf('webhook-id'), textOf('webhook-timestamp')];
  const signatures = textOf('webhook-signature').split(' ');
  const isFresh = Math.abs(now - Number(seconds) * 1_000) <= TOLERANCE_MS;
  const wellFormedSecrets = secrets.filter((secret) => secret.startsWith(SECRET_PREFIX));
  const isStandard =
    isFresh &&
    wellFormedSecrets.some((secret) => isAmong(signatures, standardSignature(secret, { id, seconds, body })));
  const serviceHeaders = ['x-service-signature', 'x-service-signature-next'].filter((name) =>
    wellFormedSecrets.some((secret) => isAmong([textOf(name)], serviceSignature(secret, body))),
  );
  return isStandard ? ['webhook-signature', ...serviceHeaders] : serviceHeaders;
}

const isAmong = (signatures: readonly string[], right: string): boolean =>
  signatures.some((signature) => isSame(signature, right));

function isSame(actual: string, right: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The signatures of a webhook: of our own scheme, of Standard Webhooks, and the headers with both. */
export const webhookSignature = { service: serviceSignature, standard: standardSignature, headers: signatureHeaders };
