/** Verifies a webhook in constant time and returns its event. */
import type { TaskEvent } from './contracts/agents.ts';
import type { EndedTask } from './contracts/files-and-tasks.ts';
import { badOption, ErrandError, isObject, objectIn } from './errors.ts';

export type ReceivedWebhook = {
  /** The headers of the request; names in any case. */
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** The raw body: parsing and serializing JSON again changes it. */
  body: string | Uint8Array;
};

export type VerifyOptions = {
  /** `whsec_...`; several during a rotation. */
  secret: string | readonly string[];
  /** `standard` is `webhook-signature`, which includes the timestamp; `service` is `x-service-signature`. */
  scheme?: 'standard' | 'service';
  /** The largest difference between the timestamp and your clock; default five minutes. */
  toleranceSeconds?: number;
  now?: number;
};

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 300;
const SECOND_MS = 1_000;

const NO_SECRET = 'Check that the variable it comes from is set.';
const PARSED_BODY = "Give it unparsed: in Express from express.raw({ type: 'application/json' }), not express.json().";

/** Returns the verified event; rejects with WEBHOOK_NOT_OURS. Its id is in the header `webhook-id`. */
export async function verifyWebhook<Event extends EndedTask | TaskEvent = EndedTask | TaskEvent>(
  received: ReceivedWebhook,
  { secret, scheme = 'standard', toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions,
): Promise<Event> {
  const header = reader(received.headers);
  const secrets = secretsIn(secret);
  const body = bodyIn(received.body);
  if (scheme === 'standard') {
    const seconds = header('webhook-timestamp');
    const isFresh = /^\d+$/.test(seconds) && Math.abs(now / SECOND_MS - Number(seconds)) <= toleranceSeconds;
    if (!isFresh) throw notOurs('The timestamp is missing, or more than five minutes off.');
  }
  for (const candidate of secrets) {
    const isSigned = scheme === 'standard' ? isStandard(candidate, header, body) : isService(candidate, header, body);
    if (await isSigned) return eventIn<Event>(body);
  }
  throw notOurs('No signature matches this secret.');
}

function secretsIn(secret: unknown): string[] {
  const isSecret = (value: unknown): value is string =>
    typeof value === 'string' && value.startsWith(PREFIX) && value.length > PREFIX.length;
  const secrets = [secret].flat().filter(isSecret);
  if (secrets.length > 0) return secrets;
  throw badOption(`No valid secret was given: a secret begins with ${PREFIX}.`, { remedy: NO_SECRET });
}

function bodyIn(body: unknown): Bytes {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body as Bytes;
  throw badOption('The body is neither text nor bytes.', { remedy: PARSED_BODY });
}

const notOurs = (message: string): ErrandError => new ErrandError('WEBHOOK_NOT_OURS', message);

function eventIn<Event>(body: Bytes): Event {
  const event = objectIn(new TextDecoder().decode(body));
  if (!event) throw notOurs('Body is not valid JSON.');
  return event as Event;
}

type Header = (name: string) => string;

function reader(headers: ReceivedWebhook['headers']): Header {
  if (!isObject(headers)) throw badOption('Pass the headers of the request unchanged.');
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const lower = new Map(entries.map(([name, value]) => [name.toLowerCase(), String(value ?? '')]));
  return (name) => lower.get(name) ?? '';
}

async function isStandard(secret: string, header: Header, body: Bytes): Promise<boolean> {
  const signed = new Blob([`${header('webhook-id')}.${header('webhook-timestamp')}.`, body]);
  const presented = header('webhook-signature').split(' ');
  const signatures = presented.filter((part) => part.startsWith('v1,')).map((each) => fromBase64(each.slice(3)));
  return isAmong(fromBase64(secret.slice(PREFIX.length)), signatures, signed);
}

async function isService(secret: string, header: Header, body: Bytes): Promise<boolean> {
  const presented = [header('x-service-signature'), header('x-service-signature-next')];
  const signatures = presented
    .filter((part) => /^sha256=[0-9a-f]{64}$/.test(part))
    .map((part) => fromHex(part.slice(7)));
  return isAmong(new TextEncoder().encode(secret), signatures, new Blob([body]));
}

type Bytes = Uint8Array<ArrayBuffer>;

async function isAmong(secret: Bytes | undefined, signatures: (Bytes | undefined)[], signed: Blob): Promise<boolean> {
  if (!secret?.length) return false;
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const bytes = await signed.arrayBuffer();
  const right = signatures.map(
    (candidate) => candidate !== undefined && crypto.subtle.verify('HMAC', key, candidate, bytes),
  );
  return (await Promise.all(right)).includes(true);
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const fromHex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
