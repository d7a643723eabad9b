/** The way out in the shape of `fetch`, for libraries that bring requests of their own. */
import { Readable } from 'node:stream';
import type { RequestLimits } from './limits.ts';
import type { OutboundRequest } from './outbound.ts';
import type { UrlPolicy } from './policy.ts';

type FetchOptions = { request: OutboundRequest; policy: UrlPolicy; maxBytes: number; limits: Partial<RequestLimits> };
export type FetchFunction = (input: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

/** Takes what model providers send: an address, headers, and a body of text or bytes. */
export const asFetch = ({ request, policy, maxBytes, limits }: FetchOptions): FetchFunction =>
  async function guarded(input, init = {}) {
    if (typeof input !== 'string' && !(input instanceof URL)) throw new TypeError('Give the address as text.');
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
