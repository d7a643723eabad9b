/** Clients of the outbound request: file imports, keys of SSO issuers, webhooks, and `fetch` for model libraries. */

import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Log } from '../../shared/core/log.ts';
import type { FetchKeys, Outbound, Post, PostFault } from '../../shared/ports.ts';
import { type FailureReason, isOutboundFailure, type OutboundFailure } from './failure.ts';
import type { OutboundRequest, OutboundResponse } from './request.ts';
import type { RequestLimits } from './request-timeouts.ts';
import { issuerPolicy, publicPolicy, type UrlPolicy } from './ssrf-policy.ts';

type FileFetcherOptions = {
  request: OutboundRequest;
  log: Log;
  ownBuckets?: string[];
  allowSources?: string[];
  ca?: string | undefined;
};

/** Some hosts reject requests without these headers. */
const FILE_HEADERS = { 'user-agent': 'errand-files/1', accept: '*/*' };

/** Fetches a file from a caller's URL: any public URL except the product's own. The response must have a 2xx status. */
export const fileFetcher =
  ({ request, log, ...options }: FileFetcherOptions): Outbound =>
  async (address, { maxBytes, maxRedirects, seconds, anyStatus = false, headers = {}, ownHosts, signal }) => {
    const policy = publicPolicy({ ...options, ownHosts });
    const ms = seconds * 1_000;
    try {
      const answer = await request(address, {
        policy,
        maxBytes,
        redirects: maxRedirects,
        headers: { ...FILE_HEADERS, ...headers },
        // A slow source may use the whole time in any phase.
        ...(signal ? { signal } : {}),
        limits: { totalMs: ms, headersMs: ms, idleMs: ms },
      });
      if (anyStatus || (answer.status >= 200 && answer.status < 300)) return answer;
      log.info('a file was not fetched', { reason: 'status', status: answer.status });
      answer.cancel();
      return 'failed';
    } catch (error) {
      if (!isOutboundFailure(error)) throw error;
      log.info('a file was not fetched', { kind: error.kind, reason: error.reason });
      return error.kind;
    }
  };

const MAX_KEYS_BYTES = 262_144;
const KEYS_TIMEOUT_MS = 5_000;
const OK = 200;

type KeysFetcherOptions = { request: OutboundRequest; log: Log; ca?: string | undefined };

/** Fetches the keys of an SSO issuer. Private addresses work only if the operator allowed them for this issuer. */
export const keysFetcher =
  ({ request, log, ca }: KeysFetcherOptions): FetchKeys =>
  async (address, { allowsPrivate }) => {
    const policy = issuerPolicy(address, { allowsPrivate, ca });
    const fault = (reason: unknown) => log.warn('the keys of an issuer were not fetched', { address, reason });
    try {
      const headers = { accept: 'application/json' };
      const answer = await request(address, {
        policy,
        headers,
        maxBytes: MAX_KEYS_BYTES,
        limits: { totalMs: KEYS_TIMEOUT_MS },
      });
      if (answer.status === OK) return JSON.parse(await text(answer.body));
      answer.cancel();
      fault(`status ${answer.status}`);
    } catch (error) {
      if (!isOutboundFailure(error) && !(error instanceof SyntaxError)) throw error;
      fault(isOutboundFailure(error) ? error.reason : 'no JSON');
    }
    return undefined;
  };

const WEBHOOK_TIMEOUT_MS = 15_000;
const WEBHOOK_LIMITS = {
  totalMs: WEBHOOK_TIMEOUT_MS,
  connectMs: 5_000,
  headersMs: WEBHOOK_TIMEOUT_MS,
  idleMs: WEBHOOK_TIMEOUT_MS,
};
/** Reads this much of the response, so that the connection can be reused after a response of normal length. */
const READ_BYTES = 65_536;
const EXCERPT_BYTES = 1_024;

const POST_FAULTS: Record<FailureReason, PostFault> = {
  resolve: 'unresolved',
  resolveTime: 'unresolved',
  connect: 'unreachable',
  connectTime: 'timeout',
  tls: 'tls',
  headersTime: 'timeout',
  idleTime: 'timeout',
  totalTime: 'timeout',
  redirects: 'broken',
  tooLarge: 'broken',
  broken: 'broken',
};

const postFaultOf = (failure: OutboundFailure): PostFault =>
  failure.kind === 'refused' ? 'blocked_target' : POST_FAULTS[failure.reason];

/** Posts a webhook: one attempt within 15 s, without redirects. Only the beginning of the response is kept. */
export const webhookSender =
  ({ request, policy, log }: { request: OutboundRequest; policy: UrlPolicy; log: Log }): Post =>
  async (address, { headers, body }, signal) => {
    const ask = {
      policy,
      method: 'POST',
      headers,
      body,
      keepAlive: true,
      limits: WEBHOOK_LIMITS,
      maxBytes: Infinity,
    } as const;
    try {
      const answer = await request(address, signal ? { ...ask, signal } : ask);
      return {
        status: answer.status,
        retryAfter: answer.headers['retry-after'],
        answer: await readBeginning(answer, signal),
      };
    } catch (error) {
      if (!isOutboundFailure(error)) throw error;
      log.info('a webhook was not taken', { kind: error.kind, reason: error.reason });
      return { fault: postFaultOf(error) };
    }
  };

/** Errors while reading are ignored, as the status is already known. */
async function readBeginning({ body }: OutboundResponse, signal: AbortSignal | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (bytes < EXCERPT_BYTES) chunks.push(chunk.subarray(0, EXCERPT_BYTES - bytes));
      bytes += chunk.byteLength;
      if (bytes >= READ_BYTES) break;
    }
  } catch (error) {
    if (!isOutboundFailure(error) || signal?.aborted) throw error;
  }
  return chunks.length === 0 ? '' : decodeExcerpt(Buffer.concat(chunks));
}

/** Omits a character that was cut in two. */
const decodeExcerpt = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });

type FetchOptions = { request: OutboundRequest; policy: UrlPolicy; maxBytes: number; limits: Partial<RequestLimits> };
export type FetchFunction = (input: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

/**
 * Wraps the outbound request as `fetch`, for libraries that send requests of their own. Supports what model providers
 * send: a URL, headers, and a body of text or bytes.
 */
export const asFetch = ({ request, policy, maxBytes, limits }: FetchOptions): FetchFunction =>
  async function guarded(input, init = {}) {
    if (typeof input !== 'string' && !(input instanceof URL)) throw new TypeError('Pass the URL as a string.');
    const { method = 'GET', body, signal } = init;
    if (method !== 'GET' && method !== 'POST') throw new TypeError(`${method} is not sent.`);
    const answer = await request(String(input), {
      policy,
      maxBytes,
      limits,
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(body === undefined || body === null ? {} : { body: fetchBodyOf(body) }),
      ...(signal ? { signal } : {}),
    });
    const { status, headers } = answer;
    return new Response(Readable.toWeb(Readable.from(answer.body)) as ReadableStream, { status, headers });
  };

function fetchBodyOf(body: NonNullable<RequestInit['body']>): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new TypeError('A body is text or bytes.');
}
