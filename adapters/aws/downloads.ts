/** Addresses that answer GET with a blob of a bucket of S3: all that a function needs which only shows results. */
import { attachmentHeader, attachmentType, checkKey } from '../../shared/core/blobs.ts';
import type { Attachment, Downloads } from '../../shared/ports.ts';
import type { Bucket } from './client/s3.ts';
import { bucketFailure, type StorageLocation } from './s3-blobs.ts';

export const s3Downloads = (bucket: Bucket): Downloads => ({
  async downloadAddress(key, as, seconds) {
    checkKey(key);
    return addressOf({ bucket, key, query: {} }, as, seconds).catch((error) => {
      throw bucketFailure(error);
    });
  },
});

export async function addressOf(
  { bucket, key, query }: StorageLocation,
  as: Attachment,
  seconds: number,
): Promise<string> {
  const wanted = {
    ...query,
    'response-content-disposition': attachmentHeader(as.fileName),
    'response-content-type': attachmentType(as.contentType),
    'x-id': 'GetObject',
  };
  return bucket.address({ method: 'GET', key, query: wanted, seconds });
}
