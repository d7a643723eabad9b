/** Creates a bucket and enables versioning if wanted. The emulator has no CORS, lifecycle rules or policies. */
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { connection } from './connection.ts';
import type { Wanted } from './create.ts';
import { type Created, createdResource } from './template.ts';

export async function createBucket({ name, properties, places }: Wanted): Promise<Created> {
  const client = new S3Client(connection(places.emulators.s3Url));
  const Bucket = name.toLowerCase();
  await client.send(new CreateBucketCommand({ Bucket }));
  const { VersioningConfiguration } = properties as { VersioningConfiguration?: { Status: 'Enabled' } };
  if (VersioningConfiguration) await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
  client.destroy();
  return createdResource(Bucket, { Arn: `arn:aws:s3:::${Bucket}` });
}
