/** A TLS server on this machine that handles each connection as the test says. */
import { createServer as createPlain, type Server, type Socket } from 'node:net';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import { authority, type Pair } from './certificates.ts';

/** Called when the head of a request has arrived; `reset` resets the TCP connection. */
export type Behaviour = (socket: TLSSocket, request: string, reset: () => void) => void;
export type Hostile = { origin: string; connections(): Promise<number>; close(): Promise<void> };

export const trusted = authority('Errand tests');
const honest = trusted.issue({ for: ['127.0.0.1', 'localhost'] });

export function hostileServer(behave: Behaviour, pair: Pair = honest): Promise<Hostile> {
  const wires = new Map<number | undefined, Socket>();
  const server = createTls(pair, (socket) => {
    const reset = () => wires.get(socket.remotePort)?.resetAndDestroy();
    let seen = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      if (!seen.includes('\r\n\r\n')) return;
      behave(socket, seen, reset);
      seen = '';
    });
  });
  server.on('tlsClientError', () => undefined);
  server.on('connection', (wire: Socket) => wires.set(wire.remotePort, wire));
  return openServer(server);
}

/** Accepts TCP connections; only the handler starts TLS. */
export const bareServer = (handle: (socket: Socket) => void): Promise<Hostile> =>
  openServer(createPlain((socket) => handle(socket.on('error', () => undefined).resume())));

async function openServer(server: Server): Promise<Hostile> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    origin: `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    connections: () =>
      new Promise((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n)))),
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes a beginning and then repeats one part for as long as the client reads. */
export function flood(socket: TLSSocket, begin: string, chunk: string): void {
  const bytes = Buffer.from(chunk);
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more).write(begin);
  more();
}

export function drip(socket: TLSSocket, text: string, everyMs: number): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), everyMs);
  socket.on('close', () => clearInterval(timer));
}
