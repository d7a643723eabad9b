/**
 * The only way out of the product: an HTTP request to a checked URL, over a connection to exactly the checked address.
 */
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bytes } from '../../shared/ports.ts';
import {
  agentOver,
  type ConnectionPool,
  connectionPool,
  dial,
  type Network,
  resolveAndCheck,
  systemNetwork,
} from './connection-pool.ts';
import { isOutboundFailure, outboundFailure, outboundRefusal } from './failure.ts';
import { type RequestLifetime, type RequestLimits, startLifetime, withTimeout } from './request-timeouts.ts';
import { type CheckedUrl, checkUrl, type UrlPolicy } from './ssrf-policy.ts';

// An import of `node:http` evaluates all of its exports, which loads undici: 60 ms of CPU and 5 MB in each thread.
const { request: open } = process.getBuiltinModule('node:http');

type RequestMessage = {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body: Uint8Array | string | undefined;
};
type ResponseHead = { response: IncomingMessage; faultOf(): Error | undefined };

/**
 * Headers that callers cannot set, as they control message framing and the connection. `host` and `accept-encoding` are
 * overwritten, too.
 */
const CONTROLLED_HEADERS = new Set(['connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade']);

/** Sends one request over one connection and waits for the response headers. */
function sendMessage(
  line: Agent,
  { url, message }: { url: URL; message: RequestMessage },
  { limits, signal }: { limits: RequestLimits; signal: AbortSignal },
): Promise<ResponseHead> {
  return withTimeout({ ms: limits.headersMs, fault: 'headersTime', signal }, async (signal) => {
    const request = open({
      agent: line,
      method: message.method,
      path: url.pathname + url.search,
      headers: headersFor(url, message),
      setHost: false,
      maxHeaderSize: limits.headerBytes,
    });
    signal.addEventListener('abort', () => request.destroy(signal.reason), { once: true });
    request.end(message.body);
    return waitForHead(request);
  });
}

function headersFor({ host }: URL, { headers }: RequestMessage): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...Object.fromEntries(pairs.filter(([name]) => !CONTROLLED_HEADERS.has(name))),
    host,
    'accept-encoding': 'identity',
  };
}

const waitForHead = (request: ClientRequest): Promise<ResponseHead> =>
  new Promise((resolve, reject) => {
    let fault: Error | undefined;
    request.on('error', (error) => {
      fault = error;
    });
    // Creating an Error is expensive, so none is created for a request that was answered.
    const broken = () => reject(outboundFailure('broken', fault));
    request.once('close', broken);
    request.once('response', (response) => {
      request.off('close', broken);
      response.on('error', () => undefined); // the body's reader gets this error by itself
      resolve({ response, faultOf: () => fault });
    });
  });

/**
 * Decodes header values as their senders meant them: Node reads each byte as one character, but most servers send
 * UTF-8.
 */
const utf8 = new TextDecoder('utf-8', { fatal: true });
const BEYOND_ASCII = /[^\0-\x7f]/;

function toUtf8(value: string): string {
  // Almost all values, and decoding costs more than this test.
  if (!BEYOND_ASCII.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

const headersOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      toUtf8(Array.isArray(value) ? value.join(', ') : `${value}`),
    ]),
  );

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
/** The only headers of the caller that a redirect carries to another origin. */
const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-language', 'user-agent']);

/** Returns `undefined` if the response is final. Only GET requests are redirected. */
function redirectUrl(from: URL, method: RequestMessage['method'], response: IncomingMessage): string | undefined {
  const { statusCode = 0, headers } = response;
  if (method !== 'GET' || !REDIRECT_STATUSES.has(statusCode) || !headers.location) return undefined;
  const text = toUtf8(headers.location);
  // A location that cannot be parsed is passed on as it is, so that `checkUrl` refuses it.
  return URL.parse(text, from.href)?.href ?? text;
}

function messageForRedirect(next: string, from: URL, message: RequestMessage): RequestMessage {
  if (URL.parse(next)?.origin === from.origin) return message;
  const headers = Object.entries(message.headers).filter(([name]) => CROSS_ORIGIN_HEADERS.has(name.toLowerCase()));
  return { ...message, headers: Object.fromEntries(headers) };
}

type RequestContext = { network: Network; pool: ConnectionPool; limits: RequestLimits; signal: AbortSignal };
type RequestAttempt = {
  target: CheckedUrl;
  message: RequestMessage;
  keepAlive: boolean;
  ca: string | undefined;
};
type PooledResponse = ResponseHead & { release(): void };

/** Makes one attempt at one URL: one DNS lookup, one check of its answers, one connection, one request. */
async function sendOnce(
  { target, message, keepAlive, ca }: RequestAttempt,
  kit: RequestContext,
): Promise<PooledResponse> {
  const { url, reach } = target;
  const trusted = reach === 'anywhere' ? ca : undefined;
  const answers = await resolveAndCheck(target, kit);
  const key = [url.origin, trusted, ...answers.toSorted()].join(' ');
  const over = async (line: Agent): Promise<PooledResponse> => ({
    ...(await sendMessage(line, { url, message }, kit)),
    release: () => kit.pool.release(key, line),
  });

  const idle = keepAlive ? kit.pool.take(key) : undefined;
  // If the other end closes this connection at the same moment, the attempt fails and is not repeated: the receiver may
  // have read the request.
  if (idle) return over(idle);
  const socket = await dial({ url, answers, ca: trusted }, kit);
  try {
    return await over(agentOver(socket, keepAlive));
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}

type BodyLimits = { maxBytes: number; idleMs: number };

/** Streams the response body. Counts bytes as they come over the wire and never decompresses them. */
async function* readBody(
  reply: PooledResponse,
  { maxBytes, idleMs }: BodyLimits,
  life: RequestLifetime,
): AsyncGenerator<Uint8Array> {
  const { response } = reply;
  const startIdleTimer = () => setTimeout(() => response.destroy(outboundFailure('idleTime')), idleMs);
  let idle = startIdleTimer();
  try {
    if (Number(response.headers['content-length']) > maxBytes) throw outboundFailure('tooLarge');
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      clearTimeout(idle);
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw outboundFailure('tooLarge');
      yield chunk;
      idle = startIdleTimer();
    }
    await finishBody(reply);
  } catch (cause) {
    if (life.signal.aborted) throw life.signal.reason;
    throw isOutboundFailure(cause) ? cause : outboundFailure('broken', cause);
  } finally {
    clearTimeout(idle);
    response.destroy();
    life.end();
  }
}

/** Waits one turn of the event loop: Node reports bytes after the announced end only then. */
async function finishBody({ faultOf, release: keep }: PooledResponse): Promise<void> {
  await nextTurn();
  const fault = faultOf();
  if (fault) throw fault;
  keep();
}

export type RequestOptions = {
  policy: UrlPolicy;
  /** Limits the body, in bytes as they come over the wire. */
  maxBytes: number;
  method?: RequestMessage['method'];
  headers?: Record<string, string>;
  body?: Uint8Array | string;
  limits?: Partial<RequestLimits>;
  /** The maximum number of redirects to follow. Without it, a redirect is returned like any other response. */
  redirects?: number;
  /**
   * Keeps the connection for the next request to the same checked target. Use it only for requests that may arrive
   * twice.
   */
  keepAlive?: boolean;
  signal?: AbortSignal;
};

export type OutboundResponse = {
  status: number;
  headers: Record<string, string>;
  /** The final URL, after all redirects. */
  url: string;
  body: Bytes;
  /** Callers that do not read the body to its end must call this. */
  cancel(): void;
};

/**
 * Rejects with an `OutboundFailure`, or with the reason of the caller's own signal. Reading the body rejects in the
 * same way.
 */
export type OutboundRequest = (address: string, ask: RequestOptions) => Promise<OutboundResponse>;

export function outbound({
  limits,
  ...networkOverrides
}: Partial<Network> & { limits?: Partial<RequestLimits> } = {}): OutboundRequest {
  const kit = { network: { ...systemNetwork(), ...networkOverrides }, pool: connectionPool() };

  return async function request(address, ask) {
    const agreed: RequestLimits = { ...REQUEST_LIMITS, ...limits, ...ask.limits };
    const life = startLifetime(agreed.totalMs, ask.signal);
    try {
      const { reply, url } = await followRedirects(address, ask, { ...kit, limits: agreed, signal: life.signal });
      const { response } = reply;
      const cancel = () => {
        response.destroy();
        life.end();
      };
      life.signal.addEventListener('abort', () => response.destroy(life.signal.reason), { once: true });
      const body = readBody(reply, { maxBytes: ask.maxBytes, idleMs: agreed.idleMs }, life);
      return { status: response.statusCode ?? 0, headers: headersOf(response.headers), url: url.href, body, cancel };
    } catch (cause) {
      life.end();
      throw cause;
    }
  };
}

async function followRedirects(
  address: string,
  ask: RequestOptions,
  kit: RequestContext,
): Promise<{ reply: PooledResponse; url: URL }> {
  const { policy, redirects = 0, keepAlive = false } = ask;
  let message: RequestMessage = { method: ask.method ?? 'GET', headers: ask.headers ?? {}, body: ask.body };
  let here = address;
  for (let hops = 0; ; hops++) {
    const target = checkUrl(here, policy);
    if (!target.ok) throw outboundRefusal(target.reason);
    const reply = await sendOnce({ target, message, keepAlive, ca: policy.ca }, kit);
    const next = redirects > 0 ? redirectUrl(target.url, message.method, reply.response) : undefined;
    if (next === undefined) return { reply, url: target.url };
    reply.response.destroy();
    if (hops === redirects) throw outboundFailure('redirects');
    message = messageForRedirect(next, target.url, message);
    here = next;
  }
}

const REQUEST_LIMITS: RequestLimits = {
  resolveMs: 5000,
  connectMs: 5000,
  headersMs: 10_000,
  idleMs: 10_000,
  totalMs: 25_000,
  headerBytes: 16_384,
};
