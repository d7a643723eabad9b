/** Hostile servers over real TLS: each request ends within its limit, and no connection stays open. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { RequestOptions } from '../../../engines/outbound/request.ts';
import { authority, type Pair } from './certificates.ts';
import type { Guard } from './guard.ts';
import { type Behaviour, bareServer, drip, flood, type Hostile, hostileServer, trusted } from './hostile-server.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { reply } from './paper.ts';
import type { Scenario } from './scenario.ts';

const HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;
const SOON = 120;
/** Random bytes as a whole would begin like a TLS record once in about 750 times, of which the client awaits the rest. */
const NOISE = Buffer.concat([Buffer.from('noise'), randomBytes(495)]);
const ZIPPED = gzipSync(Buffer.alloc(20_000_000)).toString('latin1');

type Case = {
  server: string;
  serve: () => Promise<Hostile>;
  ends: Partial<Outcome>;
  limits?: RequestOptions['limits'];
};

const says =
  (text: string): Behaviour =>
  (socket) =>
    socket.write(Buffer.from(text, 'latin1'));
const ends =
  (text: string): Behaviour =>
  (socket) =>
    socket.end(text);
const tls = (behave: Behaviour, pair?: Pair) => () => hostileServer(behave, pair);
const failure = (reason: string) => ({ kind: 'failed', reason });

const CASES: readonly Case[] = [
  { server: 'never answers', serve: tls(() => undefined), limits: { headersMs: SOON }, ends: failure('headersTime') },
  {
    server: 'drips its headers',
    serve: tls((socket) => drip(socket, `${HEAD}${'x-a: b\r\n'.repeat(1000)}`, 5)),
    limits: { headersMs: SOON },
    ends: failure('headersTime'),
  },
  {
    server: 'puts its answer off for ever',
    serve: tls((socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n', 1)),
    limits: { headersMs: SOON },
    ends: failure('headersTime'),
  },
  {
    server: 'drips its body',
    serve: tls((socket) => {
      socket.write(`${HEAD}\r\n`);
      drip(socket, 'x', 5);
    }),
    limits: { totalMs: 3 * SOON },
    ends: failure('totalTime'),
  },
  {
    server: 'falls silent in its body',
    serve: tls(says(`${CHUNKED}5\r\nbegin\r\n`)),
    limits: { idleMs: SOON },
    ends: failure('idleTime'),
  },
  {
    server: 'sends less than it announced',
    serve: tls(ends(reply(200, { 'content-length': '9' }, 'short'))),
    ends: failure('broken'),
  },
  { server: 'sends more than it announced', serve: tls(says(`${reply(200, {}, 'x')}more`)), ends: failure('broken') },
  { server: 'breaks off a chunk', serve: tls(ends(`${CHUNKED}ff\r\nbegin`)), ends: failure('broken') },
  {
    server: 'sends chunks without end',
    serve: tls((socket) => flood(socket, CHUNKED, `4000\r\n${'x'.repeat(0x4000)}\r\n`)),
    ends: failure('tooLarge'),
  },
  {
    server: 'announces more than is wanted',
    serve: tls(says(`${HEAD}content-length: 99999999999\r\n\r\n`)),
    ends: failure('tooLarge'),
  },
  {
    server: 'sends headers without end',
    serve: tls((socket) => flood(socket, HEAD, `x-a: ${'b'.repeat(1000)}\r\n`)),
    ends: failure('broken'),
  },
  {
    server: 'sends one header without end',
    serve: tls((socket) => flood(socket, `${HEAD}x-a: `, 'b'.repeat(1000))),
    ends: failure('broken'),
  },
  {
    server: 'decorates a chunk without end',
    serve: tls((socket) => flood(socket, `${CHUNKED}5;`, 'a=b;'.repeat(200))),
    ends: failure('broken'),
  },
  {
    server: 'sends trailers without end',
    serve: tls((socket) => flood(socket, `${CHUNKED}5\r\nbegin\r\n0\r\n`, `x-a: ${'b'.repeat(1000)}\r\n`)),
    ends: failure('broken'),
  },
  {
    server: 'resets the connection within its body',
    serve: tls((socket, _, reset) => socket.write(`${CHUNKED}5\r\nbegin\r\n`, reset)),
    ends: failure('broken'),
  },
  {
    server: 'hangs up within its body',
    serve: tls((socket) => socket.write(`${CHUNKED}5\r\nbegin\r\n`, () => socket.destroy())),
    ends: failure('broken'),
  },
  { server: 'hangs up without an answer', serve: tls((socket) => socket.destroy()), ends: failure('broken') },
  {
    server: 'sends a bomb in gzip',
    serve: tls(says(reply(200, { 'content-encoding': 'gzip' }, ZIPPED))),
    ends: { status: 200, text: Buffer.from(ZIPPED, 'latin1').toString() },
  },
  {
    server: 'stalls the handshake',
    serve: () => bareServer(() => undefined),
    limits: { connectMs: SOON },
    ends: failure('connectTime'),
  },
  {
    server: 'resets the connection within the handshake',
    serve: () => bareServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    ends: failure('tls'),
  },
  { server: 'talks plain HTTP', serve: () => bareServer((socket) => socket.write(reply(200))), ends: failure('tls') },
  {
    server: 'answers the handshake with noise',
    serve: () => bareServer((socket) => socket.write(NOISE)),
    ends: failure('tls'),
  },
  {
    server: 'has the certificate of another host',
    serve: tls(says(reply(200)), trusted.issue({ for: ['127.0.0.2', 'localhost'] })),
    ends: failure('tls'),
  },
  {
    server: 'has an expired certificate',
    serve: tls(says(reply(200)), trusted.issue({ for: ['127.0.0.1'], until: new Date(Date.now() - 60_000) })),
    ends: failure('tls'),
  },
  {
    server: 'has a certificate of its own making',
    serve: tls(says(reply(200)), authority('Nobody').issue({ for: ['127.0.0.1'] })),
    ends: failure('tls'),
  },
  {
    server: 'redirects for ever',
    serve: tls((socket, request) => socket.end(reply(302, { location: `/${request.length}` }))),
    ends: failure('redirects'),
  },
  {
    server: 'redirects to the inside',
    serve: tls(ends(reply(302, { location: 'https://169.254.169.254/latest/meta-data/' }))),
    ends: { kind: 'refused', reason: 'address' },
  },
  {
    server: 'redirects to itself in plain HTTP',
    serve: tls((socket, request) => {
      socket.end(reply(302, { location: `http://${/host: (\S+)/i.exec(request)?.[1]}/` }));
    }),
    ends: { kind: 'refused', reason: 'scheme' },
  },
  { server: 'is as it should be', serve: tls(ends(reply(200, {}, 'hello'))), ends: { status: 200, text: 'hello' } },
];

const sourceAsk = (
  { publicPolicy }: Guard,
  { origin }: Hostile,
  ask: Partial<RequestOptions> = {},
): RequestOptions => ({
  policy: publicPolicy({ ownHosts: [], allowSources: [origin], ca: trusted.cert }),
  maxBytes: 1_000_000,
  redirects: 3,
  ...ask,
});

async function holdAgainst(guard: Guard, { serve, limits = {}, ends }: Case): Promise<void> {
  const server = await serve();
  try {
    const began = performance.now();
    const outcome = await outcomeOf(guard.outbound(), `${server.origin}/a`, sourceAsk(guard, server, { limits }));
    expect(outcome).toMatchObject(ends);
    expect(performance.now() - began).toBeLessThan(5000);
    await expect.poll(() => server.connections(), { timeout: 5000 }).toBe(0);
  } finally {
    await server.close();
  }
}

export const HOSTILE: readonly Scenario[] = CASES.map((given) => ({
  promise: `copes with a server that ${given.server}`,
  check: (guard) => holdAgainst(guard, given),
}));
