/** Receives the webhooks of a load on this machine, so that none leaves it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Receiver = { endpoint: string; stop(): void };

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/finished`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
