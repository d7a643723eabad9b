/** Blobs in a bucket of S3. */
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { checkKey } from '../shared/core/blob-key.ts';
import { checkRange } from '../shared/core/byte-range.ts';
import type { Blobs, ByteRange, Bytes } from '../shared/ports.ts';
import { bucketFailure } from './bucket-failure.ts';
import { s3Downloads } from './downloads.ts';
import { isAwsError, statusOf } from './failures.ts';
import { type Place, upload } from './upload.ts';

/** For `catch`. */
function fail(error: unknown): never {
  throw bucketFailure(error);
}

/** The client must calculate checksums only WHEN_REQUIRED, or an upload address would hold that of an empty body. */
export function s3Blobs({ client, bucket }: { client: S3Client; bucket: string }): Blobs {
  const at = (key: string): Place => {
    checkKey(key);
    return { Bucket: bucket, Key: key };
  };
  return {
    put: async (key, body, { maxBytes }) => upload({ client, to: at(key), body, maxBytes }),
    read: async (key, range) => read(client, at(key), range),
    async size(key) {
      const head = await client.send(new HeadObjectCommand(at(key))).catch(absent);
      return head?.ContentLength;
    },
    async copy(from, to) {
      const { Bucket, Key } = at(from);
      const CopySource = encodeURIComponent(`${Bucket}/${Key}`);
      const copied = await client.send(new CopyObjectCommand({ ...at(to), CopySource })).catch(absent);
      return copied !== undefined;
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(at(key))).catch(fail);
    },
    uploadAddress: async (key, seconds) =>
      getSignedUrl(client, new PutObjectCommand(at(key)), { expiresIn: seconds }).catch(fail),
    ...s3Downloads({ client, bucket }),
  };
}

async function read(client: S3Client, place: Place, range?: ByteRange): Promise<Bytes | undefined> {
  if (range) checkRange(range);
  const part = range ? { Range: `bytes=${range.from}-${range.to ?? ''}` } : {};
  try {
    const { Body } = await client.send(new GetObjectCommand({ ...place, ...part }));
    return passedOn(Body as Bytes);
  } catch (error) {
    return statusOf(error) === 416 ? nothing() : absent(error);
  }
}

async function* nothing(): Bytes {}

async function* passedOn(body: Bytes): Bytes {
  try {
    yield* body;
  } catch (error) {
    fail(error);
  }
}

/** NotFound is all that a HEAD can say, so `size` takes a missing bucket for a missing key. */
function absent(error: unknown): undefined {
  if (!isAwsError(error, 'NoSuchKey', 'NotFound')) fail(error);
}
