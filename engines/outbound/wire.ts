/** The three touches of the network: a look-up, a connection, a handshake. Tests bring their own. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP, createConnection as openTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, connect as openTls, type SecureContext } from 'node:tls';
import type { Reach } from './judge-address.ts';
import { type NameLookup, nameServerLookup } from './name-servers.ts';

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
