/** Sends a stream of unknown length to S3 in bounded memory: in one request when it is short, in parts when it is long. */
import { Problem } from '../shared/core/problem.ts';
import type { Bytes } from '../shared/ports.ts';
import { bucketFailure } from './bucket-failure.ts';
import { tagIn } from './signed/refusal.ts';
import type { Bucket } from './signed/s3.ts';

/** The least that S3 takes, one at a time: each more costs its size in memory. */
const PART_BYTES = 5 * 1024 * 1024;

type UploadRequest = { bucket: Bucket; key: string; body: Bytes; maxBytes: number };
type Part = { bytes: Buffer; isLast: boolean };

/** For `catch`: so that a fault of the source stays one. */
function fail(error: unknown): never {
  throw bucketFailure(error);
}

export async function upload({ bucket, key, body, maxBytes }: UploadRequest): Promise<number> {
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
    // What it failed of is told, whatever becomes of the parts: the bucket's own rule clears them away in the end.
    await parts?.giveUp().catch(() => undefined);
    throw error;
  }
}

/** All of one size but the last, which is empty only when there is nothing at all. */
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
      // A copy, so that the part behind it can be freed.
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
