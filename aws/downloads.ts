/** Addresses that answer GET with a blob of a bucket of S3: all that a function needs which only shows results. */
import { attachmentHeader, attachmentType } from '../shared/core/attachment.ts';
import { checkKey } from '../shared/core/blob-key.ts';
import type { Downloads } from '../shared/ports.ts';
import { bucketFailure } from './bucket-failure.ts';
import type { Bucket } from './signed/s3.ts';

export const s3Downloads = (bucket: Bucket): Downloads => ({
  async downloadAddress(key, { fileName, contentType }, seconds) {
    checkKey(key);
    const query = {
      'response-content-disposition': attachmentHeader(fileName),
      'response-content-type': attachmentType(contentType),
      'x-id': 'GetObject',
    };
    return bucket.address({ method: 'GET', key, query, seconds }).catch((error) => {
      throw bucketFailure(error);
    });
  },
});
