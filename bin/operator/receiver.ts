/** A receiver of webhooks on this machine: verifies what arrives, tells of it, and answers as a good receiver does. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../shared/ports.ts';
import { verifyWebhook } from '../../shared/webhooks/signing.ts';

export type Arrival = { at: number; path: string; id: string; signatures: string[]; body: string };

type Given = {
  port: number;
  clock: Clock;
  /** Asked anew for each webhook, so that a rotation is seen. */
  secrets(): Promise<string[]>;
  arrived(arrival: Arrival): void;
};

const HOST = '127.0.0.1';
const MOST_BYTES = 10_000_000;

export type LocalReceiver = { port: number; stop(): void };

export async function startReceiver({ port, clock, secrets, arrived }: Given): Promise<LocalReceiver> {
  const receive = async (request: IncomingMessage): Promise<number> => {
    const body = await webhookText(request);
    if (body === undefined) return 413;
    const { headers, url: path = '' } = request;
    const signatures = verifyWebhook(await secrets(), { headers, body, now: clock.now() });
    arrived({ at: clock.now(), path, id: String(headers['webhook-id'] ?? ''), signatures, body });
    return signatures.length > 0 ? 200 : 401;
  };
  const server = createServer((request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  }).listen(port, HOST);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function webhookText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
