/** Connections to checked addresses: look-up, check of every answer, TCP, TLS, and the pool of idle ones. */
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { isIP, createConnection as openTcp, SocketAddress } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, connect as openTls, type SecureContext } from 'node:tls';
import { lruCache } from '../../shared/core/cache.ts';
import { failure, isOutboundFailure, refusal } from './failure.ts';
import { areAllowedIps, type CheckedUrl, hostOf, portOf, type Reach } from './ssrf-policy.ts';
import { type RequestLimits, withTimeout } from './time-limits.ts';

/** Asks the name servers for all addresses of a name, and ties up no thread: a slow name holds nothing else up. */
export type NameLookup = (host: string, signal: AbortSignal) => Promise<string[]>;

/** With one server this ends within the time of a look-up, so that one family that stays silent does not cost the other. */
const RESOLVER_OPTIONS = { timeout: 1_000, tries: 2 };

/** `servers` in place of those that this machine is set up with, which are looked up each time. */
export const nameServerLookup =
  ({ servers }: { servers?: string[] } = {}): NameLookup =>
  async (host, signal) => {
    const resolver = new Resolver(RESOLVER_OPTIONS);
    if (servers) resolver.setServers(servers);
    signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    // IPv4 first: a function on Lambda has no way out over IPv6.
    const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const answers = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    const [first] = families;
    if (answers.length === 0 && first.status === 'rejected') throw first.reason;
    return answers;
  };

/** The three touches of the network: a look-up, a connection, a handshake. Tests bring their own. */
export type RawConnection = Duplex & { remoteAddress?: string | undefined };
export type IpEndpoint = { address: string; port: number };
export type TlsIdentity = { host: string; ca: string | undefined };

export type Network = {
  /** What a stranger names is asked of the name servers; what is ours or the operator's, of the system and its hosts file. */
  resolve(host: string, o: { reach: Reach; signal: AbortSignal }): Promise<string[]>;
  /** To an address, never to a name. */
  connect(place: IpEndpoint, signal: AbortSignal): Promise<RawConnection>;
  secure(wire: RawConnection, identity: TlsIdentity, signal: AbortSignal): Promise<Duplex>;
};

export function systemNetwork({ ask = nameServerLookup() }: { ask?: NameLookup } = {}): Network {
  const contextOf = secureContexts();
  return {
    async resolve(host, { reach, signal }) {
      if (reach === 'public') return ask(host, signal);
      const answers = await lookup(host, { all: true, order: 'verbatim' });
      return answers.map(({ address }) => address);
    },

    connect: ({ address, port }, signal) =>
      waitForEvent(openTcp({ host: address, port, noDelay: true, autoSelectFamily: false }), 'connect', signal),

    secure(wire, { host, ca }, signal) {
      const servername = isIP(host) ? '' : host;
      const trust = { secureContext: contextOf(ca), rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] };
      return waitForEvent(openTls({ socket: wire, host, servername, ...trust }), 'secureConnect', signal);
    },
  };
}

/** Making one costs a millisecond, so that each authority has its own for good. */
function secureContexts() {
  const made = new Map<string | undefined, SecureContext>();
  return (ca: string | undefined): SecureContext => {
    const context = made.get(ca) ?? createSecureContext(ca === undefined ? {} : { ca });
    made.set(ca, context);
    return context;
  };
}

async function waitForEvent<S extends Duplex>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  // Between its users a socket has nobody who listens, and must not take the process down.
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}

/** Kept connections, each behind an agent of its own. One is only ever handed out for the very place it was judged for. */
const IDLE_MS = 4000;
const MAX_IDLE_PER_TARGET = 64;
const MAX_TARGETS = 256;

export type ConnectionPool = { take(place: string): Agent | undefined; release(place: string, line: Agent): void };

/** An agent that knows this one connection and can open no other. */
export const agentOver = (socket: Duplex, isKept: boolean): Agent =>
  Object.assign(new Agent(isKept ? { keepAlive: true, timeout: IDLE_MS } : {}), { createConnection: () => socket });

function isIdle({ freeSockets }: Agent): boolean {
  for (const _ in freeSockets) return true;
  return false;
}

export function connectionPool(): ConnectionPool {
  const idle = lruCache<string, Agent[]>({
    max: MAX_TARGETS,
    onEvict: (kept) => {
      for (const line of kept) line.destroy();
    },
  });

  return {
    take(place) {
      const kept = idle.get(place);
      let line = kept?.pop();
      while (line && !isIdle(line)) line = kept?.pop();
      if (kept?.length === 0) idle.delete(place);
      return line;
    },

    release(place, line) {
      if (!isIdle(line)) return;
      const kept = idle.get(place) ?? [];
      kept.push(line);
      // The oldest are the first that the other end has closed.
      while (kept.length > MAX_IDLE_PER_TARGET) kept.shift()?.destroy();
      idle.set(place, kept);
    },
  };
}

/** The addresses that a host stands for: one look-up, and all of them judged before the first connection. */
export async function resolveAndCheck(
  { url, reach }: CheckedUrl,
  { network, limits, signal }: { network: Network; limits: RequestLimits; signal: AbortSignal },
): Promise<string[]> {
  const host = hostOf(url);
  const answers = isIP(host)
    ? [host]
    : await withTimeout({ ms: limits.resolveMs, fault: 'resolveTime', signal }, (signal) =>
        lookUp(host, network, { reach, signal }),
      );
  if (answers.length === 0) throw failure('resolve');
  if (!areAllowedIps(answers, reach)) throw refusal('answers');
  return answers.map(canonicalIp);
}

const lookUp = (host: string, network: Network, o: { reach: Reach; signal: AbortSignal }): Promise<string[]> =>
  network.resolve(host, o).catch((cause) => {
    throw failure('resolve', cause);
  });

/** The one spelling in which a socket tells its remote address. */
const canonicalIp = (address: string): string =>
  new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;

/** Opens a connection to one of the judged addresses, and makes sure that it is the one it leads to. */
type DialTarget = { url: URL; answers: readonly string[]; ca: string | undefined };
type DialContext = { network: Network; limits: RequestLimits };

export const dial = (call: DialTarget, kit: DialContext & { signal: AbortSignal }): Promise<Duplex> =>
  withTimeout({ ms: kit.limits.connectMs, fault: 'connectTime', signal: kit.signal }, async (signal) => {
    const wire = await connectToOneOf(call, kit, signal);
    signal.addEventListener('abort', () => wire.destroy(), { once: true });
    return call.url.protocol === 'http:' ? wire : startTls(wire, call, kit, signal);
  });

async function connectToOneOf(
  { url, answers }: DialTarget,
  { network, limits }: DialContext,
  signal: AbortSignal,
): Promise<RawConnection> {
  const [address = '', second] = twoCandidates(answers);
  const open = (address: string, signal: AbortSignal) => connectTo({ address, port: portOf(url) }, network, signal);
  if (second === undefined) return open(address, signal);
  try {
    const step = { ms: limits.connectMs / 2, fault: 'connectTime', signal } as const;
    return await withTimeout(step, (signal) => open(address, signal));
  } catch (cause) {
    if (signal.aborted || !isOutboundFailure(cause) || cause.kind === 'refused') throw cause;
    return open(second, signal);
  }
}

/** The resolver's first choice, and one of the other family in case that this machine has no way there. */
function twoCandidates([first = '', ...others]: readonly string[]): string[] {
  const second = others.find((other) => isIP(other) !== isIP(first)) ?? others[0];
  return second === undefined ? [first] : [first, second];
}

async function connectTo(
  place: { address: string; port: number },
  network: Network,
  signal: AbortSignal,
): Promise<RawConnection> {
  const wire = await network.connect(place, signal).catch((cause) => {
    throw failure('connect', cause);
  });
  const { remoteAddress } = wire;
  if (remoteAddress === place.address) return wire;
  wire.destroy();
  // Without one the other end has hung up already.
  throw remoteAddress === undefined ? failure('connect') : refusal('remote');
}

async function startTls(
  wire: RawConnection,
  { url, ca }: DialTarget,
  { network }: DialContext,
  signal: AbortSignal,
): Promise<Duplex> {
  try {
    return await network.secure(wire, { host: hostOf(url), ca }, signal);
  } catch (cause) {
    throw failure('tls', cause);
  }
}
