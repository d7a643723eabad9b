/** Requests to receivers over real sockets: which answers count, and how little a bad receiver can cost. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { webhookSender } from '../../../engines/outbound/clients.ts';
import { outbound, type RequestOptions } from '../../../engines/outbound/request.ts';
import { localWebhookPolicy, publicPolicy } from '../../../engines/outbound/ssrf-policy.ts';
import { logger } from '../../../shared/core/log.ts';
import { bareServer, flood, hostileServer, trusted } from '../../engines/outbound/hostile-server.ts';
import { setClock } from '../../ports/clock.ts';
import { growthDuring } from '../../ports/streams.ts';
import { answered } from '../../support/post-answers.ts';
import { bareReceiver, receiver } from './receiver.ts';

const lines: string[] = [];
const log = logger({ clock: setClock(), write: (line) => lines.push(line), minLevel: 'info' });
const message = { headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{"text":"ü"}' };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});
function closeAfterwards<T extends { close(): Promise<void> }>(server: T): T {
  opened.push(server);
  return server;
}

/** Timeouts are shorter than the product's, so that tests need not wait. */
const impatient = (totalMs: number) => {
  const request = outbound();
  return (address: string, ask: RequestOptions) =>
    request(address, { ...ask, limits: { ...ask.limits, totalMs, headersMs: totalMs, idleMs: totalMs } });
};

const post = (totalMs?: number) =>
  webhookSender({
    request: totalMs === undefined ? outbound() : impatient(totalMs),
    policy: localWebhookPolicy({ ownHosts: ['127.0.0.1:9'] }),
    log,
  });

describe('a receiver', () => {
  it('receives the headers and the bytes, and its response is reported', async () => {
    const good = closeAfterwards(
      await receiver((_, response) => response.writeHead(202, { 'retry-after': '7' }).end('taken, ü')),
    );
    expect(await post()(`${good.origin}/hook?a=1`, message)).toEqual({
      status: 202,
      retryAfter: '7',
      answer: 'taken, ü',
    });
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = good.arrived;
    expect([path, body]).toEqual(['/hook?a=1', message.body]);
    expect(headers).toMatchObject({ ...message.headers, 'content-length': '13' });
  });

  it('receives many webhooks over one connection', async () => {
    const good = closeAfterwards(await receiver());
    const send = post();
    for (let at = 0; at < 20; at++) expect(await send(good.origin, message)).toMatchObject({ status: 200 });
    expect(good.connections()).toBe(1);
  });

  it('that redirects is not followed, and its target receives nothing', async () => {
    const target = closeAfterwards(await receiver());
    for (const code of [301, 302, 303, 307, 308]) {
      const moved = closeAfterwards(
        await receiver((_, response) => response.writeHead(code, { location: `${target.origin}/inside` }).end()),
      );
      expect(await post()(moved.origin, message)).toMatchObject({ status: code });
    }
    expect([target.arrived.length, target.connections()]).toEqual([0, 0]);
  });

  it.each([400, 404, 410, 429, 500, 503])('that returns %i is reported as it is', async (code) => {
    const bad = closeAfterwards(await receiver((_, response) => response.writeHead(code).end('no')));
    expect(await post()(bad.origin, message)).toEqual(answered(code, { answer: 'no' }));
  });
});

describe('a receiver without an answer is one', () => {
  it('that never answers', async () => {
    const silent = closeAfterwards(await bareReceiver(() => undefined));
    expect(await post(100)(silent.origin, message)).toEqual({ fault: 'timeout' });
  });

  it('that sends its headers byte by byte', async () => {
    const slow = closeAfterwards(
      await bareReceiver((socket) => {
        const timer = setInterval(() => socket.write('x'), 10);
        socket.on('close', () => clearInterval(timer));
        socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      }),
    );
    expect(await post(150)(slow.origin, message)).toEqual({ fault: 'timeout' });
  });

  it('that resets the connection, hangs up, or speaks no HTTP', async () => {
    const reset = closeAfterwards(await bareReceiver((socket) => socket.once('data', () => socket.resetAndDestroy())));
    const hangs = closeAfterwards(await bareReceiver((socket) => socket.once('data', () => socket.end())));
    const mailServer = closeAfterwards(
      await bareReceiver((socket) => socket.once('data', () => socket.end('220 mail ready\r\n'))),
    );
    for (const { origin } of [reset, hangs, mailServer]) {
      expect(await post()(origin, message)).toEqual({ fault: 'broken' });
    }
  });

  it('that is not there', async () => {
    const gone = await receiver();
    await gone.close();
    expect(await post()(gone.origin, message)).toEqual({ fault: 'unreachable' });
  });

  it('with an unknown certificate, or without TLS', async () => {
    const trustedServer = closeAfterwards(await hostileServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n')));
    const bare = closeAfterwards(await bareServer((socket) => void socket.end('hello')));
    const ca = trusted.cert;
    const ask = { request: outbound(), log };
    const knowing = webhookSender({
      ...ask,
      policy: publicPolicy({ ownHosts: [], allowSources: [trustedServer.origin], ca }),
    });
    const unknowing = webhookSender({
      ...ask,
      policy: publicPolicy({ ownHosts: [], allowSources: [trustedServer.origin, bare.origin] }),
    });
    expect(await knowing(trustedServer.origin, message)).toMatchObject({ status: 200 });
    expect(await unknowing(trustedServer.origin, message)).toEqual({ fault: 'tls' });
    expect(await unknowing(bare.origin, message)).toEqual({ fault: 'tls' });
  });

  it.each([
    'http://127.0.0.1:9/own',
    'http://10.0.0.1/',
    'http://127.0.0.2:8080/',
    'https://169.254.169.254/latest',
    'https://localhost/',
    'ftp://hooks.customer-a.com/',
    'nonsense',
  ])('that our rules refuse: %s', async (address) => {
    expect(await post()(address, message)).toEqual({ fault: 'blocked_target' });
  });

  it('on this machine, when deployed', async () => {
    const good = closeAfterwards(await receiver());
    const deployed = webhookSender({ request: outbound(), policy: publicPolicy({ ownHosts: [] }), log });
    expect(await deployed(good.origin, message)).toEqual({ fault: 'blocked_target' });
    expect(good.connections()).toBe(0);
  });

  it('whose URL and answer are not logged', () => {
    expect(lines.join()).toContain('was not taken');
    expect(lines.join()).not.toMatch(/127\.0\.0\.1|mail ready|evt_1/);
  });
});

describe('a long answer', () => {
  it('without an end is cut off after 64 KB, and its first KB is kept', async () => {
    const endless = closeAfterwards(
      await hostileServer((socket) =>
        flood(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', `10000\r\n${'é'.repeat(0x8000)}\r\n`),
      ),
    );
    const policy = publicPolicy({ ownHosts: [], allowSources: [endless.origin], ca: trusted.cert });
    const answer = await webhookSender({ request: outbound(), policy, log })(endless.origin, message);
    expect(answer).toEqual(answered(200, { answer: 'é'.repeat(512) }));
    await vi.waitFor(async () => expect(await endless.connections()).toBe(0));
  });

  it('of 10 MB is not held in memory', async () => {
    const bytes = Buffer.alloc(10_000_000, 'x');
    const big = closeAfterwards(await receiver((_, response) => response.end(bytes)));
    const send = post();
    await send(big.origin, message);
    const growth = await growthDuring(async () => {
      for (let at = 0; at < 20; at++) expect(await send(big.origin, message)).toMatchObject({ status: 200 });
    });
    expect(growth).toBeLessThan(64 * 2 ** 20);
  });

  it('that arrives slowly or is interrupted still reports its status', async () => {
    const drips = closeAfterwards(
      await bareReceiver((socket) => {
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(timer));
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      }),
    );
    const breaks = closeAfterwards(
      await bareReceiver((socket) => socket.end('HTTP/1.1 503 No\r\ncontent-length: 9\r\n\r\nhalf')),
    );
    expect(await post(200)(drips.origin, message)).toMatchObject({
      status: 200,
      answer: expect.stringMatching(/^x+$/),
    });
    expect(await post()(breaks.origin, message)).toEqual(answered(503, { answer: 'half' }));
  });

  it('with half a character at its end is cut before that character', async () => {
    const half = closeAfterwards(await receiver((_, response) => response.end(`${'x'.repeat(1_023)}é`)));
    expect(await post()(half.origin, message)).toMatchObject({ answer: 'x'.repeat(1_023) });
  });
});

it('is aborted by a sender that shuts down, with that reason', async () => {
  const silent = closeAfterwards(await bareReceiver(() => undefined));
  const stopController = new AbortController();
  const sending = post()(silent.origin, message, stopController.signal);
  await vi.waitFor(() => expect(silent.connections()).toBe(1));
  stopController.abort(new Error('stopping'));
  await expect(sending).rejects.toThrow('stopping');
});
