import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, expect, it } from 'vitest';
import { s3Blobs } from '../../aws/blobs.ts';
import { addressesContract } from './addresses.ts';
import { type BlobsHarness, blobsContract } from './blobs.ts';
import { broken, noise } from './streams.ts';

/** Where S3Proxy is not as S3 is. */
const STRANGE_IN_S3PROXY = [
  'takes the bytes of one PUT of type application/x-www-form-urlencoded and needs no credential', // reads the body as signed parameters
  'answers with the bytes as an attachment, and needs no credential', // takes the space out of "text/plain; charset=utf-8"
];

const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });

async function makeBucket(): Promise<string> {
  const bucket = `errand-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return bucket;
}

const open = async (): Promise<BlobsHarness> => ({
  blobs: s3Blobs({ client, bucket: await makeBucket() }),
  expire: async (ms) => pause(ms),
  close: async () => {},
});

beforeEach(({ task, skip }) => skip(STRANGE_IN_S3PROXY.includes(task.name), 'S3Proxy differs from S3'));

blobsContract('blobs in S3', open);
addressesContract('signed addresses of S3', open);

it('leaves no part of an upload that failed', async () => {
  const bucket = await makeBucket();
  const blobs = s3Blobs({ client, bucket });
  await expect(blobs.put('k', broken(12_000_000), { maxBytes: 20_000_000 })).rejects.toThrow('the source broke');
  await expect(blobs.put('k', noise(12_000_000), { maxBytes: 11_000_000 })).rejects.toMatchObject({ code: 'tooLarge' });
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  expect(Uploads).toEqual([]);
});
