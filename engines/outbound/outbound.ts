/** The only way out of the product: a request to an address that was judged, over a connection to just that address. */
import type { Bytes } from '../../shared/ports.ts';
import { attempt, type Kit, type Reply } from './attempt.ts';
import { bodyOf } from './body.ts';
import type { Message } from './exchange.ts';
import { failed, refused } from './failure.ts';
import { headersOf } from './header-text.ts';
import { judgeAddress } from './judge-address.ts';
import { lifeOf } from './life.ts';
import { LIMITS, type Limits } from './limits.ts';
import { lines } from './lines.ts';
import type { Policy } from './policy.ts';
import { messageFor, nextAddress } from './redirect.ts';
import { type Network, network } from './wire.ts';

export type Ask = {
  policy: Policy;
  /** Of the body, as it comes over the wire. */
  maxBytes: number;
  method?: Message['method'];
  headers?: Record<string, string>;
  body?: Uint8Array | string;
  limits?: Partial<Limits>;
  /** How many are followed at most; with none a redirect is an answer like any other. */
  redirects?: number;
  /** Keeps the connection for the next request to the same judged place. Only for what may arrive twice. */
  keepAlive?: boolean;
  signal?: AbortSignal;
};

export type Answer = {
  status: number;
  headers: Record<string, string>;
  /** Where the answer came from, behind all redirects. */
  url: string;
  body: Bytes;
  /** For whoever does not read the body to its end. */
  cancel(): void;
};

/** Rejects with an OutboundFailure, or with the reason of the caller's own signal; so does reading the body. */
export type Request = (address: string, ask: Ask) => Promise<Answer>;

export function outbound({ limits, ...own }: Partial<Network> & { limits?: Partial<Limits> } = {}): Request {
  const kit = { network: { ...network(), ...own }, lines: lines() };

  return async function request(address, ask) {
    const agreed: Limits = { ...LIMITS, ...limits, ...ask.limits };
    const life = lifeOf(agreed.totalMs, ask.signal);
    try {
      const { reply, url } = await followed(address, ask, { ...kit, limits: agreed, signal: life.signal });
      const { response } = reply;
      const cancel = () => {
        response.destroy();
        life.end();
      };
      life.signal.addEventListener('abort', () => response.destroy(life.signal.reason), { once: true });
      const body = bodyOf(reply, { maxBytes: ask.maxBytes, idleMs: agreed.idleMs }, life);
      return { status: response.statusCode ?? 0, headers: headersOf(response.headers), url: url.href, body, cancel };
    } catch (cause) {
      life.end();
      throw cause;
    }
  };
}

async function followed(address: string, ask: Ask, kit: Kit): Promise<{ reply: Reply; url: URL }> {
  const { policy, redirects = 0, keepAlive = false } = ask;
  let message: Message = { method: ask.method ?? 'GET', headers: ask.headers ?? {}, body: ask.body };
  let here = address;
  for (let hops = 0; ; hops++) {
    const target = judgeAddress(here, policy);
    if (!target.ok) throw refused(target.reason);
    const reply = await attempt({ target, message, keepAlive, ca: policy.ca }, kit);
    const next = redirects > 0 ? nextAddress(target.url, message.method, reply.response) : undefined;
    if (next === undefined) return { reply, url: target.url };
    reply.response.destroy();
    if (hops === redirects) throw failed('redirects');
    message = messageFor(next, target.url, message);
    here = next;
  }
}
