/** The server of WebSocket connections on one machine, with the limits that API Gateway sets on AWS. */

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import type { Log } from '../../shared/core/log.ts';
import type { Clock, Ids, Sockets } from '../../shared/ports.ts';
import { SOCKET_LIMITS } from '../../shared/realtime/socket-limits.ts';
import { GOING_AWAY, type OpenSocket, openSocket, type SocketHandlers } from './open-socket.ts';
import { hasTwoHosts } from './server.ts';

type SocketServer = {
  sockets: Sockets;
  /** `allowsOrigin` checks the Origin header of browsers; other clients send none. */
  serve(server: Server, o: { path: string; handlers: SocketHandlers; allowsOrigin(origin: string): boolean }): void;
  /** Closes connections whose time is over. */
  look(): void;
  count(): number;
  stop(): void;
};

const MAX_OPEN = 5_000;
/** Connections that are too new to have authenticated. Together they may send no more than one process can handle. */
const MAX_RECENT = 500;
/** A message with more bytes, frames or TCP chunks closes its connection before our handlers see it. */
const MAX_BYTES = 131_072;
const MAX_FRAGMENTS = 128;
const MAX_CHUNKS = 4_096;

type Ports = { clock: Clock; ids: Ids; log: Log };

export function socketServer(ports: Ports): SocketServer {
  const open = new Map<string, OpenSocket>();
  const upgrades = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BYTES,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_CHUNKS,
    perMessageDeflate: false,
    // One frame per turn of the event loop, so that a flood on one connection never holds up everything else.
    allowSynchronousEvents: false,
  });

  function countRecent(): number {
    const from = ports.clock.now() - SOCKET_LIMITS.authenticateMs;
    let recent = 0;
    for (const { openedAt } of open.values()) if (openedAt > from) recent++;
    return recent;
  }

  /** One handshake per turn of the event loop, as for frames: hundreds at once would block it for a tenth of a second. */
  let lastTurn: Promise<unknown> = Promise.resolve();
  function inTurn(handshake: () => void): void {
    lastTurn = lastTurn
      .then(() => nextTurn())
      .then(handshake)
      .catch((error) => ports.log.error('a connection was not opened', { error }));
  }

  return {
    sockets: {
      post: async (id, message) => open.get(id)?.post(message) ?? 'gone',
      isThere: async (id) => open.get(id)?.isOpen() ?? false,
      close: async (id, fault) => open.get(id)?.close(fault),
    },
    serve(server, { path, handlers, allowsOrigin }) {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        socket.on('error', () => socket.destroy());
        if (pathOf(request) !== path) return refuse(socket, '404 Not Found');
        if (hasTwoHosts(request)) return refuse(socket, '400 Bad Request');
        const { origin } = request.headers;
        if (origin !== undefined && !allowsOrigin(origin)) return refuse(socket, '403 Forbidden');
        inTurn(() => {
          if (open.size >= MAX_OPEN || countRecent() >= MAX_RECENT) return refuse(socket, '503 Service Unavailable');
          upgrades.handleUpgrade(request, socket, head, (peer) => {
            const id = ports.ids.uuid();
            open.set(id, openSocket(peer, { ...ports, id, handlers }));
            peer.on('close', () => {
              open.delete(id);
              handlers
                .closed(id)
                .catch((error) => ports.log.error('a closed connection was not removed', { id, error }));
            });
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
