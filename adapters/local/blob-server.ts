/** Serves the signed URLs of local blobs as S3 does. */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, pipeline } from 'node:stream/promises';
import { attachmentHeader, attachmentType } from '../../shared/core/attachment.ts';
import { keyOfBlob } from '../../shared/core/blobs.ts';
import { deriveKey, hmac } from '../../shared/core/derived-keys.ts';
import { isProblem } from '../../shared/core/problem.ts';
import { HOUR_MS } from '../../shared/core/time.ts';
import type { Attachment, Blobs, Bytes, Clock, MasterSecret, Secrets } from '../../shared/ports.ts';

/** A byte range of a Range header (RFC 9110). Headers that cannot be parsed are ignored, as the RFC and S3 do. */
type ByteRange = { from: number; to: number };

/** `whole`: no range, several ranges, another unit, or an invalid header. `outside`: the range is not satisfiable (416). */
function rangeIn(header: string | undefined, size: number): ByteRange | 'outside' | 'whole' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') return clipRange(Math.max(0, size - Number(last)), size - 1, size);
  if (last !== '' && Number(last) < Number(first)) return 'whole';
  return clipRange(Number(first), last === '' ? size - 1 : Number(last), size);
}

const clipRange = (from: number, to: number, size: number): ByteRange | 'outside' =>
  from < size ? { from, to: Math.min(to, size - 1) } : 'outside';

/** Signed URLs of blobs: a URL needs no other credential. The signature covers everything in the URL. */
export const BLOBS_PATH = '/blobs/';
const LONGEST_SECONDS = 604_800; // the limit of S3

type Signing = { method: 'GET' | 'PUT'; key: string; seconds: number; as?: Attachment };
type Parameter = [name: string, value: string];
type Granted = { key: string; as?: Attachment };

export type SignedAddresses = {
  sign(signing: Signing): Promise<string>;
  /** Checks a request's path and query. `undefined`: the URL is not ours, altered or signed for another method. */
  check(method: string, url: string): Promise<Granted | 'expired' | undefined>;
};

export function signedAddresses(o: { baseUrl: () => string; secrets: Secrets; clock: Clock }): SignedAddresses {
  return {
    async sign({ method, key, seconds, as }) {
      keyOfBlob(key);
      if (!Number.isInteger(seconds) || seconds < 1 || seconds > LONGEST_SECONDS) {
        throw new RangeError(`A signed URL is valid for 1 to ${LONGEST_SECONDS} whole seconds, not ${seconds}.`);
      }
      const [current] = await o.secrets.master();
      const path = pathOf(key);
      const parameters: Parameter[] = [['expires', String(o.clock.now() + seconds * 1_000)]];
      if (as) parameters.push(['name', as.fileName.toWellFormed()], ['type', as.contentType.toWellFormed()]);
      const signature = signatureOf(method, path, parameters, current);
      return `${o.baseUrl()}${path}?${parameters.map(toQueryPair).join('&')}&signature=${signature}`;
    },

    async check(method, url) {
      if (!URL.canParse(url, 'http://local')) return undefined;
      const { pathname, searchParams: query } = new URL(url, 'http://local');
      const masters = await o.secrets.master();
      const [presented = '', ...more] = query.getAll('signature');
      const parameters = [...query].filter(([name]) => name !== 'signature');
      // Unlike S3, which refuses a HEAD with a signature for GET: here `curl -I` shows what a download is.
      const signedFor = method === 'HEAD' ? 'GET' : method;
      const signed = masters.some((master) =>
        isSameSignature(presented, signatureOf(signedFor, pathname, parameters, master)),
      );
      if (!signed || more.length > 0) return undefined;
      if (o.clock.now() >= Number(query.get('expires'))) return 'expired';
      const [fileName, contentType] = [query.get('name'), query.get('type')];
      const key = keyIn(pathname);
      return fileName === null || contentType === null ? { key } : { key, as: { fileName, contentType } };
    },
  };
}

/** The key as one base64url segment, because clients and proxies rewrite "..", "//" and escaped characters. */
const pathOf = (key: string): string => BLOBS_PATH + Buffer.from(key, 'utf8').toString('base64url');
const keyIn = (path: string): string => Buffer.from(path.slice(BLOBS_PATH.length), 'base64url').toString('utf8');

const toQueryPair = ([name, value]: Parameter): string => `${name}=${encodeURIComponent(value)}`;

/** Covers all parameters in order, repeated ones included, so that none can be added, repeated or left out. */
function signatureOf(method: string, path: string, parameters: Parameter[], master: MasterSecret): string {
  const signed = JSON.stringify([method, path, parameters]);
  return hmac(deriveKey('addresses', master), signed, 'base64url');
}

/** Compares the encoded texts, because a decoder accepts several texts for the same bytes. */
function isSameSignature(actual: string, right: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// Limits the bytes that one upload URL accepts over all its PUTs. A newer body replaces the earlier ones, so repeated
// PUTs do not fill the disk, but without a limit one URL could keep the disk writing for an hour. Counts are lost with
// the process.

type UploadBudget = {
  /** Returns false, and takes nothing, if less than `bytes` is left. */
  take(key: string, bytes: number): boolean;
  giveBack(key: string, bytes: number): void;
};

/** An upload URL can be renewed for a day. */
const FORGET_AFTER_MS = 25 * HOUR_MS;

function uploadBudget({ maxBytes, clock }: { maxBytes: number; clock: Clock }): UploadBudget {
  const uploads = new Map<string, { bytes: number; since: number }>();

  /** The map is in order of insertion, so the oldest entries come first. */
  function forgetOld(): void {
    for (const [key, { since }] of uploads) {
      if (clock.now() - since < FORGET_AFTER_MS) return;
      uploads.delete(key);
    }
  }

  return {
    take(key, bytes) {
      forgetOld();
      const of = uploads.get(key) ?? { bytes: 0, since: clock.now() };
      if (of.bytes + bytes > maxBytes) return false;
      of.bytes += bytes;
      uploads.set(key, of);
      return true;
    },
    giveBack(key, bytes) {
      const of = uploads.get(key);
      if (of) of.bytes -= bytes;
    },
  };
}

const LINGER_MS = 2_000;
const GONE = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE']);

const ALWAYS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'content-length, content-range',
  // The content is untrusted: a browser must neither guess its type nor run it.
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
};

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, PUT',
  'access-control-allow-headers': '*',
  'access-control-max-age': '3600',
};

/** Allows a client to replace a wrong body a few times. */
const LARGEST_BODIES = 4;

type Serving = { blobs: Blobs; request: IncomingMessage; response: ServerResponse };

type Options = { blobs: Blobs; addresses: SignedAddresses; clock: Clock; maxBytes: number };

export function blobServer(o: Options) {
  const { maxBytes, clock } = o;
  const limits = { maxBytes, budget: uploadBudget({ maxBytes: LARGEST_BODIES * maxBytes, clock }) };
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const serving = { blobs: o.blobs, request, response };
    response.setHeaders(new Map(Object.entries(ALWAYS)));
    if (request.method === 'OPTIONS') return void response.writeHead(204, PREFLIGHT).end();
    const granted = await o.addresses.check(request.method ?? '', request.url ?? '');
    if (granted === undefined) return refuse(serving, 403, 'This URL is not valid.');
    if (granted === 'expired') return refuse(serving, 403, 'This URL has expired: ask for a new one.');
    return request.method === 'PUT' ? receiveBlob(serving, granted.key, limits) : sendBlob(serving, granted);
  };
}

async function receiveBlob(
  serving: Serving,
  key: string,
  limits: { maxBytes: number; budget: UploadBudget },
): Promise<void> {
  const { maxBytes, budget } = limits;
  const { blobs, request, response } = serving;
  const length = request.headers['content-length'];
  // S3 requires it too. The HTTP parser enforces that the body has this length.
  if (length === undefined) return refuse(serving, 411, 'The content-length is missing.');
  if (Number(length) > maxBytes) return refuse(serving, 400, `There are more than ${maxBytes} bytes.`);
  if (!budget.take(key, Number(length)))
    return refuse(serving, 403, 'Too many bytes were sent to this URL. Create a new upload.');
  let received = 0;
  async function* body(): Bytes {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      received += chunk.byteLength;
      yield chunk;
    }
  }
  try {
    await blobs.put(key, body(), { maxBytes });
  } catch (error) {
    budget.giveBack(key, Number(length) - received);
    if (request.destroyed && !request.complete) return; // the client disconnected
    if (isProblem(error, 'busy')) return refuse(serving, 503, error.message, { 'retry-after': '5' });
    throw error;
  }
  response.writeHead(200, { 'content-length': 0 }).end();
}

async function sendBlob(serving: Serving, { key, as }: Granted): Promise<void> {
  const { blobs, request, response } = serving;
  const size = await blobs.size(key);
  if (size === undefined) return refuse(serving, 404, 'There is no such file.');
  const range = rangeIn(request.headers['if-range'] ? undefined : request.headers.range, size);
  if (range === 'outside')
    return refuse(serving, 416, 'The range starts after the end of the file.', { 'content-range': `bytes */${size}` });
  const isPart = range !== 'whole';
  const { from, to } = isPart ? range : { from: 0, to: size - 1 };
  const length = to - from + 1;
  const head = {
    'accept-ranges': 'bytes',
    'content-length': length,
    ...(isPart && { 'content-range': `bytes ${from}-${to}/${size}` }),
    ...(as && { 'content-disposition': attachmentHeader(as.fileName), 'content-type': attachmentType(as.contentType) }),
  };
  if (request.method === 'HEAD') return void response.writeHead(isPart ? 206 : 200, head).end();
  const body = await blobs.read(key, size === 0 ? { from } : { from, to });
  if (body === undefined) return refuse(serving, 404, 'There is no such file.');
  response.writeHead(isPart ? 206 : 200, head);
  await pipeline(body, (source: Bytes) => ensureLength(length, source), response).catch(ignoreDisconnect);
}

/** The blob may have been replaced since its size was read: the response is then aborted, so that it does not look complete. */
async function* ensureLength(length: number, source: Bytes): AsyncGenerator<Uint8Array> {
  let sentBytes = 0;
  for await (const chunk of source) {
    sentBytes += chunk.byteLength;
    yield chunk;
  }
  if (sentBytes !== length) throw new Error('A blob was replaced while it was read.');
}

function ignoreDisconnect(error: NodeJS.ErrnoException): void {
  if (!GONE.has(error.code ?? '')) throw error;
}

async function refuse(serving: Serving, status: number, text: string, headers: Record<string, string> = {}) {
  const { request, response } = serving;
  const cut = request.complete ? {} : { connection: 'close' };
  const length = Buffer.byteLength(text);
  response.writeHead(status, { ...headers, ...cut, 'content-type': 'text/plain', 'content-length': length });
  if (request.complete) return void response.end(text);
  // If we closed at once, a client that is still sending its body would see a connection error in place of the response.
  response.write(text);
  await finished(request.resume(), { signal: AbortSignal.timeout(LINGER_MS) }).catch(() => undefined);
  response.end();
}
