/** WebSocket connections on one machine, with the limits that API Gateway sets on AWS. */

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import type { Log } from '../../shared/core/log.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { Clock, Ids, Row, Sockets, Table } from '../../shared/ports.ts';
import { SOCKET_LIMITS } from '../../shared/realtime/socket-limits.ts';
import { hasTwoHosts } from './server.ts';

// One WebSocket connection: its messages in order, its time limits, and its send buffer.

/** The handlers of a connection's events. */
type SocketHandlers = {
  message(opened: { id: string; openedAt: number }, text: string): Promise<void>;
  controlFrame(id: string): Promise<void>;
  refuse(id: string, message: string): Promise<void>;
  checkAuthenticated(id: string): Promise<void>;
  closed(id: string): Promise<void>;
};

type Peer = WebSocketServer['clients'] extends Set<infer Each> ? Each : never;
type OpenSocket = ReturnType<typeof openSocket>;

/** Up to this much is sent without waiting; beyond it a message waits until the client reads. */
const BUFFERED_BYTES = 262_144;
/** The number of unhandled messages at which reading pauses. */
const MAX_WAITING = 32;
const CLOSE_MS = 2_000;

/** The close codes of API Gateway, except the policy code: on AWS a server cannot choose it. */
const NORMAL = 1_000;
const GOING_AWAY = 1_001;
const UNSUPPORTED = 1_003;
const POLICY = 1_008;
const TOO_BIG = 1_009;

const GONE = Promise.resolve('gone' as const);
const SENT = Promise.resolve('sent' as const);

type OpenSocketOptions = { id: string; clock: Clock; log: Log; handlers: SocketHandlers };

function openSocket(peer: Peer, { id, clock, log, handlers }: OpenSocketOptions) {
  const openedAt = clock.now();
  const isOpen = () => peer.readyState === peer.OPEN;
  const line = lineOf(peer, (error) => log.error('a connection was not served', { connection: id, error }));
  let lastAt = openedAt;
  let isChecked = false;
  let refusedAs: number | undefined;
  let isEnding = false;

  const alive = (): void => {
    lastAt = clock.now();
  };

  function refuse(code: number, message: string): Promise<void> {
    refusedAs = code;
    return handlers.refuse(id, message);
  }

  /** Stops reading once the connection is ending: each frame that the client sent before would cost a turn of the event loop. */
  function take(work: () => Promise<void>): void {
    alive();
    if (isEnding) peer.pause();
    else line(work);
  }

  function end(code: number, reason?: string): void {
    isEnding = true;
    peer.close(code, reason);
    // A client that is gone does not answer the close frame.
    setTimeout(() => peer.terminate(), CLOSE_MS).unref();
  }

  for (const frame of ['ping', 'pong'] as const) peer.on(frame, () => take(() => handlers.controlFrame(id)));
  peer.on('error', (error) => log.info('a connection broke', { connection: id, error }));
  peer.on('message', (data: Buffer, isBinary) =>
    take(async () => {
      if (isEnding) return;
      if (data.byteLength > SOCKET_LIMITS.messageBytes) await refuse(TOO_BIG, 'A message has at most 32 KB.');
      else if (isBinary) await refuse(UNSUPPORTED, 'Messages are JSON text; binary frames are rejected.');
      else await handlers.message({ id, openedAt }, data.toString('utf8'));
    }),
  );

  return {
    openedAt,
    isOpen,
    end,
    close: (fault?: string) => end(refusedAs ?? (fault === undefined ? NORMAL : POLICY), fault),
    post(message: string): Promise<'sent' | 'gone'> {
      if (!isOpen()) return GONE;
      const { promise, resolve } = Promise.withResolvers<'sent' | 'gone'>();
      peer.send(message, (error) => {
        if (!error) alive();
        resolve(error ? 'gone' : 'sent');
      });
      return peer.bufferedAmount < BUFFERED_BYTES ? SENT : promise;
    },
    /** Closes a connection after its lifetime or idle timeout, or if it has not authenticated in time. */
    look(): void {
      const now = clock.now();
      const isOver = now - openedAt >= SOCKET_LIMITS.lifeMs || now - lastAt >= SOCKET_LIMITS.idleMs;
      if (isOver) end(GOING_AWAY);
      if (isOver || isChecked || now - openedAt < SOCKET_LIMITS.authenticateMs) return;
      isChecked = true;
      line(() => handlers.checkAuthenticated(id));
    },
  };
}

/** Runs the work in order; reading pauses while too much work waits. */
function lineOf(peer: Peer, failed: (error: unknown) => void): (work: () => Promise<void>) => void {
  let last = Promise.resolve();
  let waiting = 0;
  return (work) => {
    waiting++;
    if (waiting >= MAX_WAITING) peer.pause();
    last = last
      .then(work)
      .catch(failed)
      .then(() => {
        waiting--;
        if (waiting === 0 && peer.isPaused && peer.readyState === peer.OPEN) peer.resume();
      });
  };
}

// WebSocket connections on one machine, with the limits that API Gateway sets on AWS.

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

/** A request by the operator's command line, which is another process, for the running product's connections. */
type Order = { connection: string; message?: string; fault?: string };

const PARTITION = 'SOCKET-ORDERS';
/** Orders that no product has carried out by then are dropped. */
const KEPT_MS = MINUTE_MS;
const AT_ONCE = 100;

export function orderedSockets({ table, clock, ids }: { table: Table; clock: Clock; ids: Ids }): Sockets {
  async function order(value: Order): Promise<void> {
    await table.insert<Order>({ pk: PARTITION, sk: ids.uuid(), value, expiresAt: clock.now() + KEPT_MS });
  }
  return {
    async post(connection, message) {
      await order({ connection, message });
      return 'sent';
    },
    isThere: async () => true,
    close: (connection, fault) => order({ connection, ...definedFields({ fault }) }),
  };
}

/** Carries out the orders in the order they were given. */
export async function carryOutOrders(table: Table, sockets: Sockets): Promise<void> {
  const { rows } = await table.rows<Order>(PARTITION, '', { limit: AT_ONCE });
  for (const row of rows) if (await table.remove(row)) await carryOut(row, sockets);
}

async function carryOut({ value: { connection, message, fault } }: Row<Order>, sockets: Sockets): Promise<void> {
  if (message === undefined) await sockets.close(connection, fault);
  else await sockets.post(connection, message);
}
