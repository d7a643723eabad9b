/** Hostile HTTP against the local product's server: never a 5xx, never a hang. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serve } from '../../../adapters/local/server.ts';
import type { HttpRequestMessage } from '../../../functions/http/route.ts';

let server: Server;
let seen: HttpRequestMessage[];
let faults: unknown[];

beforeEach(async () => {
  seen = [];
  faults = [];
  server = await serve({
    port: 0,
    onFault: (fault) => faults.push(fault),
    async dispatch(incoming) {
      seen.push(incoming);
      if (incoming.path === '/broken') throw new Error('inside');
      return { status: 200, headers: { 'x-a': 'b' }, body: 'ok' };
    },
  });
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const port = () => (server.address() as AddressInfo).port;

async function send(bytes: string): Promise<string> {
  const socket = connect(port(), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

const request = (head: string, body = '') => `${head}\r\nhost: a\r\nconnection: close\r\n\r\n${body}`;

it('passes the parts of a request to the dispatcher', async () => {
  const reply = await send(
    request('POST /a%20b?x=1&x=2?y HTTP/1.1\r\nX-Two: 1\r\nx-two: 2\r\ncontent-length: 4', 'body'),
  );
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\nx-a: b\r\ncontent-length: 2\r\n/);
  const [{ body, query, ...rest } = {} as HttpRequestMessage] = seen;
  expect(rest).toMatchObject({
    method: 'POST',
    path: '/a%20b',
    sourceAddress: '127.0.0.1',
    headers: { 'x-two': '1, 2' },
  });
  expect([Buffer.from(body).toString(), [...query]]).toEqual([
    'body',
    [
      ['x', '1'],
      ['x', '2?y'],
    ],
  ]);
});

it.each([
  ['no HTTP at all', 'hello there\r\n\r\n', 400],
  ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001', 400],
  ['an unknown method', request('BREW / HTTP/1.1'), 400],
  ['a broken header', 'GET / HTTP/1.1\r\nhost a\r\n\r\n', 400],
  ['two lengths', request('POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2', 'ab'), 400],
  [
    'a length and chunks',
    request('POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked', '0\r\n\r\n'),
    400,
  ],
  ['a broken chunk', request('POST / HTTP/1.1\r\ntransfer-encoding: chunked', 'zz\r\n'), 400],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\nconnection: close\r\n\r\n', 400],
  ['huge headers', request(`GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}`), 431],
  ['a huge address', request(`GET /${'a'.repeat(20_000)} HTTP/1.1`), 431],
])('answers %s with %s', async (_what, bytes, status) => {
  const reply = await send(bytes);
  expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(reply).toMatch(/\r\n\r\n\{"message":"[^"]+"\}$/);
  expect(faults).toEqual([]);
});

it('refuses a body over the limit of the gateway, with the reason', async () => {
  const reply = await send(request('POST / HTTP/1.1\r\ncontent-length: 10485761', 'x'.repeat(10_485_761)));
  expect(reply).toMatch(/^HTTP\/1\.1 413 /);
  expect(seen).toEqual([]);
});

it('survives a caller that disconnects in the middle of a body', async () => {
  const socket = connect(port(), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf');
  await once(server, 'request');
  socket.destroy();
  expect(await send(request('GET / HTTP/1.1'))).toContain('ok');
  expect(faults).toEqual([]);
});

it('reveals no internals in an internal error', async () => {
  const reply = await send(request('GET /broken HTTP/1.1'));
  expect(reply).toMatch(/^HTTP\/1\.1 500 /);
  expect(reply).not.toContain('inside');
  expect(faults).toEqual([new Error('inside')]);
});

it('answers HEAD like GET, without the body', async () => {
  const reply = await send(request('HEAD /a HTTP/1.1'));
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\nx-a: b\r\ncontent-length: 2\r\n/);
  expect(reply).toMatch(/\r\n\r\n$/);
  expect(seen).toMatchObject([{ method: 'HEAD', path: '/a' }]);
});

it('closes a connection whose headers are incomplete after 15 seconds, even if bytes keep arriving', {
  timeout: 25_000,
}, async () => {
  const from = Date.now();
  const socket = connect(port(), '127.0.0.1')
    .on('error', () => undefined)
    .resume();
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n');
  const dripping = setInterval(() => socket.write('x-a: b\r\n'), 1_000);
  await once(socket, 'close');
  clearInterval(dripping);
  expect(Date.now() - from).toBeLessThan(15_000);
  expect(seen).toEqual([]);
});
