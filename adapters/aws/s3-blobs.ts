/** Blobs in S3: reads, writes, pages of keys, signed downloads, and the versions of uploads. */

import {
  attachmentHeader,
  attachmentType,
  checkKey,
  checkRange,
  isUploadKey,
  keyOfBlob,
  versionOfBlob,
  versionsPage,
} from '../../shared/core/blobs.ts';
import { isProblem, Problem } from '../../shared/core/problem.ts';
import type { Arrived, Attachment, Blobs, ByteRange, Bytes, Downloads, Page } from '../../shared/ports.ts';
import { type AwsAnswer, type AwsError, failure, isAwsError, statusOf, tagIn, tagsIn } from './client/request.ts';
import type { Bucket } from './client/services.ts';

/** Presigned download URLs only, for functions that show results and need nothing else of the bucket. */
export const s3Downloads = (bucket: Bucket): Downloads => ({
  async downloadAddress(key, as, seconds) {
    checkKey(key);
    return addressOf({ bucket, key, query: {} }, as, seconds).catch((error) => {
      throw bucketFailure(error);
    });
  },
});

/** Read access, for a function that writes nothing into the bucket. */
export const s3Reader = (bucket: Bucket): Pick<Blobs, 'read'> => ({
  async read(key, range) {
    checkKey(key);
    if (range) checkRange(range);
    return read({ bucket, key, query: {} }, range).catch(fail);
  },
});

async function addressOf({ bucket, key, query }: StorageLocation, as: Attachment, seconds: number): Promise<string> {
  const wanted = {
    ...query,
    'response-content-disposition': attachmentHeader(as.fileName),
    'response-content-type': attachmentType(as.contentType),
    'x-id': 'GetObject',
  };
  return bucket.address({ method: 'GET', key, query: wanted, seconds });
}

/** The two buckets: uploads by presigned URL go into one with versioning, everything else into one without. */
export type Buckets = { bucket: Bucket; uploads: Bucket };

/** `query` contains the version id, if a version is meant. */
type StorageLocation = { bucket: Bucket; key: string; query: Record<string, string> };

const storageLocations =
  ({ bucket, uploads }: Buckets) =>
  (at: string): StorageLocation => {
    const { key, version } = keyOfBlob(at);
    const query: Record<string, string> = version === undefined ? {} : { versionId: version };
    return { bucket: isUploadKey(key) ? uploads : bucket, key, query };
  };

/** The versions of an upload in S3. */
const VERSION = 'x-amz-version-id';

/** One request returns the newest version's id, its size and its first bytes. */
async function latestUpload({ bucket, key }: StorageLocation, headBytes: number): Promise<Arrived | undefined> {
  try {
    const { headers, body } = await bucket.open({ method: 'GET', key, headers: { range: `bytes=0-${headBytes - 1}` } });
    const head: Uint8Array[] = [];
    for await (const chunk of body) head.push(chunk);
    return {
      at: versionOfBlob(key, versionIn(headers)),
      size: sizeIn(headers),
      head: Buffer.concat(head),
    };
  } catch (error) {
    // S3 answers 416 to a range of an empty object.
    if (statusOf(error) === 416) return { at: key, size: 0, head: new Uint8Array() };
    return absent(error);
  }
}

/**
 * Removes the newest version until none is left. There is nearly always only one, and listing the versions would cost
 * as much as a write.
 */
async function removeVersions(location: StorageLocation): Promise<void> {
  const { bucket, key } = location;
  for (let newest = await newestVersion(location); newest !== undefined; newest = await newestVersion(location)) {
    await bucket.ask({ method: 'DELETE', key, query: { versionId: newest } });
  }
}

/** Includes delete markers, which the bucket's lifecycle rules add when objects expire. */
async function newestVersion({ bucket, key }: StorageLocation): Promise<string | undefined> {
  try {
    return versionIn((await bucket.ask({ method: 'HEAD', key })).headers);
  } catch (error) {
    return absent(error) ?? (error as AwsError).hiddenBy;
  }
}

/** Without versioning, a later upload would change a completed file. */
function versionIn(headers: AwsAnswer['headers']): string {
  const version = headers[VERSION];
  if (typeof version === 'string') return version;
  throw new Problem('badSetting', 'The bucket of uploads keeps no versions; deploy the stack again.');
}

function sizeIn(headers: AwsAnswer['headers']): number {
  const size = /^bytes \d+-\d+\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  if (size === undefined) throw new Error('The bucket of uploads did not say how long an upload is.');
  return Number(size);
}

/** A handler for `catch`: `undefined` for a missing object, rethrows other errors. A HEAD reports NotFound only. */
function absent(error: unknown): undefined {
  if (!isAwsError(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) throw error;
}

/** Translates errors of the bucket's client. The specification names a code for a bucket that is missing or inaccessible. */
function bucketFailure(cause: unknown): Error {
  const found = failure('The bucket', cause);
  return isProblem(found, 'badSetting')
    ? new Problem('noStorage', 'S3 storage configuration missing', { cause })
    : found;
}

/** One page of a bucket's listing. The keys are URL-encoded, because XML cannot represent every key. */
async function pageOf(bucket: Bucket, query: Record<string, string>): Promise<string> {
  const { body } = await bucket.ask({ method: 'GET', key: '', query: { 'encoding-type': 'url', ...query } });
  return body;
}

const keysIn = (body: string): string[] => tagsIn(body, 'Key').map(decodedKey);
const decodedKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '));

type Paging = { after?: string; limit: number };

/** The key and id of each version and delete marker. Pages continue after a key, so that callers need not keep a token. */
async function versionsBehind(bucket: Bucket, prefix: string, { after, limit }: Paging): Promise<Page<string>> {
  const start: Record<string, string> = after === undefined ? {} : { 'key-marker': after };
  const body = await pageOf(bucket, { versions: '', 'max-keys': String(limit), prefix, ...start });
  const versions = tagsIn(body, 'VersionId');
  const rows = keysIn(body).map((key, index) => versionOfBlob(key, versions[index] ?? ''));
  return versionsPage(rows, tagIn(body, 'IsTruncated') === 'true', prefix, after);
}

// Uploads a stream of unknown length in bounded memory: in one request if it is short, otherwise in parts.

/** The smallest part that S3 accepts. Parts are sent one at a time, because each is held in memory. */
const PART_BYTES = 5 * 1024 * 1024;

type UploadRequest = { bucket: Bucket; key: string; body: Bytes; maxBytes: number };
type Part = { bytes: Buffer; isLast: boolean };

/** A handler for `catch` around requests to S3 only, so that errors of the source stay as they are. */
function fail(error: unknown): never {
  throw bucketFailure(error);
}

async function upload({ bucket, key, body, maxBytes }: UploadRequest): Promise<number> {
  let size = 0;
  let parts: Parts | undefined;
  try {
    for await (const { bytes, isLast } of partsOf(body, maxBytes)) {
      size += bytes.byteLength;
      if (isLast && !parts) await bucket.ask({ method: 'PUT', key, body: bytes }).catch(fail);
      else {
        parts ??= await beginMultipart(bucket, key);
        await parts.add(bytes);
      }
    }
    await parts?.complete();
    return size;
  } catch (error) {
    // The original error is thrown even if the parts stay: the bucket's lifecycle rule removes them.
    await parts?.giveUp().catch(() => undefined);
    throw error;
  }
}

/** Parts of one size, except the last, which is empty only if the whole body is empty. */
async function* partsOf(body: Bytes, maxBytes: number): AsyncGenerator<Part> {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Problem('tooLarge', `There are more than ${maxBytes} bytes.`);
    chunks.push(chunk);
    held += chunk.byteLength;
    while (held > PART_BYTES) {
      const all = Buffer.concat(chunks);
      yield { bytes: all.subarray(0, PART_BYTES), isLast: false };
      // A copy, so that the memory of the yielded part can be freed.
      const rest = Buffer.from(all.subarray(PART_BYTES));
      chunks = [rest];
      held = rest.byteLength;
    }
  }
  yield { bytes: Buffer.concat(chunks), isLast: true };
}

type Parts = Awaited<ReturnType<typeof beginMultipart>>;

async function beginMultipart(bucket: Bucket, key: string) {
  const begun = await bucket.ask({ method: 'POST', key, query: { uploads: '' } }).catch(fail);
  const uploadId = tagIn(begun.body, 'UploadId');
  if (!uploadId) throw new Error('The bucket named no upload.');
  const tags: string[] = [];
  return {
    async add(bytes: Uint8Array) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const { headers } = await bucket.ask({ method: 'PUT', key, query, body: bytes }).catch(fail);
      tags.push(headers.etag ?? '');
    },
    async complete() {
      const headers = { 'content-type': 'application/xml' };
      await bucket.ask({ method: 'POST', key, query: { uploadId }, headers, body: listOf(tags) }).catch(fail);
    },
    async giveUp() {
      await bucket.ask({ method: 'DELETE', key, query: { uploadId } });
    },
  };
}

const listOf = (tags: string[]): string => {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${inXml(tag)}</ETag></Part>`);
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
};

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const inXml = (text: string): string => text.replace(/[&<>"]/g, (c) => ENTITIES[c] ?? '');

export function s3Blobs(buckets: Buckets): Blobs {
  const placed = storageLocations(buckets);
  return {
    put: async (key, body, { maxBytes }) => upload({ ...placed(key), body, maxBytes }),
    async read(at, range) {
      const location = placed(at);
      if (range) checkRange(range);
      return read(location, range).catch(fail);
    },
    size: async (at) => sizeOf(placed(at)).catch(fail),
    remove: async (at) => remove(placed(at)).catch(fail),
    async uploadAddress(at, seconds) {
      const { bucket, key } = placed(at);
      return bucket.address({ method: 'PUT', key, query: { 'x-id': 'PutObject' }, seconds }).catch(fail);
    },
    arrived: async (key, headBytes) => latestUpload(placed(key), headBytes).catch(fail),
    uploads: async (prefix, paging) => versionsBehind(buckets.uploads, prefix, paging).catch(fail),
    /** Nothing to do: with versioning, a new upload does not remove older versions. */
    keep: async () => true,
    downloadAddress: async (at, as, seconds) => addressOf(placed(at), as, seconds).catch(fail),
  };
}

/** Returns `undefined` for a missing key; a HEAD cannot tell it from a missing bucket. */
async function sizeOf({ bucket, key, query }: StorageLocation): Promise<number | undefined> {
  const head = await bucket.ask({ method: 'HEAD', key, query }).catch(absent);
  return head && Number(head.headers['content-length']);
}

async function read({ bucket, key, query }: StorageLocation, range?: ByteRange): Promise<Bytes | undefined> {
  const headers: Record<string, string> = range ? { range: `bytes=${range.from}-${range.to ?? ''}` } : {};
  try {
    return passedOn((await bucket.open({ method: 'GET', key, query, headers })).body);
  } catch (error) {
    return statusOf(error) === 416 ? nothing() : absent(error);
  }
}

async function remove(location: StorageLocation): Promise<void> {
  const { bucket, key, query } = location;
  if (isUploadKey(key) && query.versionId === undefined) return removeVersions(location);
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

/** Listings of S3 and the translation of its errors, which the deletion of a stage uses too. */
export const s3Listing = { pageOf, keysIn, decodedKey, failure: bucketFailure };
