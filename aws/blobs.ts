/** Blobs in S3. */
import { checkRange, isUploadKey } from '../shared/core/blobs.ts';
import type { Blobs, ByteRange, Bytes } from '../shared/ports.ts';
import { absent, latestUpload, removeVersions } from './arrivals.ts';
import { bucketFailure } from './bucket-failure.ts';
import { keysBehind } from './bucket-pages.ts';
import { addressOf } from './downloads.ts';
import { statusOf } from './failures.ts';
import { type Buckets, type StorageLocation, storageLocations } from './places.ts';
import { flowing } from './signed/body.ts';
import { upload } from './upload.ts';

/** For `catch`. */
function fail(error: unknown): never {
  throw bucketFailure(error);
}

export function s3Blobs(buckets: Buckets): Blobs {
  const placed = storageLocations(buckets);
  return {
    put: async (key, body, { maxBytes }) => upload({ ...placed(key), body, maxBytes }),
    async read(at, range) {
      const place = placed(at);
      if (range) checkRange(range);
      return read(place, range).catch(fail);
    },
    size: async (at) => sizeOf(placed(at)).catch(fail),
    remove: async (at) => remove(placed(at)).catch(fail),
    async uploadAddress(at, seconds) {
      const { bucket, key } = placed(at);
      return bucket.address({ method: 'PUT', key, query: { 'x-id': 'PutObject' }, seconds }).catch(fail);
    },
    arrived: async (key, headBytes) => latestUpload(placed(key), headBytes).catch(fail),
    uploads: async (prefix, paging) => keysBehind(buckets.uploads, prefix, paging).catch(fail),
    /** No version goes because another comes. */
    keep: async () => true,
    downloadAddress: async (at, as, seconds) => addressOf(placed(at), as, seconds).catch(fail),
  };
}

/** A missing bucket is taken for a missing key. */
async function sizeOf({ bucket, key, query }: StorageLocation): Promise<number | undefined> {
  const head = await bucket.ask({ method: 'HEAD', key, query }).catch(absent);
  return head && Number(head.headers['content-length']);
}

async function read({ bucket, key, query }: StorageLocation, range?: ByteRange): Promise<Bytes | undefined> {
  const headers: Record<string, string> = range ? { range: `bytes=${range.from}-${range.to ?? ''}` } : {};
  try {
    return passedOn(flowing(await bucket.open({ method: 'GET', key, query, headers }), bucket.silenceMs));
  } catch (error) {
    return statusOf(error) === 416 ? nothing() : absent(error);
  }
}

async function remove(place: StorageLocation): Promise<void> {
  const { bucket, key, query } = place;
  if (isUploadKey(key) && query.versionId === undefined) return removeVersions(place);
  await bucket.ask({ method: 'DELETE', key, query });
}

async function* nothing(): Bytes {}

async function* passedOn(body: Bytes): Bytes {
  try {
    yield* body;
  } catch (error) {
    fail(error);
  }
}
