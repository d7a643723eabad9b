/** Serves an API over HTTP on one machine, with the limits that API Gateway sets on AWS. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Dispatch } from '../../functions/http/dispatch.ts';
import type { HttpRequestMessage } from '../../functions/http/route.ts';
import { Problem } from '../../shared/core/problem.ts';
import { HOUR_MS } from '../../shared/core/time.ts';

// An import of `node:http` evaluates all of its exports, which loads undici: 60 ms of CPU and 5 MB.
const { createServer } = process.getBuiltinModule('node:http');

const HOST = '127.0.0.1';
const HOST_HEADER = 'host';
const MAX_HEADER_BYTES = 10_240;
const MAX_BODY_BYTES = 10_485_760;
/** More than any route accepts; bytes beyond it are counted but not kept. */
const MAX_KEPT_BYTES = 1_048_576;
/** The timeout of request bodies other than uploads, which is the one of API Gateway. */
const BODY_MS = 30_000;
const KEEP_ALIVE_MS = 30_000;
const HEADERS_MS = 10_000;
/** How often Node checks connections for timeouts; its default is 30 s. */
const CHECK_MS = 2_000;
/** The lifetime of an upload URL. */
const REQUEST_MS = HOUR_MS;

const LIMITS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  keepAliveTimeout: KEEP_ALIVE_MS,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  connectionsCheckingInterval: CHECK_MS,
};

export type Mount = {
  prefix: string;
  isPage?: true;
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
};
type Serving = {
  dispatch: Dispatch;
  port: number;
  mounts?: Mount[];
  /** Resolves when everything readable now is durable, so that no response reports what a power failure could undo. */
  settled?: () => Promise<void> | undefined;
  onFault: (error: unknown) => void;
};

/** Resolves when the port is open. */
export async function serve({ dispatch, port, mounts = [], settled, onFault }: Serving): Promise<Server> {
  const turnEnd = endOfTurn();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const mount = mountAt(mounts, request);
    if (mount) return mount.serve(request, response);
    const bytes = hasBody(request) ? await bodyOf(request) : NO_BODY;
    if (bytes === 'tooLarge') return refuse(response, 413, 'Request Entity Too Large');
    // Requests of one turn of the event loop pass each step together: the step's code stays in the CPU cache, and the
    // responses are written in a row. A write wakes the client, which costs more than everything else.
    await turnEnd();
    const { status, headers, body } = await dispatch(incomingOf(request, response, bytes));
    const length = Buffer.byteLength(body);
    if (status !== 204) headers['content-length'] = String(length);
    // Writes have waited already.
    const settling = isRead(request) ? settled?.() : undefined;
    if (settling) await settling;
    // An ASCII body can be written as latin1, which skips the encoding.
    response.writeHead(status, headers).end(body, length === body.length ? 'latin1' : 'utf8');
  };
  const server = createServer(LIMITS, (request, response) => {
    if (hasTwoHosts(request)) return refuse(response, 400, 'Bad Request');
    answer(request, response).catch((error) => {
      if (!request.complete && (request.destroyed || request.socket.destroyed)) return; // the client disconnected
      onFault(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'Internal Server Error');
    });
  });
  server.on('clientError', refuseMalformed);
  await listen(server, port);
  return server;
}

function mountAt(mounts: readonly Mount[], request: IncomingMessage): Mount | undefined {
  const { url = '' } = request;
  const path = pathIn(url);
  return mounts.find(({ prefix, isPage }) => (isPage ? isRead(request) && path === prefix : url.startsWith(prefix)));
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/** RFC 9112, 3.2 requires a 400 for several Host headers. Node keeps the first and silently drops the others. */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === HOST_HEADER.length && name.toLowerCase() === HOST_HEADER) hosts++;
  }
  return hosts > 1;
}

function pathIn(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Rejections that API Gateway itself would make have its response format. */
function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ message });
  const sized = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...sized, connection: 'close' }).end(body);
}

function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const line = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = JSON.stringify({ message: line.slice(4) });
  socket.end(
    `HTTP/1.1 ${line}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, HOST, resolve);
    });
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'is taken' : 'cannot be opened';
    throw new Problem('badSetting', `Port ${port} ${reason}: set ERRAND_PORT to another one.`, { cause });
  }
}

const NO_BODY = Buffer.alloc(0);
/** Shared, because the query of a request is never changed. */
const NO_QUERY = new URLSearchParams();

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

function incomingOf(request: IncomingMessage, response: ServerResponse, body: Buffer): HttpRequestMessage {
  const { headers } = request;
  const { url = '/' } = request;
  const path = pathIn(url);
  return {
    method: request.method ?? 'GET',
    path,
    query: path.length === url.length ? NO_QUERY : new URLSearchParams(url.slice(path.length)),
    headers: headers as Record<string, string>,
    body,
    sourceAddress: request.socket.remoteAddress ?? '',
    hosts: headers.host === undefined ? [] : [headers.host],
    signal: () => signalOf(response),
  };
}

/** Created only for routes that use it. */
function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort();
  if (response.destroyed) abort();
  response.once('close', abort);
  return gone.signal;
}

/** `tooLarge`: over the limit of API Gateway. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | 'tooLarge'> {
  const late = setTimeout(() => request.destroy(), BODY_MS);
  try {
    return await readBody(request);
  } finally {
    clearTimeout(late);
  }
}

/** Uses events: `for await` costs more than all other work on the body. */
function readBody(request: IncomingMessage): Promise<Buffer | 'tooLarge'> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      bytes += chunk.byteLength;
      // The socket stays open when we stop reading, so that the rejection can still be sent.
      if (bytes > MAX_BODY_BYTES) {
        request.off('data', take).pause();
        resolve('tooLarge');
      } else if (bytes - chunk.byteLength <= MAX_KEPT_BYTES) chunks.push(chunk);
    };
    request.on('data', take);
    request.once('end', () => {
      const [only, ...further] = chunks;
      resolve(only && further.length === 0 ? only : Buffer.concat(chunks));
    });
    request.once('error', reject);
    request.once('close', () => reject(new Error('The caller disconnected.')));
  });
}

/** One promise for all callers that wait in the same turn. */
function endOfTurn(): () => Promise<void> {
  let end: Promise<void> | undefined;
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined;
        resolve();
      });
    });
    return end;
  };
}
