/** Sends a stream of unknown length to S3 in bounded memory: in one request when it is short, in parts when it is long. */
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Problem } from '../shared/core/problem.ts';
import type { Bytes } from '../shared/ports.ts';
import { bucketFailure } from './bucket-failure.ts';

/** The least that S3 takes. One part at a time: each more costs its size in memory, twice. */
const PARTS = { partSize: 5 * 1024 * 1024, queueSize: 1 };

export type Place = { Bucket: string; Key: string };
type Wanted = { client: S3Client; to: Place; body: Bytes; maxBytes: number };

export async function upload({ client, to, body, maxBytes }: Wanted): Promise<number> {
  const source = watched(body, maxBytes);
  const Body = Readable.from(source.bytes(), { objectMode: false });
  try {
    // What fails here, source or bucket, gives up the parts that were stored.
    await new Upload({ client, params: { ...to, Body }, ...PARTS }).done();
    return source.size();
  } catch (error) {
    throw source.fault() ?? bucketFailure(error);
  }
}

/** Counts the bytes, and keeps a fault of the source apart from one of the bucket. */
function watched(body: Bytes, maxBytes: number) {
  let size = 0;
  let fault: unknown;
  async function* counted(): Bytes {
    try {
      for await (const chunk of body) {
        size += chunk.byteLength;
        if (size > maxBytes) throw new Problem('tooLarge', `There are more than ${maxBytes} bytes.`);
        if (chunk.byteLength > 0) yield chunk;
      }
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  // A Readable that is destroyed throws into the generator it reads; this one in between keeps that from the count.
  async function* bytes(): Bytes {
    for await (const chunk of counted()) yield chunk;
  }
  return { bytes, size: () => size, fault: () => fault };
}
