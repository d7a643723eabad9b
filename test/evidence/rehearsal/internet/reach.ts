/** Leads an instance to the rehearsal's internet: its names resolve to a public address, which connects locally. */
import { promises as dns } from 'node:dns';
import net from 'node:net';
import { MODEL_SERVER, PUBLIC_ADDRESS, RECEIVER } from './places.ts';

const NAMES: ReadonlySet<string> = new Set([RECEIVER, MODEL_SERVER]);

type Ask = (host: string, ...rest: unknown[]) => Promise<unknown[]>;

/** Runs before any code of the function is loaded. All other names and addresses are left unchanged. */
export function reachInternet(port: number): void {
  const { resolve4, resolve6 } = dns.Resolver.prototype;
  const answers = (ask: unknown, known: unknown[]) =>
    async function (this: unknown, host: string, ...rest: unknown[]) {
      return NAMES.has(host) ? known : (ask as Ask).call(this, host, ...rest);
    };
  Object.assign(dns.Resolver.prototype, {
    resolve4: answers(resolve4, [PUBLIC_ADDRESS]),
    resolve6: answers(resolve6, []),
  });
  // Names that the operator sets are looked up as the machine does.
  const { lookup } = dns;
  Object.assign(dns, { lookup: answers(lookup, [{ address: PUBLIC_ADDRESS, family: 4 }]) });

  const { createConnection } = net;
  net.createConnection = ((options: net.TcpNetConnectOpts, ...rest: []) => {
    if (options.host !== PUBLIC_ADDRESS) return createConnection(options, ...rest);
    const socket = createConnection({ ...options, host: '127.0.0.1', port }, ...rest);
    // The product checks the address again on the open connection.
    return Object.defineProperty(socket, 'remoteAddress', { value: PUBLIC_ADDRESS });
  }) as typeof createConnection;
}
