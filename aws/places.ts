/** Where bytes lie in S3: what arrives by signed address in a bucket that keeps each version, all else in one that keeps the last. */
import { isUploadKey, keyOfBlob } from '../shared/core/blobs.ts';
import type { Bucket } from './signed/s3.ts';

export type Buckets = { bucket: Bucket; uploads: Bucket };

/** `query` names the version, where one is meant. */
export type StorageLocation = { bucket: Bucket; key: string; query: Record<string, string> };

export const storageLocations =
  ({ bucket, uploads }: Buckets) =>
  (at: string): StorageLocation => {
    const { key, version } = keyOfBlob(at);
    const query: Record<string, string> = version === undefined ? {} : { versionId: version };
    return { bucket: isUploadKey(key) ? uploads : bucket, key, query };
  };
