/** Connections to checked addresses: DNS lookup, check of every answer, TCP, TLS, and the pool of idle connections. */
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import type { Agent } from 'node:http';
import { isIP, createConnection as openTcp, SocketAddress } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, connect as openTls, type SecureContext } from 'node:tls';
import { lruCache } from '../../shared/core/cache.ts';
import { isOutboundFailure, outboundFailure, outboundRefusal } from './failure.ts';
import { type RequestLimits, withTimeout } from './request-timeouts.ts';
import { areAllowedIps, type CheckedUrl, hostOf, portOf, type Reach } from './ssrf-policy.ts';

// Not imported, for the reason in request.ts.
const { Agent: HttpAgent } = process.getBuiltinModule('node:http');

/**
 * Resolves a name to all of its addresses with the name servers. Unlike `dns.lookup`, it occupies no thread, so a slow
 * name delays nothing else.
 */
type NameLookup = (host: string, signal: AbortSignal) => Promise<string[]>;

/**
 * With one name server, this ends within the lookup timeout: if one address family gets no answer, the answers of the
 * other still count.
 */
const RESOLVER_OPTIONS = { timeout: 1_000, tries: 2 };

/** Uses `servers` instead of those that the machine is configured with, which are read again for each lookup. */
export const nameServerLookup =
  ({ servers }: { servers?: string[] } = {}): NameLookup =>
  async (host, signal) => {
    const resolver = new Resolver(RESOLVER_OPTIONS);
    if (servers) resolver.setServers(servers);
    signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    // IPv4 first: a Lambda function has no route out over IPv6.
    const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const answers = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    const [first] = families;
    if (answers.length === 0 && first.status === 'rejected') throw first.reason;
    return answers;
  };

/** The three network operations: lookup, connection, TLS handshake. Tests replace them. */
type RawConnection = Duplex & { remoteAddress?: string | undefined };
type IpEndpoint = { address: string; port: number };
type TlsIdentity = { host: string; ca: string | undefined };

export type Network = {
  /**
   * Callers' hosts are resolved by the name servers. The product's and the operator's hosts are resolved by the system,
   * including its hosts file.
   */
  resolve(host: string, o: { reach: Reach; signal: AbortSignal }): Promise<string[]>;
  /** Connects to an IP address, never to a name. */
  connect(endpoint: IpEndpoint, signal: AbortSignal): Promise<RawConnection>;
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

/** Creating a context takes a millisecond, so each certificate authority keeps one for the life of the process. */
function secureContexts() {
  const contexts = new Map<string | undefined, SecureContext>();
  return (ca: string | undefined): SecureContext => {
    const context = contexts.get(ca) ?? createSecureContext(ca === undefined ? {} : { ca });
    contexts.set(ca, context);
    return context;
  };
}

async function waitForEvent<S extends Duplex>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  // Between two uses a socket has no error listener; without this one, an error would end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}

const IDLE_MS = 4000;
const MAX_IDLE_PER_TARGET = 64;
const MAX_TARGETS = 256;

export type ConnectionPool = { take(place: string): Agent | undefined; release(place: string, line: Agent): void };

/** An agent that uses this one connection and cannot open another. */
export const agentOver = (socket: Duplex, isKept: boolean): Agent =>
  Object.assign(new HttpAgent(isKept ? { keepAlive: true, timeout: IDLE_MS } : {}), {
    createConnection: () => socket,
  });

function isIdle({ freeSockets }: Agent): boolean {
  for (const _ in freeSockets) return true;
  return false;
}

/**
 * The pool of idle connections, each with an agent of its own. A connection is only reused for the target that it was
 * checked for.
 */
export function connectionPool(): ConnectionPool {
  const idle = lruCache<string, Agent[]>({
    max: MAX_TARGETS,
    onEvict: (agents) => {
      for (const line of agents) line.destroy();
    },
  });

  return {
    take(place) {
      const agents = idle.get(place);
      let line = agents?.pop();
      while (line && !isIdle(line)) line = agents?.pop();
      if (agents?.length === 0) idle.delete(place);
      return line;
    },

    release(place, line) {
      if (!isIdle(line)) return;
      const agents = idle.get(place) ?? [];
      agents.push(line);
      // Drops the oldest: the other end closes those first.
      while (agents.length > MAX_IDLE_PER_TARGET) agents.shift()?.destroy();
      idle.set(place, agents);
    },
  };
}

/** Resolves a host with one lookup and checks all of its addresses before the first connection. */
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
  if (answers.length === 0) throw outboundFailure('resolve');
  if (!areAllowedIps(answers, reach)) throw outboundRefusal('answers');
  return answers.map(canonicalIp);
}

const lookUp = (host: string, network: Network, o: { reach: Reach; signal: AbortSignal }): Promise<string[]> =>
  network.resolve(host, o).catch((cause) => {
    throw outboundFailure('resolve', cause);
  });

/** Normalizes an address to the spelling that sockets report as their remote address. IPv4 has only this one. */
const canonicalIp = (address: string): string =>
  isIP(address) === 4 ? address : new SocketAddress({ address, family: 'ipv6' }).address;

type DialTarget = { url: URL; answers: readonly string[]; ca: string | undefined };
type DialContext = { network: Network; limits: RequestLimits };

/** Connects to one of the checked addresses and verifies that the socket's remote address is that one. */
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

/**
 * Picks the resolver's first choice, and if possible one of the other family, as this machine may have no route for the
 * first.
 */
function twoCandidates([first = '', ...further]: readonly string[]): string[] {
  const second = further.find((address) => isIP(address) !== isIP(first)) ?? further[0];
  return second === undefined ? [first] : [first, second];
}

async function connectTo(
  place: { address: string; port: number },
  network: Network,
  signal: AbortSignal,
): Promise<RawConnection> {
  const wire = await network.connect(place, signal).catch((cause) => {
    throw outboundFailure('connect', cause);
  });
  const { remoteAddress } = wire;
  if (remoteAddress === place.address) return wire;
  wire.destroy();
  // Without a remote address, the other end has already closed the connection.
  throw remoteAddress === undefined ? outboundFailure('connect') : outboundRefusal('remote');
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
    throw outboundFailure('tls', cause);
  }
}
