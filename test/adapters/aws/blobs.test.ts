/** Behaviour of the S3 adapter that no emulator shows: limits, errors, and the exact requests. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { s3Access } from '../../../adapters/aws/clients.ts';
import { environmentConnection, type RequestTimeouts } from '../../../adapters/aws/connection.ts';
import { s3Blobs } from '../../../adapters/aws/s3-blobs.ts';
import type { Blobs } from '../../../shared/ports.ts';
import { noise, stream, textOf } from '../../ports/streams.ts';
import { type Answer, connectionTo, cut, IMPATIENT, type Play, type Seen, serve } from './serve.ts';

const limit = { maxBytes: 20_000_000 };

const refusal = (name: string, status: number): Answer => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${name}</Code><Message>no &amp; never</Message></Error>`,
});
const BEGUN: Answer = { status: 200, body: '<Begun><UploadId>upload&amp;1</UploadId></Begun>' };
const storedAnswer = (tag: string): Answer => ({ status: 200, headers: { etag: `"${tag}"` } });

const blobsAt = (address: string, timeouts?: RequestTimeouts): Blobs =>
  s3Blobs({ s3: s3Access(connectionTo(address), timeouts), bucket: 'the-bucket', uploads: 'the-uploads' });

const calls: [string, (blobs: Blobs) => Promise<unknown>][] = [
  ['put', (on) => on.put('k', stream('x'), limit)],
  ['read', (on) => on.read('k')],
  ['size', (on) => on.size('k')],
  ['remove', (on) => on.remove('k')],
  ['arrived', (on) => on.arrived('arrivals/k', 10)],
  ['uploads', (on) => on.uploads('arrivals/h/', { limit: 10 })],
  ['remove all', (on) => on.remove('arrivals/k')],
];

const isHead = (operation: string) => operation === 'size' || operation === 'remove all';

describe.each(calls)('%s', (operation, call) => {
  it.each<readonly [string, number]>([
    ['SlowDown', 503],
    ['InternalError', 500],
    // A HEAD has no name for it.
    ...(isHead(operation) ? [] : [['RequestTimeout', 400] as const]),
  ])('says busy on %s, and keeps the cause', async (name, status) => {
    const { address } = await serve(refusal(name, status));
    const cause = { $metadata: { httpStatusCode: status, attempts: 3 } };
    await expect(call(blobsAt(address))).rejects.toMatchObject({ name: 'Problem', code: 'busy', cause });
  });

  it('says busy when the connection breaks', async () => {
    const { address } = await serve(cut);
    await expect(call(blobsAt(address))).rejects.toMatchObject({ code: 'busy', cause: { code: 'ECONNRESET' } });
  });

  it('returns busy when the connection is not accepted', async () => {
    await expect(call(blobsAt('http://127.0.0.1:9'))).rejects.toMatchObject({ code: 'busy' });
  });

  it.each([
    ['AccessDenied', 403],
    ['Forbidden', 403], // a HEAD has no error code
    ['NoSuchBucket', 404],
  ])('reports on %s that the operator has to fix it, never that the blob is absent', async (name, status) => {
    const { address, seen } = await serve(refusal(name, status));
    const told = call(blobsAt(address));
    // A HEAD cannot tell a bucket from a key.
    if (name === 'NoSuchBucket' && isHead(operation)) expect(await told).toBeUndefined();
    else await expect(told).rejects.toMatchObject({ name: 'Problem', code: 'noStorage' });
    expect(seen).toHaveLength(1);
  });

  it('treats any other refusal as an internal error', async () => {
    const { address } = await serve(refusal('InvalidArgument', 400));
    const error: unknown = await call(blobsAt(address)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Error', cause: { $metadata: { httpStatusCode: 400 } } });
  });
});

it('says busy when the bytes are interrupted, after returning those that arrived', async () => {
  const { address } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '9' }).write('some', () => response.destroy());
  });
  await expect(textOf(await blobsAt(address).read('k'))).rejects.toMatchObject({ name: 'Problem', code: 'busy' });
});

it('says busy when no more bytes arrive', async () => {
  const { address } = await serve((_, response) => response.writeHead(200, { 'content-length': '9' }).write('some'));
  const reading = textOf(await blobsAt(address, IMPATIENT).read('k'));
  await expect(reading).rejects.toMatchObject({ code: 'busy', cause: { name: 'TimeoutError' } });
});

/** More than the buffers between the server and a reader hold. */
const LONG_BYTES = 32 * 1_048_576;
const longAnswer: Play = (_, response) => {
  response.writeHead(200, { 'content-length': String(LONG_BYTES) });
  response.end(Buffer.alloc(LONG_BYTES));
};

it('returns all bytes to a reader that pauses for longer than AWS may', async () => {
  const { address } = await serve(longAnswer);
  let bytes = 0;
  for await (const chunk of (await blobsAt(address, IMPATIENT).read('k')) ?? []) {
    if (bytes === 0) await pause(3 * IMPATIENT.answerMs);
    bytes += chunk.byteLength;
  }
  expect(bytes).toBe(LONG_BYTES);
});

it('closes the connection when the reader leaves', async () => {
  let isClosed = false;
  const { address } = await serve((request, response) => {
    response.once('close', () => {
      isClosed = true;
    });
    longAnswer(request, response);
  });
  for await (const _ of (await blobsAt(address).read('k')) ?? []) break;
  await expect.poll(() => isClosed).toBe(true);
});

/** Without the name of the operation, which the client adds to some. */
const requestsIn = (seen: Seen[]) => seen.map(({ method, url }) => `${method} ${url.replace(/[?&]x-id=\w+$/, '')}`);

it('sends concurrent requests to two buckets each to its own', async () => {
  const { address, seen } = await serve({ status: 200, headers: { 'content-length': '1' }, body: 'x' });
  const blobs = blobsAt(address);
  const names = Array.from({ length: 10 }, (_, n) => [`k${n}`, `arrivals/o/f${n}#v`]).flat();
  await Promise.all(names.map(async (name) => textOf(await blobs.read(name))));
  const expected = names.map((name) =>
    name.startsWith('k') ? `GET /the-bucket/${name}` : `GET /the-uploads/${name.replace('#v', '?versionId=v')}`,
  );
  expect(requestsIn(seen).toSorted()).toEqual(expected.toSorted());
});

it('sends a long blob in parts, and lists them all at the end', async () => {
  const done: Answer = { status: 200, body: '<CompleteMultipartUploadResult/>' };
  const { address, seen } = await serve(BEGUN, storedAnswer('a'), storedAnswer('b'), done);
  expect(await blobsAt(address).put('k', noise(9_000_000), limit)).toBe(9_000_000);
  expect(requestsIn(seen)).toEqual([
    'POST /the-bucket/k?uploads=',
    'PUT /the-bucket/k?partNumber=1&uploadId=upload%261',
    'PUT /the-bucket/k?partNumber=2&uploadId=upload%261',
    'POST /the-bucket/k?uploadId=upload%261',
  ]);
  expect(seen[3]?.body).toContain(
    '<Part><ETag>&quot;a&quot;</ETag><PartNumber>1</PartNumber></Part><Part><ETag>&quot;b&quot;</ETag><PartNumber>2</',
  );
});

it('aborts the multipart upload and closes the source when the bucket refuses a part', async () => {
  const slow = refusal('SlowDown', 503);
  const { address, seen } = await serve(BEGUN, storedAnswer('1'), slow, slow, slow, { status: 204 });
  let read = 0;
  let closed = false;
  async function* counted() {
    try {
      for await (const chunk of noise(200_000_000)) {
        read += chunk.byteLength;
        yield chunk;
      }
    } finally {
      closed = true;
    }
  }
  const sent = blobsAt(address).put('k', counted(), { maxBytes: 300_000_000 });
  await expect(sent).rejects.toMatchObject({ code: 'busy' });
  expect(requestsIn(seen).at(-1)).toBe('DELETE /the-bucket/k?uploadId=upload%261');
  expect([closed, read < 20_000_000]).toEqual([true, true]);
});

it('reports the error of a source even if aborting the multipart upload fails too', async () => {
  const { address } = await serve(BEGUN, storedAnswer('1'), refusal('SlowDown', 503));
  const sent = blobsAt(address).put('k', noise(9_000_000), { maxBytes: 8_000_000 });
  await expect(sent).rejects.toMatchObject({ code: 'tooLarge' });
});

describe('an upload address', () => {
  it('signs only the host, so that any content type is accepted, and contains no checksum of an empty body', async () => {
    const { searchParams } = new URL(await blobsAt('http://127.0.0.1:9').uploadAddress('k', 60));
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    expect([...searchParams.keys()].filter((name) => /checksum|content-type/i.test(name))).toEqual([]);
    expect(searchParams.get('X-Amz-Expires')).toBe('60');
  });

  it('reports missing credentials as a download address does', async () => {
    const s3 = s3Access(environmentConnection({ AWS_REGION: 'eu-west-1' }));
    const blobs = s3Blobs({ s3, bucket: 'the-bucket', uploads: 'the-uploads' });
    const as = { fileName: 'a.txt', contentType: 'text/plain' };
    await expect(blobs.downloadAddress('k', as, 60)).rejects.toMatchObject({ code: 'noStorage' });
    await expect(blobs.uploadAddress('k', 60)).rejects.toMatchObject({ code: 'noStorage' });
  });
});

describe('an uploaded object', () => {
  const KEY = 'arrivals/o/f';
  const version = (id: string) => ({ 'x-amz-version-id': id });
  const part = (range: string, body: string, id = 'v.1_-'): Answer => ({
    status: 206,
    headers: { ...version(id), 'content-range': range },
    body,
  });

  it('is read by one request: its version, its length, its beginning', async () => {
    const { address, seen } = await serve(part('bytes 0-3/900', 'head'));
    const arrived = await blobsAt(address).arrived(KEY, 4);
    expect(arrived).toEqual({ at: `${KEY}#v.1_-`, size: 900, head: Buffer.from('head') });
    expect(requestsIn(seen)).toEqual(['GET /the-uploads/arrivals/o/f']);
    expect(seen[0]?.headers.range).toBe('bytes=0-3');
  });

  it('has no bytes if its range does not exist', async () => {
    const { address } = await serve(refusal('InvalidRange', 416));
    expect(await blobsAt(address).arrived(KEY, 4)).toEqual({ at: KEY, size: 0, head: new Uint8Array() });
  });

  it('is read, measured and removed as that version alone', async () => {
    const { address, seen } = await serve({ status: 200, headers: { 'content-length': '4' }, body: 'head' });
    const blobs = blobsAt(address);
    for (const call of [blobs.read, blobs.size, blobs.remove]) await call(`${KEY}#v1`);
    const place = '/the-uploads/arrivals/o/f?versionId=v1';
    expect(requestsIn(seen)).toEqual([`GET ${place}`, `HEAD ${place}`, `DELETE ${place}`]);
  });

  it('goes version by version, what hides them included', async () => {
    const head = (id: string): Answer => ({ status: 200, headers: version(id) });
    const hidden: Answer = { status: 404, headers: { ...version('mark'), 'x-amz-delete-marker': 'true' } };
    const gone: Answer = { status: 204 };
    const { address, seen } = await serve(head('b'), gone, hidden, gone, head('a'), gone, { status: 404 });
    await blobsAt(address).remove(KEY);
    const removed = requestsIn(seen).filter((line) => line.startsWith('DELETE'));
    expect(removed.map((line) => line.split('versionId=')[1])).toEqual(['b', 'mark', 'a']);
    expect(seen).toHaveLength(7);
  });

  it('is not accepted from a bucket without versioning, where a later upload would change it', async () => {
    const { address } = await serve({ status: 206, headers: { 'content-range': 'bytes 0-3/4' }, body: 'head' });
    await expect(blobsAt(address).arrived(KEY, 4)).rejects.toMatchObject({ code: 'noStorage' });
    await expect(blobsAt(address).remove(KEY)).rejects.toMatchObject({ code: 'noStorage' });
  });
});
