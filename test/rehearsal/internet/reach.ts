/** Leads an instance to the rehearsal's internet: the receiver's name resolves to a public address, which connects locally. */
import { promises as dns } from 'node:dns';
import net from 'node:net';
import { RECEIVER, RECEIVER_ADDRESS } from './places.ts';

type Ask = (host: string, ...rest: unknown[]) => Promise<string[]>;

/** Runs before any code of the function is loaded. All other names and addresses are left unchanged. */
export function reachInternet(port: number): void {
  const { resolve4, resolve6 } = dns.Resolver.prototype;
  const answers = (ask: unknown, known: string[]) =>
    async function (this: unknown, host: string, ...rest: unknown[]) {
      return host === RECEIVER ? known : (ask as Ask).call(this, host, ...rest);
    };
  Object.assign(dns.Resolver.prototype, {
    resolve4: answers(resolve4, [RECEIVER_ADDRESS]),
    resolve6: answers(resolve6, []),
  });

  const { createConnection } = net;
  net.createConnection = ((options: net.TcpNetConnectOpts, ...rest: []) => {
    if (options.host !== RECEIVER_ADDRESS) return createConnection(options, ...rest);
    const socket = createConnection({ ...options, host: '127.0.0.1', port }, ...rest);
    // The product checks the address again on the open connection.
    return Object.defineProperty(socket, 'remoteAddress', { value: RECEIVER_ADDRESS });
  }) as typeof createConnection;
}
