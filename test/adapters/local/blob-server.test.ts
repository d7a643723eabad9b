import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pathOf, rawRequest } from '../../bin/local/raw-request.ts';
import { openLocalBlobs } from '../../ports/local-blobs.ts';
import { noise, stream, textOf } from '../../ports/streams.ts';

const MAX_BYTES = 2_000_000;
const as = { fileName: 'a.txt', contentType: 'text/plain' };

/** Closing it fails the test if the server had an internal error. */
let local: Awaited<ReturnType<typeof openLocalBlobs>>;
beforeEach(async () => {
  local = await openLocalBlobs(MAX_BYTES);
});
afterEach(() => local.close());

const keep = (key: string, text: string) => local.blobs.put(key, stream(text), { maxBytes: MAX_BYTES });
const text = async (key: string) => textOf(await local.blobs.read(key));
const raw = (o: { method?: string; path: string; headers?: Record<string, string> }) =>
  rawRequest({ port: local.port, ...o });
const partials = () =>
  readdirSync(join(local.folder, '..'), { recursive: true }).filter((name) => String(name).includes('partial/'));

describe('the blob server and browsers', () => {
  it('answers a preflight without asking for a signature', async () => {
    const { status, headers, text: body } = await raw({ method: 'OPTIONS', path: '/blobs/x' });
    expect([status, body]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, PUT',
      'access-control-allow-headers': '*',
    });
  });

  it('lets other origins read its answers, but does not let browsers run them as scripts or pages', async () => {
    await keep('k', '<script>');
    const signed = pathOf(await local.blobs.downloadAddress('k', as, 60));
    for (const path of [signed, '/blobs/x', pathOf(await local.blobs.downloadAddress('missing', as, 60))]) {
      expect((await raw({ path })).headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'content-length, content-range',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      });
    }
  });
});

describe('HEAD of a download', () => {
  it('has the headers of GET and no body', async () => {
    await keep('k', '0123456789');
    const path = pathOf(await local.blobs.downloadAddress('k', as, 60));
    for (const headers of [{}, { range: 'bytes=2-4' }]) {
      const got = await raw({ path, headers });
      const head = await raw({ method: 'HEAD', path, headers });
      const shown = ({ date: _date, ...rest }: Record<string, unknown>) => rest;
      expect([head.status, shown(head.headers), head.text]).toEqual([got.status, shown(got.headers), '']);
    }
    const missing = pathOf(await local.blobs.downloadAddress('missing', as, 60));
    expect((await raw({ method: 'HEAD', path: missing })).status).toBe(404);
  });
});

describe('an upload', () => {
  it('accepts repeated bodies up to four times the limit, and then no more through this URL', async () => {
    const address = await local.blobs.uploadAddress('k', 3_600);
    const put = async (size: number, to = address) => {
      const answer = await fetch(to, { method: 'PUT', body: Buffer.alloc(size) });
      return [answer.status, await answer.text()];
    };
    for (let n = 0; n < 4; n++) expect(await put(MAX_BYTES - 1)).toEqual([200, '']);
    expect(await put(5)).toEqual([403, 'Too many bytes were sent to this URL. Create a new upload.']);
    expect(await put(4)).toEqual([200, '']);
    expect(await put(5, await local.blobs.uploadAddress('other', 3_600))).toEqual([200, '']);
    // A renewed URL of the same upload shares its budget for as long as the upload can be renewed.
    expect((await put(1, await local.blobs.uploadAddress('k', 3_600)))[0]).toBe(403);
    local.clock.pass(25 * 3_600_000);
    expect((await put(1, await local.blobs.uploadAddress('k', 3_600)))[0]).toBe(200);
  });

  it('counts only the received bytes of an interrupted body', async () => {
    const path = pathOf(await local.blobs.uploadAddress('k', 3_600));
    for (let n = 0; n < 6; n++) {
      const socket = connect(local.port, '127.0.0.1');
      socket.write(`PUT ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${MAX_BYTES}\r\n\r\nshort`);
      await expect.poll(() => partials().length).toBe(1);
      socket.destroy();
      await expect.poll(() => partials().length).toBe(0);
    }
    const answer = await fetch(await local.blobs.uploadAddress('k', 3_600), {
      method: 'PUT',
      body: Buffer.alloc(MAX_BYTES),
    });
    expect(answer.status).toBe(200);
  });

  it('over the limit is refused, its connection closed, and nothing stored', async () => {
    const address = await local.blobs.uploadAddress('k', 60);
    for (const size of [MAX_BYTES + 1, 8 * MAX_BYTES]) {
      const answer = await fetch(address, { method: 'PUT', body: Buffer.alloc(size) });
      expect([answer.status, await answer.text()]).toEqual([400, 'There are more than 2000000 bytes.']);
      expect(answer.headers.get('connection')).toBe('close');
    }
    expect([await local.blobs.size('k'), partials()]).toEqual([undefined, []]);
    expect((await fetch(address, { method: 'PUT', body: Buffer.alloc(MAX_BYTES) })).status).toBe(200);
  });

  it('over the limit is cut off, even if its sender never stops', async () => {
    const path = pathOf(await local.blobs.uploadAddress('k', 60));
    const socket = connect(local.port, '127.0.0.1');
    socket.on('error', () => undefined);
    let answer = '';
    socket.on('data', (part) => {
      answer += part;
    });
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${10 ** 15}\r\n\r\n`);
    const sending = setInterval(() => socket.write(Buffer.alloc(10_000)), 5);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(sending);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('with a bad signature is refused in time for its sender to read it', async () => {
    const address = `${await local.blobs.uploadAddress('k', 60)}x`;
    const answer = await fetch(address, { method: 'PUT', body: Buffer.alloc(MAX_BYTES) });
    expect([answer.status, await local.blobs.size('k')]).toEqual([403, undefined]);
  });

  it('over the limit is answered even if the sender reads only after it has sent everything', async () => {
    const path = pathOf(await local.blobs.uploadAddress('k', 60));
    const socket = connect(local.port, '127.0.0.1');
    let answer = '';
    socket.pause().on('data', (part) => {
      answer += part;
    });
    const sent = new Promise((resolve) => socket.once('drain', resolve));
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${8 * MAX_BYTES}\r\n\r\n`);
    socket.write(Buffer.alloc(8 * MAX_BYTES));
    await sent;
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*There are more than 2000000 bytes\.$/s);
  });

  it('without a length is refused, as by S3', async () => {
    const address = await local.blobs.uploadAddress('k', 60);
    const body = ReadableStream.from(noise(100_000));
    const answer = await fetch(address, { method: 'PUT', body, duplex: 'half' });
    expect([answer.status, await local.blobs.size('k')]).toEqual([411, undefined]);
  });

  it('that is interrupted stores nothing and keeps the old blob', async () => {
    await keep('k', 'old');
    const path = pathOf(await local.blobs.uploadAddress('k', 60));
    const socket = connect(local.port, '127.0.0.1');
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n`);
    socket.write(Buffer.alloc(200_000));
    await vi.waitFor(() => expect(partials()).toHaveLength(1));
    socket.destroy();
    await vi.waitFor(() => expect(partials()).toHaveLength(0));
    expect(await text('k')).toBe('old');
  });
});

describe('a download', () => {
  const openFiles = () => readdirSync('/proc/self/fd').length;

  it.runIf(process.platform === 'linux')('that is interrupted leaves no file open', async () => {
    await local.blobs.put('k', noise(MAX_BYTES), { maxBytes: MAX_BYTES });
    const path = pathOf(await local.blobs.downloadAddress('k', as, 60));
    const before = openFiles();
    for (let round = 0; round < 20; round++) {
      const socket = connect(local.port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      if (round % 2 === 0) await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
    }
    await vi.waitFor(() => expect(openFiles()).toBeLessThan(before + 5));
  });

  it('is cut off if its blob became shorter after its size was read', async () => {
    await keep('k', 'short');
    local.blobs.size = async () => 9;
    const answer = fetch(await local.blobs.downloadAddress('k', as, 60)).then((got) => got.text());
    await expect(answer).rejects.toThrow();
    expect(local.faults.splice(0).map(String)).toEqual(['Error: A blob was replaced while it was read.']);
  });

  it('is complete or cut off, never mixed, while its blob is replaced', async () => {
    const address = await local.blobs.downloadAddress('k', as, 60);
    const bodies = ['a'.repeat(900_000), 'b'.repeat(500_000), 'c'.repeat(700_000)];
    await keep('k', bodies[0] ?? '');
    for (let round = 0; round < 10; round++) {
      const reads = Array.from({ length: 5 }, () =>
        fetch(address).then(
          (answer) => answer.text(),
          () => 'cut',
        ),
      );
      await Promise.all(bodies.map((body) => keep('k', body)));
      for (const read of await Promise.all(reads)) {
        expect(read === 'cut' || /^(a+|b+|c+)$/.test(read)).toBe(true);
      }
    }
    // The server learns that the client closed the connection.
    for (const fault of local.faults.splice(0)) expect(String(fault)).toContain('replaced while it was read');
  });

  it.each([
    ['bytes=0-1,3-4', 200],
    ['bytes=4-2', 200],
    ['bytes=x-y', 200],
    ['bytes=-', 200],
    ['lines=0-1', 200],
    ['bytes=-0', 416],
    ['bytes=99999999999999999999999-', 416],
    ['bytes=0-99999999999999999999999', 206],
    [`bytes=${'9'.repeat(5_000)}-`, 416],
    ['bytes=-99999999999999999999999', 206],
  ])('reads the range %.40s as S3 does', async (range, status) => {
    await keep('k', '0123456789');
    const answer = await raw({ path: pathOf(await local.blobs.downloadAddress('k', as, 60)), headers: { range } });
    expect(answer.status).toBe(status);
    expect(answer.text).toBe(status === 416 ? 'The range starts after the end of the file.' : '0123456789');
  });

  it('is complete if its If-Range names an unknown ETag', async () => {
    await keep('k', '0123456789');
    const headers = { range: 'bytes=0-1', 'if-range': '"x"' };
    const answer = await raw({ path: pathOf(await local.blobs.downloadAddress('k', as, 60)), headers });
    expect([answer.status, answer.text]).toEqual([200, '0123456789']);
  });

  it('of an empty blob refuses every range', async () => {
    await keep('k', '');
    const path = pathOf(await local.blobs.downloadAddress('k', as, 60));
    expect((await raw({ path, headers: { range: 'bytes=0-' } })).status).toBe(416);
    expect((await raw({ path, headers: { range: 'bytes=-5' } })).status).toBe(416);
  });
});

describe('hostile requests', () => {
  const long = 'x'.repeat(8_000);
  const paths = [
    ...[
      '/',
      '//',
      '///',
      '/blobs',
      '/blobs/',
      '/blobs//',
      '/blobs/%',
      '/blobs/%00?signature=%',
      '/blobs/../../etc/passwd',
    ],
    ...['*', 'http://[', 'http://[::1', '//evil:99999/blobs/x', '/\\evil/blobs/x', '/?', '/blobs/x?'],
    ...[
      `/blobs/${long}`,
      `/blobs/x?signature=${long}`,
      '/blobs/x?expires=NaN&signature=x',
      '/blobs/x?signature&expires',
    ],
    ...[
      '/blobs/x?expires=1e99&signature=',
      '/blobs/x?expires=-1&name=%ff&type=%&signature=%c3',
      `/blobs/x?${'a&'.repeat(3_000)}`,
    ],
  ];

  it.each(['GET', 'PUT', 'HEAD', 'POST', 'DELETE', 'PROPFIND', 'TRACE'])(
    'are refused with the same answer: %s',
    async (method) => {
      for (const path of paths) {
        const answer = await raw({ method, path, headers: { range: 'bytes=0-' } });
        expect([path.slice(0, 60), answer.status, answer.text]).toEqual([
          path.slice(0, 60),
          403,
          method === 'HEAD' ? '' : 'This URL is not valid.',
        ]);
      }
      expect(await local.blobs.size('x')).toBeUndefined();
    },
  );
});
