/** Webhook receivers on this machine: a good one that records requests, and misbehaving ones. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';

export type Arrived = { path: string; headers: IncomingHttpHeaders; body: string };
type Answer = (arrived: Arrived, response: ServerResponse) => void;

const ok: Answer = (_, response) => void response.end();

export async function receiver(answer: Answer = ok) {
  const arrived: Arrived[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url: path = '', headers } = request;
    const arrival = { path, headers, body: Buffer.concat(chunks).toString('utf8') };
    arrived.push(arrival);
    answer(arrival, response);
  });
  server.on('connection', (socket) => sockets.add(socket));
  const { origin, port } = await listening(server);
  return {
    origin,
    port,
    arrived,
    connections: () => sockets.size,
    close: () => closed(server, sockets),
  };
}

/** Accepts connections; only the handler decides what is sent. */
export async function bareReceiver(handle: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    handle(socket.on('error', () => undefined).resume());
  });
  return { ...(await listening(server)), connections: () => sockets.size, close: () => closed(server, sockets) };
}

async function listening(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port };
}

async function closed(server: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
}
