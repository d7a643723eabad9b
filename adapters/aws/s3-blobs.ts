/** Blobs in S3: reads, writes, pages of keys, signed downloads, and the versions of uploads. */

import { attachmentHeader, attachmentType } from '../../shared/core/attachment.ts';
import {
  checkBlobKey,
  checkRange,
  isUploadKey,
  keyOfBlob,
  versionOfBlob,
  versionsPage,
} from '../../shared/core/blobs.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import type { ArrivedUpload, Attachment, Blobs, ByteRange, Bytes, Downloads, Page } from '../../shared/ports.ts';
import type { S3Access } from './clients.ts';
import { type AwsError, failure, httpStatusOf, isAwsError } from './errors.ts';
import type { S3Requests } from './s3-client.ts';

type BucketAccess = { s3: S3Access; bucket: string };

/** Presigned download URLs only, for functions that show results and need nothing else of the bucket. */
export const s3Downloads = ({ s3, bucket }: BucketAccess): Downloads => ({
  async downloadAddress(key, as, seconds) {
    checkBlobKey(key);
    return addressOf(s3, { Bucket: bucket, Key: key }, as, seconds).catch(fail);
  },
});

/** Read access, for a function that writes nothing into the bucket. */
export const s3Reader = ({ s3, bucket }: BucketAccess): Pick<Blobs, 'read'> => ({
  async read(key, range) {
    checkBlobKey(key);
    if (range) checkRange(range);
    return read(s3, { Bucket: bucket, Key: key }, range).catch(fail);
  },
});

async function addressOf(s3: S3Access, location: ObjectLocation, as: Attachment, seconds: number): Promise<string> {
  const request = {
    ...location,
    ResponseContentDisposition: attachmentHeader(as.fileName),
    ResponseContentType: attachmentType(as.contentType),
  };
  return (await s3()).signedGet(request, seconds);
}

/** The two buckets: uploads by presigned URL go into one with versioning, everything else into one without. */
export type Buckets = { bucket: string; uploads: string };

/** With the version, if one is meant. */
type ObjectLocation = { Bucket: string; Key: string; VersionId?: string };

function locationOf({ bucket, uploads }: Buckets, at: string): ObjectLocation {
  const { key, version } = keyOfBlob(at);
  return { Bucket: isUploadKey(key) ? uploads : bucket, Key: key, ...definedFields({ VersionId: version }) };
}

/** One request returns the newest version's id, its size and its first bytes. */
async function latestUpload(s3: S3Access, at: ObjectLocation, headBytes: number): Promise<ArrivedUpload | undefined> {
  try {
    const { VersionId, ContentRange, Body } = await (await s3()).get({ ...at, Range: `bytes=0-${headBytes - 1}` });
    const head: Uint8Array[] = [];
    for await (const chunk of Body as Bytes) head.push(chunk);
    return { at: versionOfBlob(at.Key, versionIn(VersionId)), size: sizeIn(ContentRange), head: Buffer.concat(head) };
  } catch (error) {
    // S3 answers 416 to a range of an empty object.
    if (httpStatusOf(error) === 416) return { at: at.Key, size: 0, head: new Uint8Array() };
    return ignoreMissing(error);
  }
}

/**
 * Removes the newest version until none is left. There is nearly always only one, and listing the versions would cost
 * as much as a write.
 */
async function removeVersions(s3: S3Access, at: ObjectLocation): Promise<void> {
  const requests = await s3();
  for (let newest = await newestVersion(requests, at); newest; newest = await newestVersion(requests, at)) {
    await requests.remove({ ...at, VersionId: newest });
  }
}

/** Includes delete markers, which the bucket's lifecycle rules add when objects expire. */
async function newestVersion(requests: S3Requests, at: ObjectLocation): Promise<string | undefined> {
  try {
    return versionIn((await requests.head(at)).VersionId);
  } catch (error) {
    return ignoreMissing(error) ?? deleteMarkerIn(error as AwsError);
  }
}

/** The id of the delete marker that hides the versions before it; the client leaves it in the response. */
function deleteMarkerIn({ $response }: AwsError): string | undefined {
  const { 'x-amz-delete-marker': isHidden, 'x-amz-version-id': marker } = $response?.headers ?? {};
  return isHidden === 'true' ? marker : undefined;
}

/** Without versioning, a later upload would change a completed file. */
function versionIn(version: string | undefined): string {
  if (version !== undefined) return version;
  throw new Problem('badSetting', 'The bucket of uploads keeps no versions; deploy the stack again.');
}

function sizeIn(contentRange = ''): number {
  const size = /^bytes \d+-\d+\/(\d+)$/.exec(contentRange)?.[1];
  if (size === undefined) throw new Error('The bucket of uploads did not say how long an upload is.');
  return Number(size);
}

/** A handler for `catch`: `undefined` for a missing object, rethrows other errors. A HEAD reports NotFound only. */
function ignoreMissing(error: unknown): undefined {
  if (!isAwsError(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) throw error;
}

/** Translates errors of the bucket's client. The specification names a code for a bucket that is missing or inaccessible. */
export function bucketFailure(cause: unknown): Error {
  const translated = failure('The bucket', cause);
  return isProblem(translated, 'badSetting')
    ? new Problem('noStorage', 'S3 storage configuration missing', { cause: translated })
    : translated;
}

/** A handler for `catch`. */
function fail(error: unknown): never {
  throw bucketFailure(error);
}

/** Keys are listed URL-encoded, because XML cannot represent every key. */
export const decodedKey = (key = ''): string => decodeURIComponent(key.replaceAll('+', ' '));

type ListedVersion = { Key?: string | undefined; VersionId?: string | undefined };

/** The key and id of each version and delete marker. Pages continue after a key, so that callers need not keep a token. */
async function versionsBehind(
  s3: S3Access,
  Bucket: string,
  prefix: string,
  { after, limit }: { after?: string; limit: number },
): Promise<Page<string>> {
  const { Versions, DeleteMarkers, IsTruncated } = await (await s3()).listVersions({
    ...{ Bucket, Prefix: prefix, MaxKeys: limit, EncodingType: 'url' },
    ...definedFields({ KeyMarker: after }),
  });
  return versionsPage(versionsByKey(Versions, DeleteMarkers), IsTruncated === true, prefix, after);
}

function versionsByKey(versions: ListedVersion[] = [], deleteMarkers: ListedVersion[] = []): string[] {
  const entries = [...versions, ...deleteMarkers].map(({ Key, VersionId = '' }) => ({
    key: decodedKey(Key),
    version: VersionId,
  }));
  entries.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  return entries.map(({ key, version }) => versionOfBlob(key, version));
}

type Upload = { location: ObjectLocation; body: Bytes; maxBytes: number };

/** Uploads a stream of unknown length in bounded memory. Errors of the stream stay as they are. */
async function upload(s3: S3Access, { location, body, maxBytes }: Upload): Promise<number> {
  let size = 0;
  let sourceFault: { error: unknown } | undefined;
  async function* countBytes(): Bytes {
    try {
      for await (const chunk of body) {
        size += chunk.byteLength;
        if (size > maxBytes) throw new Problem('tooLarge', `There are more than ${maxBytes} bytes.`);
        if (chunk.byteLength > 0) yield chunk;
      }
    } catch (error) {
      sourceFault = { error };
      throw error;
    }
  }
  try {
    await (await s3()).upload({ ...location, body: countBytes() });
    return size;
  } catch (error) {
    throw sourceFault ? sourceFault.error : bucketFailure(error);
  }
}

export function s3Blobs({ s3, ...buckets }: Buckets & { s3: S3Access }): Blobs {
  return {
    put: async (key, body, { maxBytes }) => upload(s3, { location: locationOf(buckets, key), body, maxBytes }),
    async read(at, range) {
      const location = locationOf(buckets, at);
      if (range) checkRange(range);
      return read(s3, location, range).catch(fail);
    },
    size: async (at) => sizeOf(s3, locationOf(buckets, at)).catch(fail),
    remove: async (at) => remove(s3, locationOf(buckets, at)).catch(fail),
    async uploadAddress(at, seconds) {
      const location = locationOf(buckets, at);
      return s3()
        .then((requests) => requests.signedPut(location, seconds))
        .catch(fail);
    },
    arrived: async (key, headBytes) => latestUpload(s3, locationOf(buckets, key), headBytes).catch(fail),
    uploads: async (prefix, paging) => versionsBehind(s3, buckets.uploads, prefix, paging).catch(fail),
    /** Nothing to do: with versioning, a new upload does not remove older versions. */
    keep: async () => true,
    downloadAddress: async (at, as, seconds) => addressOf(s3, locationOf(buckets, at), as, seconds).catch(fail),
  };
}

/** Returns `undefined` for a missing key; a HEAD cannot tell it from a missing bucket. */
async function sizeOf(s3: S3Access, location: ObjectLocation): Promise<number | undefined> {
  const head = await (await s3()).head(location).catch(ignoreMissing);
  return head?.ContentLength;
}

async function read(s3: S3Access, location: ObjectLocation, range?: ByteRange): Promise<Bytes | undefined> {
  try {
    const Range = range && `bytes=${range.from}-${range.to ?? ''}`;
    const { Body } = await (await s3()).get({ ...location, ...definedFields({ Range }) });
    return translateErrors(Body as Bytes);
  } catch (error) {
    return httpStatusOf(error) === 416 ? emptyBody() : ignoreMissing(error);
  }
}

async function remove(s3: S3Access, location: ObjectLocation): Promise<void> {
  if (isUploadKey(location.Key) && location.VersionId === undefined) return removeVersions(s3, location);
  await (await s3()).remove(location);
}

async function* emptyBody(): Bytes {}

async function* translateErrors(body: Bytes): Bytes {
  try {
    yield* body;
  } catch (error) {
    fail(error);
  }
}
