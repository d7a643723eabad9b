/** What no emulator shows of the blobs in S3: its limits, its refusals, and what exactly we ask of it. */
import { describe, expect, it } from 'vitest';
import { s3Blobs } from '../../aws/blobs.ts';
import { bucketOf } from '../../aws/signed/s3.ts';
import type { Blobs } from '../../shared/ports.ts';
import { noise, stream, textOf } from '../contracts/streams.ts';
import { type Answer, cut, IMPATIENT, reachingServer, type Seen, serve } from './serve.ts';

const limit = { maxBytes: 20_000_000 };

const refusal = (name: string, status: number): Answer => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${name}</Code><Message>no &amp; never</Message></Error>`,
});
const BEGUN: Answer = { status: 200, body: '<Begun><UploadId>upload&amp;1</UploadId></Begun>' };
const stored = (tag: string): Answer => ({ status: 200, headers: { etag: `"${tag}"` } });

const blobsAt = (address: string, change = {}): Blobs =>
  s3Blobs(bucketOf('the-bucket', reachingServer(address, change)));

const calls: [string, (blobs: Blobs) => Promise<unknown>][] = [
  ['put', (on) => on.put('k', stream('x'), limit)],
  ['read', (on) => on.read('k')],
  ['size', (on) => on.size('k')],
  ['copy', (on) => on.copy('k', 'l')],
  ['remove', (on) => on.remove('k')],
];

describe.each(calls)('%s', (operation, call) => {
  it.each<readonly [string, number]>([
    ['SlowDown', 503],
    ['InternalError', 500],
    // A HEAD has no name for it.
    ...(operation === 'size' ? [] : [['RequestTimeout', 400] as const]),
  ])('says busy on %s, and keeps the cause', async (name, status) => {
    const { address } = await serve(refusal(name, status));
    const cause = { $metadata: { httpStatusCode: status, attempts: 3 } };
    await expect(call(blobsAt(address))).rejects.toMatchObject({ name: 'Problem', code: 'busy', cause });
  });

  it('says busy when the connection breaks', async () => {
    const { address } = await serve(cut);
    await expect(call(blobsAt(address))).rejects.toMatchObject({ code: 'busy', cause: { code: 'ECONNRESET' } });
  });

  it('says busy when nobody takes the connection', async () => {
    await expect(call(blobsAt('http://127.0.0.1:9'))).rejects.toMatchObject({ code: 'busy' });
  });

  it.each([
    ['AccessDenied', 403],
    ['Forbidden', 403], // all that a HEAD can say
    ['NoSuchBucket', 404],
  ])('says on %s that the operator has to mend it, never that the blob is absent', async (name, status) => {
    const { address, seen } = await serve(refusal(name, status));
    const told = call(blobsAt(address));
    // A HEAD cannot tell a bucket from a key.
    if (name === 'NoSuchBucket' && operation === 'size') expect(await told).toBeUndefined();
    else await expect(told).rejects.toMatchObject({ name: 'Problem', code: 'noStorage' });
    expect(seen).toHaveLength(1);
  });

  it('takes any other refusal for our own bug', async () => {
    const { address } = await serve(refusal('InvalidArgument', 400));
    const error: unknown = await call(blobsAt(address)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Error', cause: { $metadata: { httpStatusCode: 400 } } });
  });
});

it('says busy when the bytes stop on the way, after giving those that came', async () => {
  const { address } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '9' }).write('some', () => response.destroy());
  });
  await expect(textOf(await blobsAt(address).read('k'))).rejects.toMatchObject({ name: 'Problem', code: 'busy' });
});

it('says busy when the bytes fall silent', async () => {
  const { address } = await serve((_, response) => response.writeHead(200, { 'content-length': '9' }).write('some'));
  const reading = textOf(await blobsAt(address, IMPATIENT).read('k'));
  await expect(reading).rejects.toMatchObject({ code: 'busy', cause: { name: 'TimeoutError' } });
});

it('names the source of a copy in a form that a header can carry', async () => {
  const { address, seen } = await serve({ status: 200, body: '<CopyObjectResult/>' });
  expect(await blobsAt(address).copy('a b/ü+%?#', 'to')).toBe(true);
  expect(seen[0]).toMatchObject({ method: 'PUT', url: '/the-bucket/to' });
  expect(seen[0]?.headers['x-amz-copy-source']).toBe('the-bucket%2Fa%20b%2F%C3%BC%2B%25%3F%23');
});

it('believes no copy that began well and ended in an error', async () => {
  const failed = { ...refusal('InternalError', 500), status: 200 };
  const { address, seen } = await serve(failed, { status: 200, body: '<CopyObjectResult/>' });
  expect(await blobsAt(address).copy('from', 'to')).toBe(true);
  expect(seen).toHaveLength(2);
  const broken = await serve(failed);
  await expect(blobsAt(broken.address).copy('from', 'to')).rejects.toMatchObject({ code: 'busy' });
});

const asked = (seen: Seen[]) => seen.map(({ method, url }) => `${method} ${url}`);

it('sends what is long in parts, and names them all in the end', async () => {
  const done: Answer = { status: 200, body: '<CompleteMultipartUploadResult/>' };
  const { address, seen } = await serve(BEGUN, stored('a'), stored('b'), done);
  expect(await blobsAt(address).put('k', noise(9_000_000), limit)).toBe(9_000_000);
  expect(asked(seen)).toEqual([
    'POST /the-bucket/k?uploads=',
    'PUT /the-bucket/k?partNumber=1&uploadId=upload%261',
    'PUT /the-bucket/k?partNumber=2&uploadId=upload%261',
    'POST /the-bucket/k?uploadId=upload%261',
  ]);
  expect(seen[3]?.body).toContain(
    '<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part><Part><PartNumber>2</PartNumber>',
  );
});

it('gives up the parts and closes the source when the bucket takes one no more', async () => {
  const slow = refusal('SlowDown', 503);
  const { address, seen } = await serve(BEGUN, stored('1'), slow, slow, slow, { status: 204 });
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
  expect(asked(seen).at(-1)).toBe('DELETE /the-bucket/k?uploadId=upload%261');
  expect([closed, read < 20_000_000]).toEqual([true, true]);
});

it('tells of the fault of a source even when giving up its parts fails too', async () => {
  const { address } = await serve(BEGUN, stored('1'), refusal('SlowDown', 503));
  const sent = blobsAt(address).put('k', noise(9_000_000), { maxBytes: 8_000_000 });
  await expect(sent).rejects.toMatchObject({ code: 'tooLarge' });
});

describe('an upload address', () => {
  it('signs the host only, so that any content type is taken, and holds no checksum of an empty body', async () => {
    const { searchParams } = new URL(await blobsAt('http://127.0.0.1:9').uploadAddress('k', 60));
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    expect([...searchParams.keys()].filter((name) => /checksum|content-type/i.test(name))).toEqual([]);
    expect(searchParams.get('X-Amz-Expires')).toBe('60');
  });
});
