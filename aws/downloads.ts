/** Addresses that answer GET with a blob of a bucket of S3: all that a function needs which only shows results. */
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { attachmentHeader, attachmentType } from '../shared/core/attachment.ts';
import { checkKey } from '../shared/core/blob-key.ts';
import type { Attachment, Downloads } from '../shared/ports.ts';
import { bucketFailure } from './bucket-failure.ts';

export const s3Downloads = ({ client, bucket }: { client: S3Client; bucket: string }): Downloads => ({
  async downloadAddress(key, as, seconds) {
    checkKey(key);
    return getSignedUrl(client, download(bucket, key, as), { expiresIn: seconds }).catch((error) => {
      throw bucketFailure(error);
    });
  },
});

const download = (Bucket: string, Key: string, { fileName, contentType }: Attachment) =>
  new GetObjectCommand({
    Bucket,
    Key,
    ResponseContentDisposition: attachmentHeader(fileName),
    ResponseContentType: attachmentType(contentType),
  });
