/** WebSocket connections on one machine, with the limits that API Gateway sets in the cloud. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Log } from '../shared/core/log.ts';
import type { Clock, Ids, Sockets } from '../shared/ports.ts';
import { GOING_AWAY, type OpenSocket, openSocket, type SocketHandlers } from './open-socket.ts';

export type SocketServer = {
  sockets: Sockets;
  serve(server: Server, o: { path: string; handlers: SocketHandlers }): void;
  /** Ends those whose time is over. */
  look(): void;
  count(): number;
  stop(): void;
};

const MOST_OPEN = 5_000;
/** A longer message ends its connection before anything of ours sees it. */
const MOST_BYTES = 4_194_304;

type Ports = { clock: Clock; ids: Ids; log: Log };

export function socketServer(ports: Ports): SocketServer {
  const open = new Map<string, OpenSocket>();
  const upgrades = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES, perMessageDeflate: false });

  return {
    sockets: {
      post: async (id, message) => open.get(id)?.post(message) ?? 'gone',
      isThere: async (id) => open.get(id)?.isOpen() ?? false,
      close: async (id, fault) => open.get(id)?.close(fault),
    },
    serve(server, { path, handlers }) {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        socket.on('error', () => socket.destroy());
        if (pathOf(request) !== path) return refuse(socket, '404 Not Found');
        if (open.size >= MOST_OPEN) return refuse(socket, '503 Service Unavailable');
        upgrades.handleUpgrade(request, socket, head, (peer) => {
          const id = ports.ids.uuid();
          open.set(id, openSocket(peer, { ...ports, id, handlers }));
          peer.on('close', () => {
            open.delete(id);
            handlers.closed(id).catch((error) => ports.log.error('a connection was not forgotten', { id, error }));
          });
        });
      });
    },
    look() {
      for (const connection of open.values()) connection.look();
    },
    count: () => open.size,
    stop() {
      for (const connection of open.values()) connection.end(GOING_AWAY);
    },
  };
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

function refuse(socket: Duplex, line: string): void {
  const body = JSON.stringify({ message: line.slice(4) });
  const head = `connection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  socket.end(`HTTP/1.1 ${line}\r\n${head}\r\n\r\n${body}`);
}
