/** What no emulator shows of the blobs in S3: its limits, its refusals, and what exactly we ask of it. */
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { s3Blobs } from '../../aws/blobs.ts';
import type { Blobs } from '../../shared/ports.ts';
import { noise, stream, textOf } from '../contracts/streams.ts';

const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
const client = new S3Client({ region: 'eu-west-1', credentials, requestChecksumCalculation: 'WHEN_REQUIRED' });
const s3 = mockClient(client);
const blobs = s3Blobs({ client, bucket: 'the-bucket' });
const limit = { maxBytes: 20_000_000 };

const refusal = (name: string, status: number) =>
  new S3ServiceException({ name, $fault: status < 500 ? 'client' : 'server', $metadata: { httpStatusCode: status } });

const calls: [string, (blobs: Blobs) => Promise<unknown>][] = [
  ['put', (on) => on.put('k', stream('x'), limit)],
  ['read', (on) => on.read('k')],
  ['size', (on) => on.size('k')],
  ['copy', (on) => on.copy('k', 'l')],
  ['remove', (on) => on.remove('k')],
];

beforeEach(() => {
  s3.reset();
});

describe.each(calls)('%s', (_, call) => {
  it.each([
    ['SlowDown', 503],
    ['InternalError', 500],
    ['RequestTimeout', 400],
  ])('says busy on %s, and keeps the cause', async (name, status) => {
    const cause = refusal(name, status);
    s3.onAnyCommand().rejects(cause);
    await expect(call(blobs)).rejects.toMatchObject({ name: 'Problem', code: 'busy', cause });
  });

  it.each(['ECONNRESET', 'ENOTFOUND'])('says busy when the connection fails with %s', async (code) => {
    s3.onAnyCommand().rejects(Object.assign(new Error('socket'), { code }));
    await expect(call(blobs)).rejects.toMatchObject({ code: 'busy' });
  });

  it.each([
    ['AccessDenied', 403],
    ['Forbidden', 403], // all that a HEAD can say
    ['NoSuchBucket', 404],
  ])('says on %s that the operator has to mend it, never that the blob is absent', async (name, status) => {
    s3.onAnyCommand().rejects(refusal(name, status));
    await expect(call(blobs)).rejects.toMatchObject({ name: 'Problem', code: 'noStorage' });
  });

  it('takes any other refusal for our own bug', async () => {
    s3.onAnyCommand().rejects(refusal('InvalidArgument', 400));
    const error: unknown = await call(blobs).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Error', cause: { name: 'InvalidArgument' } });
    expect(error).not.toBeInstanceOf(S3ServiceException);
  });
});

it('says busy when the bytes stop on the way, after giving those that came', async () => {
  async function* cut() {
    yield Buffer.from('some');
    throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  }
  s3.on(GetObjectCommand).resolves({ Body: cut() as never });
  await expect(textOf(await blobs.read('k'))).rejects.toMatchObject({ name: 'Problem', code: 'busy' });
});

it('names the source of a copy in a form that a header can carry', async () => {
  s3.on(CopyObjectCommand).resolves({});
  expect(await blobs.copy('a b/ü+%?#', 'to')).toBe(true);
  expect(s3.commandCalls(CopyObjectCommand)[0]?.args[0].input).toEqual({
    Bucket: 'the-bucket',
    Key: 'to',
    CopySource: 'the-bucket%2Fa%20b%2F%C3%BC%2B%25%3F%23',
  });
});

it('gives up the parts and closes the source when the bucket takes one no more', async () => {
  s3.on(CreateMultipartUploadCommand).resolves({ UploadId: 'upload-1' });
  s3.on(UploadPartCommand).resolvesOnce({ ETag: '1' }).rejects(refusal('SlowDown', 503));
  s3.on(AbortMultipartUploadCommand).resolves({});
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
  await expect(blobs.put('k', counted(), { maxBytes: 300_000_000 })).rejects.toMatchObject({ code: 'busy' });
  expect(s3.commandCalls(AbortMultipartUploadCommand)[0]?.args[0].input).toMatchObject({ UploadId: 'upload-1' });
  expect([closed, read < 20_000_000]).toEqual([true, true]);
});

it('tells of the fault of a source even when giving up its parts fails too', async () => {
  s3.on(CreateMultipartUploadCommand).resolves({ UploadId: 'upload-1' });
  s3.on(UploadPartCommand).resolves({ ETag: '1' });
  s3.on(AbortMultipartUploadCommand).rejects(refusal('SlowDown', 503));
  await expect(blobs.put('k', noise(9_000_000), { maxBytes: 8_000_000 })).rejects.toMatchObject({ code: 'tooLarge' });
});

describe('an upload address', () => {
  it('signs the host only, so that any content type is taken, and holds no checksum of an empty body', async () => {
    const { searchParams } = new URL(await blobs.uploadAddress('k', 60));
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    expect([...searchParams.keys()].filter((name) => /checksum|content-type/i.test(name))).toEqual([]);
    expect(searchParams.get('X-Amz-Expires')).toBe('60');
  });
});
