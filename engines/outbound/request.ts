/** The only way out of the product: an HTTP request to a checked URL, over a connection to exactly the checked address. */
import {
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as open,
} from 'node:http';
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
import { failure, isOutboundFailure, refusal } from './failure.ts';
import { type CheckedUrl, checkUrl, type UrlPolicy } from './ssrf-policy.ts';
import { REQUEST_LIMITS, type RequestLifetime, type RequestLimits, startLifetime, withTimeout } from './time-limits.ts';

/** Sends one request over one line and waits for the head of the answer. */
type RequestMessage = {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body: Uint8Array | string | undefined;
};
type ResponseHead = { response: IncomingMessage; faultOf(): Error | undefined };

/** Where a message ends and what becomes of its connection is never the caller's; nor are the host and the packing below. */
const CONTROLLED_HEADERS = new Set(['connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade']);

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
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...Object.fromEntries(given.filter(([name]) => !CONTROLLED_HEADERS.has(name))),
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
    // An error is dear: none is made for a request that was answered.
    const broken = () => reject(failure('broken', fault));
    request.once('close', broken);
    request.once('response', (response) => {
      request.off('close', broken);
      response.on('error', () => undefined); // the reader of the body hears of it by itself
      resolve({ response, faultOf: () => fault });
    });
  });

/** Header values as their senders meant them: Node reads each byte as a character, most servers send UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function toUtf8(value: string): string {
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

/** Where an answer sends us, and what goes along to there. */
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
/** All that another origin gets to see of the caller's headers. */
const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-language', 'user-agent']);

/** Undefined = the answer is the end of the way. Only what changes nothing is sent on. */
function redirectUrl(from: URL, method: RequestMessage['method'], response: IncomingMessage): string | undefined {
  const { statusCode = 0, headers } = response;
  if (method !== 'GET' || !REDIRECT_STATUSES.has(statusCode) || !headers.location) return undefined;
  const text = toUtf8(headers.location);
  // What cannot be read is judged, and refused, as it stands.
  return URL.parse(text, from.href)?.href ?? text;
}

function messageForRedirect(next: string, from: URL, message: RequestMessage): RequestMessage {
  if (URL.parse(next)?.origin === from.origin) return message;
  const headers = Object.entries(message.headers).filter(([name]) => CROSS_ORIGIN_HEADERS.has(name.toLowerCase()));
  return { ...message, headers: Object.fromEntries(headers) };
}

/** One attempt at one address: one look-up, one judgement of its answers, one connection, one request. */
type RequestContext = { network: Network; pool: ConnectionPool; limits: RequestLimits; signal: AbortSignal };
type RequestAttempt = {
  target: CheckedUrl;
  message: RequestMessage;
  keepAlive: boolean;
  ca: string | undefined;
};
type PooledResponse = ResponseHead & { release(): void };

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
  // One that its other end closes at this very moment is a failed attempt like any other: what was sent may have been read.
  if (idle) return over(idle);
  const socket = await dial({ url, answers, ca: trusted }, kit);
  try {
    return await over(agentOver(socket, keepAlive));
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}

/** The body of an answer: pulled by its reader, counted as it comes over the wire, never unpacked. */
type BodyLimits = { maxBytes: number; idleMs: number };

async function* readBody(
  reply: PooledResponse,
  { maxBytes, idleMs }: BodyLimits,
  life: RequestLifetime,
): AsyncGenerator<Uint8Array> {
  const { response } = reply;
  const startIdleTimer = () => setTimeout(() => response.destroy(failure('idleTime')), idleMs);
  let idle = startIdleTimer();
  try {
    if (Number(response.headers['content-length']) > maxBytes) throw failure('tooLarge');
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      clearTimeout(idle);
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw failure('tooLarge');
      yield chunk;
      idle = startIdleTimer();
    }
    await finishBody(reply);
  } catch (cause) {
    if (life.signal.aborted) throw life.signal.reason;
    throw isOutboundFailure(cause) ? cause : failure('broken', cause);
  } finally {
    clearTimeout(idle);
    response.destroy();
    life.end();
  }
}

/** Bytes behind the announced end are noticed only a turn later. */
async function finishBody({ faultOf, release: keep }: PooledResponse): Promise<void> {
  await nextTurn();
  const fault = faultOf();
  if (fault) throw fault;
  keep();
}

/** The only way out of the product: a request to an address that was judged, over a connection to just that address. */
export type RequestOptions = {
  policy: UrlPolicy;
  /** Of the body, as it comes over the wire. */
  maxBytes: number;
  method?: RequestMessage['method'];
  headers?: Record<string, string>;
  body?: Uint8Array | string;
  limits?: Partial<RequestLimits>;
  /** How many are followed at most; with none a redirect is an answer like any other. */
  redirects?: number;
  /** Keeps the connection for the next request to the same judged place. Only for what may arrive twice. */
  keepAlive?: boolean;
  signal?: AbortSignal;
};

export type OutboundResponse = {
  status: number;
  headers: Record<string, string>;
  /** Where the answer came from, behind all redirects. */
  url: string;
  body: Bytes;
  /** For whoever does not read the body to its end. */
  cancel(): void;
};

/** Rejects with an OutboundFailure, or with the reason of the caller's own signal; so does reading the body. */
export type OutboundRequest = (address: string, ask: RequestOptions) => Promise<OutboundResponse>;

export function outbound({
  limits,
  ...own
}: Partial<Network> & { limits?: Partial<RequestLimits> } = {}): OutboundRequest {
  const kit = { network: { ...systemNetwork(), ...own }, pool: connectionPool() };

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
    if (!target.ok) throw refusal(target.reason);
    const reply = await sendOnce({ target, message, keepAlive, ca: policy.ca }, kit);
    const next = redirects > 0 ? redirectUrl(target.url, message.method, reply.response) : undefined;
    if (next === undefined) return { reply, url: target.url };
    reply.response.destroy();
    if (hops === redirects) throw failure('redirects');
    message = messageForRedirect(next, target.url, message);
    here = next;
  }
}
