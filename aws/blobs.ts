/** Blobs in a bucket of S3. */
import { checkKey } from '../shared/core/blob-key.ts';
import { checkRange } from '../shared/core/byte-range.ts';
import type { Blobs, ByteRange, Bytes } from '../shared/ports.ts';
import { bucketFailure } from './bucket-failure.ts';
import { s3Downloads } from './downloads.ts';
import { isAwsError, statusOf } from './failures.ts';
import { flowing } from './signed/body.ts';
import type { Bucket } from './signed/s3.ts';
import { encoded } from './signed/signature.ts';
import { upload } from './upload.ts';

/** For `catch`. */
function fail(error: unknown): never {
  throw bucketFailure(error);
}

export function s3Blobs(bucket: Bucket): Blobs {
  return {
    async put(key, body, { maxBytes }) {
      checkKey(key);
      return upload({ bucket, key, body, maxBytes });
    },
    async read(key, range) {
      checkKey(key);
      return read(bucket, key, range);
    },
    async size(key) {
      checkKey(key);
      const head = await bucket.ask({ method: 'HEAD', key }).catch(absent);
      return head && Number(head.headers['content-length']);
    },
    async copy(from, to) {
      checkKey(from);
      checkKey(to);
      const headers = { 'x-amz-copy-source': encoded(`${bucket.name}/${from}`) };
      return (await bucket.ask({ method: 'PUT', key: to, headers }).catch(absent)) !== undefined;
    },
    async remove(key) {
      checkKey(key);
      await bucket.ask({ method: 'DELETE', key }).catch(fail);
    },
    async uploadAddress(key, seconds) {
      checkKey(key);
      return bucket.address({ method: 'PUT', key, query: { 'x-id': 'PutObject' }, seconds }).catch(fail);
    },
    ...s3Downloads(bucket),
  };
}

async function read(bucket: Bucket, key: string, range?: ByteRange): Promise<Bytes | undefined> {
  if (range) checkRange(range);
  const headers: Record<string, string> = range ? { range: `bytes=${range.from}-${range.to ?? ''}` } : {};
  try {
    return passedOn(flowing(await bucket.open({ method: 'GET', key, headers }), bucket.silenceMs));
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
