/** Serves the signed addresses of the local blobs as S3 does. Whoever is refused does not learn why. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, pipeline } from 'node:stream/promises';
import { attachmentHeader, attachmentType } from '../shared/core/blobs.ts';
import { isProblem } from '../shared/core/problem.ts';
import type { Blobs, Bytes, Clock } from '../shared/ports.ts';
import { rangeIn } from './range-header.ts';
import type { Granted, SignedAddresses } from './signed-addresses.ts';
import { type UploadBudget, uploadBudget } from './upload-budget.ts';

const LINGER_MS = 2_000;
const GONE = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE']);

const ALWAYS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'content-length, content-range',
  // The bytes are strangers': a browser shall neither guess what they are nor run them.
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
};

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, PUT',
  'access-control-allow-headers': '*',
  'access-control-max-age': '3600',
};

/** A wrong body can be mended by a right one, but not again and again. */
const LARGEST_BODIES = 4;

type Serving = { blobs: Blobs; request: IncomingMessage; response: ServerResponse };

/** Rejects only for what is our own fault; the server then answers, or cuts what was begun. */
type Options = { blobs: Blobs; addresses: SignedAddresses; clock: Clock; maxBytes: number };

export function blobServer(o: Options) {
  const { maxBytes, clock } = o;
  const limits = { maxBytes, budget: uploadBudget({ mostBytes: LARGEST_BODIES * maxBytes, clock }) };
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const serving = { blobs: o.blobs, request, response };
    response.setHeaders(new Map(Object.entries(ALWAYS)));
    if (request.method === 'OPTIONS') return void response.writeHead(204, PREFLIGHT).end();
    const granted = await o.addresses.check(request.method ?? '', request.url ?? '');
    if (granted === undefined) return refuse(serving, 403, 'This address is not valid.');
    return request.method === 'PUT' ? take(serving, granted.key, limits) : give(serving, granted);
  };
}

async function take(serving: Serving, key: string, limits: { maxBytes: number; budget: UploadBudget }): Promise<void> {
  const { maxBytes, budget } = limits;
  const { blobs, request, response } = serving;
  const length = request.headers['content-length'];
  // S3 wants it too. The HTTP parser holds the body to it.
  if (length === undefined) return refuse(serving, 411, 'The content-length is missing.');
  if (Number(length) > maxBytes) return refuse(serving, 400, `There are more than ${maxBytes} bytes.`);
  if (!budget.take(key, Number(length)))
    return refuse(serving, 403, 'This address has taken too many bytes. Ask for a new upload.');
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
    if (request.destroyed && !request.complete) return; // the sender went away
    if (isProblem(error, 'busy')) return refuse(serving, 503, error.message, { 'retry-after': '5' });
    throw error;
  }
  response.writeHead(200, { 'content-length': 0 }).end();
}

async function give(serving: Serving, { key, as }: Granted): Promise<void> {
  const { blobs, request, response } = serving;
  const size = await blobs.size(key);
  if (size === undefined) return refuse(serving, 404, 'There is no such file.');
  const asked = rangeIn(request.headers['if-range'] ? undefined : request.headers.range, size);
  if (asked === 'outside') return refuse(serving, 416, 'The file ends before.', { 'content-range': `bytes */${size}` });
  const { from, to } = asked ?? { from: 0, to: size - 1 };
  const length = to - from + 1;
  const head = {
    'accept-ranges': 'bytes',
    'content-length': length,
    ...(asked && { 'content-range': `bytes ${from}-${to}/${size}` }),
    ...(as && { 'content-disposition': attachmentHeader(as.fileName), 'content-type': attachmentType(as.contentType) }),
  };
  if (request.method === 'HEAD') return void response.writeHead(asked ? 206 : 200, head).end();
  const body = await blobs.read(key, size === 0 ? { from } : { from, to });
  if (body === undefined) return refuse(serving, 404, 'There is no such file.');
  response.writeHead(asked ? 206 : 200, head);
  await pipeline(body, (source: Bytes) => exactly(length, source), response).catch(whoWentAway);
}

/** The blob may have been replaced since its size was read: then the answer is cut, not ended short. */
async function* exactly(length: number, source: Bytes): AsyncGenerator<Uint8Array> {
  let given = 0;
  for await (const chunk of source) {
    given += chunk.byteLength;
    yield chunk;
  }
  if (given !== length) throw new Error('A blob was replaced while it was read.');
}

function whoWentAway(error: NodeJS.ErrnoException): void {
  if (!GONE.has(error.code ?? '')) throw error;
}

async function refuse(serving: Serving, status: number, text: string, headers: Record<string, string> = {}) {
  const { request, response } = serving;
  const cut = request.complete ? {} : { connection: 'close' };
  const length = Buffer.byteLength(text);
  response.writeHead(status, { ...headers, ...cut, 'content-type': 'text/plain', 'content-length': length });
  if (request.complete) return void response.end(text);
  // Cut at once, a sender in the middle of its body would see a broken connection in place of the answer.
  response.write(text);
  await finished(request.resume(), { signal: AbortSignal.timeout(LINGER_MS) }).catch(() => undefined);
  response.end();
}
