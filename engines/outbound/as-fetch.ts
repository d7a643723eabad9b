/** The way out in the shape of `fetch`, for libraries that bring requests of their own. */
import { Readable } from 'node:stream';
import type { Limits } from './limits.ts';
import type { Request } from './outbound.ts';
import type { Policy } from './policy.ts';

type Options = { request: Request; policy: Policy; maxBytes: number; limits: Partial<Limits> };
export type Fetch = (input: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

/** Takes what model providers send: an address, headers, and a body of text or bytes. */
export const asFetch = ({ request, policy, maxBytes, limits }: Options): Fetch =>
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
      ...(body === undefined || body === null ? {} : { body: bytesOf(body) }),
      ...(signal ? { signal } : {}),
    });
    const { status, headers } = answer;
    return new Response(Readable.toWeb(Readable.from(answer.body)) as ReadableStream, { status, headers });
  };

function bytesOf(body: NonNullable<RequestInit['body']>): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new TypeError('A body is text or bytes.');
}
