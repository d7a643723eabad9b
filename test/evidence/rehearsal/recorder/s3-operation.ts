/** The operation of a request to S3, and what a role must allow for it. */
import type { Need } from './allows.ts';
import type { Wire } from './wire.ts';

export type Operation = { name: string; needs: Need[] };

const VERSION = 'versionId';

type Kind = [method: string, query: string | undefined, name: string, action: string];

/** The first match wins. */
const ON_OBJECTS: Kind[] = [
  ['GET', VERSION, 'GetObject', 's3:GetObjectVersion'],
  ['HEAD', VERSION, 'HeadObject', 's3:GetObjectVersion'],
  ['DELETE', VERSION, 'DeleteObject', 's3:DeleteObjectVersion'],
  ['GET', 'uploadId', 'ListParts', 's3:ListMultipartUploadParts'],
  ['GET', undefined, 'GetObject', 's3:GetObject'],
  ['HEAD', undefined, 'HeadObject', 's3:GetObject'],
  ['POST', 'uploads', 'CreateMultipartUpload', 's3:PutObject'],
  ['POST', 'uploadId', 'CompleteMultipartUpload', 's3:PutObject'],
  ['PUT', 'uploadId', 'UploadPart', 's3:PutObject'],
  ['PUT', undefined, 'PutObject', 's3:PutObject'],
  ['DELETE', 'uploadId', 'AbortMultipartUpload', 's3:AbortMultipartUpload'],
  ['DELETE', undefined, 'DeleteObject', 's3:DeleteObject'],
];

const ON_BUCKETS: Kind[] = [
  ['GET', 'uploads', 'ListMultipartUploads', 's3:ListBucketMultipartUploads'],
  ['GET', 'versions', 'ListObjectVersions', 's3:ListBucketVersions'],
  ['GET', undefined, 'ListObjects', 's3:ListBucket'],
  ['HEAD', undefined, 'HeadBucket', 's3:ListBucket'],
];

/** Subresources other than the object itself; the product uses none of them. */
const STRANGE = ['acl', 'tagging', 'retention', 'legal-hold', 'torrent', 'attributes', 'delete'];

export function s3Operation({ method, path, query, headers }: Wire): Operation | undefined {
  const [bucket = '', ...parts] = path.slice(1).split('/').map(decodeURIComponent);
  const key = parts.join('/');
  const resource = `arn:aws:s3:::${bucket}${key && `/${key}`}`;
  if (STRANGE.some((name) => query.has(name))) return undefined;
  const fitting = (key ? ON_OBJECTS : ON_BUCKETS).find(
    ([wanted, flag]) => wanted === method && (flag === undefined || query.has(flag)),
  );
  if (!fitting) return undefined;
  const [, , name, action] = fitting;
  const needs = [{ action, resource }];
  const source = headers['x-amz-copy-source'];
  if (source === undefined) return { name, needs };
  const from = `arn:aws:s3:::${decodeURIComponent(source).replace(/^\//, '')}`;
  return {
    name: name.replace('PutObject', 'CopyObject'),
    needs: [{ action: 's3:GetObject', resource: from }, ...needs],
  };
}

/** Without `s3:ListBucket`, S3 answers 403 instead of 404 for a missing object. For versions both grants are required. */
export const needsToMiss = ({ path, query }: Wire): Need[] =>
  ['s3:ListBucket', ...(query.has(VERSION) ? ['s3:ListBucketVersions'] : [])].map((action) => ({
    action,
    resource: `arn:aws:s3:::${path.split('/')[1]}`,
  }));
