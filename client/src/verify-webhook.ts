/** Tells whether a webhook is Errand's, and what it says. Compares in constant time, as the platform's own HMAC does. */
import type { TaskEvent } from './contracts/agents.ts';
import type { EndedTask } from './contracts/files-and-tasks.ts';
import { ErrandError, objectIn } from './errors.ts';

export type ReceivedWebhook = {
  /** As they came; names in any case. */
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes as they came: parsing and printing JSON changes them. */
  body: string | Uint8Array;
};

export type VerifyOptions = {
  /** `whsec_...`; several while you change from one to another. */
  secret: string | readonly string[];
  /** `standard` is `webhook-signature`, which holds for a while only; `service` is `x-service-signature`. */
  scheme?: 'standard' | 'service';
  /** How far the times of two machines may be apart; five minutes, unless told. */
  toleranceSeconds?: number;
  now?: number;
};

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 300;
const SECOND_MS = 1_000;

/** The event that was sent; rejects with WEBHOOK_NOT_OURS otherwise. Its id is in the header `webhook-id`. */
export async function verifyWebhook<Event extends EndedTask | TaskEvent = EndedTask | TaskEvent>(
  received: ReceivedWebhook,
  { secret, scheme = 'standard', toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions,
): Promise<Event> {
  const header = reader(received.headers);
  const secrets = [secret].flat().filter((each) => each.startsWith(PREFIX) && each.length > PREFIX.length);
  if (secrets.length === 0) throw new ErrandError('BAD_OPTION', `A secret begins with ${PREFIX}.`);
  const body = typeof received.body === 'string' ? new TextEncoder().encode(received.body) : received.body;
  if (scheme === 'standard') {
    const seconds = header('webhook-timestamp');
    const isFresh = /^\d+$/.test(seconds) && Math.abs(now / SECOND_MS - Number(seconds)) <= toleranceSeconds;
    if (!isFresh) throw notOurs('Its time is missing, or too far from now.');
  }
  for (const each of secrets) {
    const isSigned = scheme === 'standard' ? isStandard(each, header, body) : isService(each, header, body);
    if (await isSigned) return eventIn<Event>(body);
  }
  throw notOurs('It has no signature with this secret.');
}

const notOurs = (message: string): ErrandError => new ErrandError('WEBHOOK_NOT_OURS', message);

function eventIn<Event>(body: Uint8Array): Event {
  const event = objectIn(new TextDecoder().decode(body));
  if (!event) throw notOurs('Its body is no JSON.');
  return event as Event;
}

type Header = (name: string) => string;

function reader(headers: ReceivedWebhook['headers']): Header {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? '';
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]));
  return (name) => lower.get(name) ?? '';
}

async function isStandard(secret: string, header: Header, body: Uint8Array): Promise<boolean> {
  const signed = bytesOf(`${header('webhook-id')}.${header('webhook-timestamp')}.`, body);
  const given = header('webhook-signature').split(' ');
  const signatures = given.filter((each) => each.startsWith('v1,')).map((each) => fromBase64(each.slice(3)));
  return isAmong(fromBase64(secret.slice(PREFIX.length)), signatures, signed);
}

async function isService(secret: string, header: Header, body: Uint8Array): Promise<boolean> {
  const given = [header('x-service-signature'), header('x-service-signature-next')];
  const signatures = given.filter((each) => /^sha256=[0-9a-f]{64}$/.test(each)).map((each) => fromHex(each.slice(7)));
  return isAmong(new TextEncoder().encode(secret), signatures, bytesOf('', body));
}

type Bytes = Uint8Array<ArrayBuffer>;

async function isAmong(secret: Bytes | undefined, signatures: (Bytes | undefined)[], signed: Bytes): Promise<boolean> {
  if (!secret || secret.length === 0) return false;
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const right = signatures.map((each) => each !== undefined && crypto.subtle.verify('HMAC', key, each, signed));
  return (await Promise.all(right)).includes(true);
}

function bytesOf(head: string, body: Uint8Array): Bytes {
  const first = new TextEncoder().encode(head);
  const all = new Uint8Array(first.length + body.length);
  all.set(first);
  all.set(body, first.length);
  return all;
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const fromHex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
