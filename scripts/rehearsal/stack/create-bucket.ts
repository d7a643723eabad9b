/** A bucket in S3Proxy, which knows none of the properties: no CORS, no lifecycle, no policy. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { connection } from './connection.ts';
import type { Wanted } from './create.ts';
import { type Created, created } from './template.ts';

export async function createBucket({ name, places }: Wanted): Promise<Created> {
  const client = new S3Client(connection(places.emulators.s3Url));
  const Bucket = name.toLowerCase();
  await client.send(new CreateBucketCommand({ Bucket }));
  client.destroy();
  return created(Bucket, { Arn: `arn:aws:s3:::${Bucket}` });
}
