/** Limits of a WebSocket client: messages per connection, connections without authentication, permitted origins. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { socketServer } from '../../../adapters/local/websocket.ts';
import { messageBudgets } from '../../../shared/realtime/message-budgets.ts';
import { SOCKET_LIMITS } from '../../../shared/realtime/socket-limits.ts';
import { setClock } from '../../ports/clock.ts';
import type { SocketSetup } from './setup.ts';
import { error, withClients } from './with-clients.ts';

const { at: opened, open, authenticated, places } = withClients();
let at: SocketSetup;
beforeEach(() => {
  at = opened();
});

const { unauthenticatedMessages, messages } = SOCKET_LIMITS;
const PONG = { type: 'pong' };

/** A client that implements the protocol itself, so that it can send any frame and any origin. */
async function rawClient(o: { origin?: string } = {}): Promise<WebSocket> {
  const socket = new WebSocket(`${at.wsUrl}/ws/tasks`, o);
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (_, { statusCode }) => reject(new Error(String(statusCode))));
    socket.once('error', reject);
  });
  return socket;
}

async function closing(socket: WebSocket): Promise<string> {
  const [code, reason] = await once(
    socket.on('error', () => undefined),
    'close',
  );
  return `${code} ${reason}`;
}

describe('the messages of a connection', () => {
  it('are answered up to its budget, and the next one gets an error and closes the connection', async () => {
    const client = await open();
    for (let n = 0; n < 2 * unauthenticatedMessages.burst; n++) client.send({ type: 'ping' });
    expect(await client.closed()).toEqual({ code: 1_008, reason: 'RATE_LIMIT_EXCEEDED' });
    expect(client.messages).toEqual([
      ...Array.from({ length: unauthenticatedMessages.burst }, () => PONG),
      error('RATE_LIMIT_EXCEEDED'),
    ]);
  });

  it('have a larger budget once it has authenticated', async () => {
    const client = await authenticated();
    for (let n = 1; n < messages.burst; n++) client.send({ type: 'ping' });
    await vi.waitFor(() => expect(client.messages).toHaveLength(messages.burst));
    expect(client.messages.slice(1).every(({ type }) => type === 'pong')).toBe(true);
    client.send({ type: 'ping' });
    expect(await client.closed()).toEqual({ code: 1_008, reason: 'RATE_LIMIT_EXCEEDED' });
    await vi.waitFor(async () => expect(await places()).toBe(0));
  });

  it('are allowed again as time passes', async () => {
    const client = await open();
    for (let second = 0; second < 8; second++) {
      for (let n = 0; n < unauthenticatedMessages.perSecond; n++) client.send({ type: 'ping' });
      await vi.waitFor(() => expect(client.messages).toHaveLength((second + 1) * unauthenticatedMessages.perSecond));
      at.clock.pass(1_000);
    }
    expect(client.isClosed()).toBe(false);
  });

  it('count whatever they contain, even if the WebSocket protocol itself answers them', async () => {
    const floods: [string, (socket: WebSocket) => void][] = [
      ['no JSON', (socket) => socket.send('no JSON')],
      ['protocol pings', (socket) => socket.ping()],
      ['protocol pongs', (socket) => socket.pong()],
    ];
    for (const [name, send] of floods) {
      const socket = await rawClient();
      for (let n = 0; n <= unauthenticatedMessages.burst; n++) send(socket);
      expect([name, await closing(socket)]).toEqual([name, '1008 RATE_LIMIT_EXCEEDED']);
    }
  });

  it('are not read after the one that closed it', async () => {
    const socket = await rawClient();
    for (let n = 0; n < 20; n++) socket.send(new Uint8Array(10));
    const heard: unknown[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data))));
    expect(await closing(socket)).toBe('1003 INVALID_MESSAGE');
    expect(heard).toEqual([error('INVALID_MESSAGE')]);
  });

  it('may have at most 128 frames each', async () => {
    const socket = await rawClient();
    for (let n = 0; n < 200; n++) socket.send('', { fin: false });
    expect(await closing(socket)).toMatch(/^1008 /);
  });

  it('let the event loop turn between two that arrive in one chunk', async () => {
    const turns: number[] = [];
    const bothHandled = Promise.withResolvers<void>();
    const none = async () => undefined;
    const handlers = { controlFrame: none, refuse: none, checkAuthenticated: none, closed: none };
    const http = createServer();
    const sockets = socketServer(at);
    sockets.serve(http, {
      path: '/ws',
      allowsOrigin: () => true,
      handlers: { ...handlers, message: async () => void (turns.push(turn) === 10 && bothHandled.resolve()) },
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    let turn = 0;
    let isOver = false;
    const go = () => {
      turn++;
      if (!isOver) setImmediate(go);
    };
    go();
    const socket = connect((http.address() as AddressInfo).port, '127.0.0.1');
    socket.write(upgradeRequest('/ws'));
    await once(socket, 'data');
    // A text of one character, ten times in one write.
    socket.write(Buffer.concat(Array.from({ length: 10 }, () => Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]))));
    await bothHandled.promise;
    isOver = true;
    socket.destroy();
    http.close();
    expect(new Set(turns).size).toBe(10);
  });
});

describe('a budget', () => {
  it('is read once per connection, and only by one that needs the larger budget', async () => {
    const clock = setClock();
    const lookups: string[] = [];
    const { take } = messageBudgets(clock, async (id) => lookups.push(id) > 0 && id === 'known');
    const takeTimes = async (id: string, times: number) => {
      const outcomes: string[] = [];
      for (let time = 0; time < times; time++) outcomes.push(await take(id));
      return Object.groupBy(outcomes, (outcome) => outcome);
    };
    const { burst } = unauthenticatedMessages;
    expect(Object.keys(await takeTimes('quiet', burst))).toEqual(['ok']);
    expect(lookups).toEqual([]);
    expect(await takeTimes('stranger', burst + 5)).toMatchObject({
      justSpent: [expect.any(String)],
      spent: { length: 4 },
    });
    expect((await takeTimes('known', messages.burst + 5)).ok).toHaveLength(messages.burst);
    expect(lookups).toEqual(['stranger', 'known']);
    clock.pass(60_000);
    expect(Object.keys(await takeTimes('stranger', 1))).toEqual(['spent']);
  });
});

describe('a new connection', () => {
  it.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
    'is refused from a page of %s',
    async (origin) => {
      await expect(rawClient({ origin })).rejects.toThrow('403');
    },
  );

  it.each(['http://localhost:5173', 'http://127.0.0.1:4000', undefined])('is accepted from %s', async (origin) => {
    const socket = await rawClient(origin === undefined ? {} : { origin });
    socket.send('{"type":"ping"}');
    expect(String((await once(socket, 'message'))[0])).toBe('{"type":"pong"}');
    socket.terminate();
  });

  it('is refused for a request with two Host headers', async () => {
    const { port } = new URL(at.wsUrl);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(upgradeRequest('/ws/tasks').replace('host: a', 'host: a\r\nhost: b'));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  it('is refused while 500 others have yet to authenticate, and accepted after their ten seconds', async () => {
    const many = await Promise.all(Array.from({ length: 500 }, () => rawClient()));
    await expect(rawClient()).rejects.toThrow('503');
    at.clock.pass(SOCKET_LIMITS.authenticateMs);
    (await rawClient()).terminate();
    for (const socket of many) socket.terminate();
  });
});

const upgradeRequest = (path: string) =>
  `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n` +
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
