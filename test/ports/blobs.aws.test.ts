import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { s3Access } from '../../adapters/aws/clients.ts';
import { environmentConnection } from '../../adapters/aws/connection.ts';
import { s3Blobs } from '../../adapters/aws/s3-blobs.ts';
import { addressesContract, UPLOAD_TYPES } from './addresses.ts';
import { arrivalsContract } from './arrivals.ts';
import { type BlobsHarness, blobsContract } from './blobs.ts';
import { breakingStream, noise } from './streams.ts';

const s3 = s3Access(environmentConnection(process.env));
const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });

async function makeBucket(kind = ''): Promise<string> {
  const bucket = `errand-${kind}${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return bucket;
}

/** Its name routes it to moto, which has versions; the server in front verifies its signed URLs. */
async function makeVersioned(): Promise<string> {
  const Bucket = await makeBucket('uploads-');
  await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
  return Bucket;
}

const over = async (makeUploads: () => Promise<string>): Promise<BlobsHarness> => ({
  blobs: s3Blobs({ s3, bucket: await makeBucket(), uploads: await makeUploads() }),
  losesPlaceOfRemoved: true,
  expire: async (ms) => pause(ms),
  close: async () => {},
});

const open = () => over(makeVersioned);
blobsContract('blobs in S3', open);
arrivalsContract('uploads in S3', open);
// S3Proxy and moto read the fields of a form as parameters; S3 ignores them.
const types = UPLOAD_TYPES.filter((type) => type !== 'application/x-www-form-urlencoded');
addressesContract('signed addresses of S3', () => over(makeBucket), types);
addressesContract('signed addresses of S3, uploads with versions', open, types);

it('leaves no part of an upload that failed', async () => {
  const bucket = await makeBucket();
  const blobs = s3Blobs({ s3, bucket, uploads: 'none' });
  await expect(blobs.put('k', breakingStream(12_000_000), { maxBytes: 20_000_000 })).rejects.toThrow(
    'the source broke',
  );
  await expect(blobs.put('k', noise(12_000_000), { maxBytes: 11_000_000 })).rejects.toMatchObject({ code: 'tooLarge' });
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  expect(Uploads).toEqual([]);
});
