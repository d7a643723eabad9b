/** A connection to DynamoDB that loses the first reply of every write, so that the client repeats it. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const WRITES = /\.(PutItem|UpdateItem|DeleteItem)$/;

/** `meanwhile` runs between the write and its repetition. */
export async function replyLosingProxy(to: string, meanwhile: () => Promise<unknown>) {
  const { hostname, port } = new URL(to);
  const forwarded = new Set<string>();

  async function forward(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const { method, headers, url: path } = incoming;
    const onward = request({ hostname, port, method, path, headers }).end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const whole = await text(answer);
    if (WRITES.test(String(headers['x-amz-target'])) && !forwarded.has(body)) {
      forwarded.add(body);
      await meanwhile();
      return void incoming.socket.destroy();
    }
    reply.writeHead(answer.statusCode ?? 0, { 'content-type': 'application/x-amz-json-1.0' }).end(whole);
  }

  const server = createServer((incoming, reply) => void forward(incoming, reply)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
