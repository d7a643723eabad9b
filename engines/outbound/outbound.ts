/** The only way out of the product: a request to an address that was judged, over a connection to just that address. */
import type { Bytes } from '../../shared/ports.ts';
import { type PooledResponse, type RequestContext, sendOnce } from './attempt.ts';
import { readBody } from './body.ts';
import type { RequestMessage } from './exchange.ts';
import { failure, refusal } from './failure.ts';
import { headersOf } from './header-text.ts';
import { checkUrl } from './judge-address.ts';
import { startLifetime } from './life.ts';
import { REQUEST_LIMITS, type RequestLimits } from './limits.ts';
import { connectionPool } from './lines.ts';
import type { UrlPolicy } from './policy.ts';
import { messageForRedirect, redirectUrl } from './redirect.ts';
import { type Network, systemNetwork } from './wire.ts';

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
