/** A simulated network: records every DNS query and connection, and answers requests from a script. */
import { duplexPair } from 'node:stream';
import type { Network } from '../../../engines/outbound/connection-pool.ts';

export const PUBLIC = '93.184.215.14';

export type Paper = {
  /** By host: the answers of the first query, of the second, and so on; the last ones repeat. */
  dns?: Record<string, string[][] | 'SERVFAIL' | 'TIMEOUT'>;
  /** The answers to the first request, the second, and so on; then empty 200s, or none if it falls silent. */
  replies?: string[];
  fallsSilent?: boolean;
  /** The remote address that a connection reports. */
  remoteOf?: (address: string) => string | undefined;
  refusesConnections?: (address: string) => boolean;
};

type RawConnection = Parameters<Network['secure']>[0];
type TlsIdentity = Parameters<Network['secure']>[1];

export type Notes = {
  lookUps: string[];
  connected: string[];
  identities: TlsIdentity[];
  requests: string[];
  wires: RawConnection[];
};

export const reply = (status: number, headers: Record<string, string> = {}, body = ''): string => {
  const lines = Object.entries({ 'content-length': body.length, ...headers }).map((pair) => pair.join(': '));
  return `HTTP/1.1 ${status} Paper\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
};

export function paper({
  dns,
  replies = [],
  fallsSilent,
  remoteOf,
  refusesConnections,
}: Paper = {}): Network & { notes: Notes } {
  const notes: Notes = { lookUps: [], connected: [], identities: [], requests: [], wires: [] };
  const script = [...replies];

  return {
    notes,
    async resolve(host) {
      const nth = notes.lookUps.filter((other) => other === host).length;
      notes.lookUps.push(host);
      const answers = dns ? dns[host] : [[PUBLIC]];
      if (answers === 'TIMEOUT') return new Promise(() => undefined);
      if (answers === 'SERVFAIL' || !answers) throw new Error('queryA ESERVFAIL');
      return answers[nth] ?? answers.at(-1) ?? [];
    },
    async connect({ address }) {
      notes.connected.push(address);
      if (refusesConnections?.(address)) throw new Error('connect ECONNREFUSED');
      const opened = wire(remoteOf ? remoteOf(address) : address, (request) => {
        notes.requests.push(request);
        return script.shift() ?? (fallsSilent ? '' : reply(200));
      });
      notes.wires.push(opened);
      return opened;
    },
    async secure(wire, identity) {
      notes.identities.push(identity);
      return wire;
    },
  };
}

/** Serves one request after the other; the simulation needs no other behaviour of sockets. */
function wire(remoteAddress: string | undefined, answer: (request: string) => string): RawConnection {
  const [near, far] = duplexPair();
  const nothing = () => near;
  const destroySoon = () => near.destroy();
  let seen = '';
  far
    .on('error', () => undefined)
    .on('data', (chunk) => {
      seen += chunk.toString('latin1');
      const end = seen.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(seen)?.[1] ?? 0);
      if (end < 0 || seen.length < end + 4 + length) return;
      const request = seen;
      seen = '';
      far.write(answer(request), 'latin1');
    });
  return Object.assign(near, {
    remoteAddress,
    destroySoon,
    setKeepAlive: nothing,
    setTimeout: nothing,
    ref: nothing,
    unref: nothing,
  });
}
