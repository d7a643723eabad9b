/** Serves the signed URLs of local blobs as S3 does. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, pipeline } from 'node:stream/promises';
import { attachmentHeader, attachmentType } from '../../shared/core/attachment.ts';
import { isProblem } from '../../shared/core/problem.ts';
import type { Blobs, Bytes, Clock } from '../../shared/ports.ts';
import { rangeIn } from './range-header.ts';
import type { Granted, SignedAddresses } from './signed-addresses.ts';
import { type UploadBudget, uploadBudget } from './upload-budget.ts';

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
