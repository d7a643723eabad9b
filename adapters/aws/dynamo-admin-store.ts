/** Everything that a deployed stage stores, for the operator: rows by a text in them, and blobs by organization. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { ListObjectVersionsCommandOutput } from '@aws-sdk/client-s3';
import { ARRIVALS, ownerOfBlob } from '../../shared/core/blobs.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Everything, Key, RawRow } from '../../shared/ports.ts';
import type { S3Access } from './clients.ts';
import { fail } from './dynamo-access.ts';
import { ATTRIBUTES as A, attribute, dynamoItem } from './dynamo-items.ts';
import { type Buckets, bucketFailure, decodedKey } from './s3-blobs.ts';

type AdminStoreOptions = Buckets & { client: DynamoDBClient; s3: S3Access; tableName: string };

const WRITES_AT_ONCE = 25;
const MAX_ROUNDS = 7;
const FIRST_WAIT_MS = 50;

export const dynamoAdminStore = ({ client, s3, tableName, bucket, uploads }: AdminStoreOptions): Everything => ({
  async *rowsAbout(text): AsyncIterable<RawRow> {
    const input: ScanCommandInput = {
      TableName: tableName,
      ConsistentRead: true,
      FilterExpression: `contains(${A.pk}, :text) OR contains(${A.value}, :text)`,
      ExpressionAttributeValues: { ':text': attribute.text(text) },
    };
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand(input)).catch(fail);
      yield* Items.map((item) => dynamoItem.parseRow(item));
      input.ExclusiveStartKey = LastEvaluatedKey;
    } while (input.ExclusiveStartKey);
  },
  async removeRows(keys) {
    for (let from = 0; from < keys.length; from += WRITES_AT_ONCE) {
      await removeBatch({ client, tableName }, keys.slice(from, from + WRITES_AT_ONCE));
    }
  },
  /** S3 lists keys by prefix, so that no name has to be known. */
  async blobsIn(folders) {
    const allKeys: string[] = [];
    for (const folder of folders) for await (const keys of listKeys(s3, bucket, folder)) allKeys.push(...keys);
    return allKeys;
  },
  /** In upload keys the organization follows the hour, so all uploads are listed. */
  async uploadsOf(organization) {
    const uploadKeys = new Set<string>();
    for await (const keys of listVersionKeys(s3, uploads, ARRIVALS))
      for (const key of keys) if (ownerOfBlob(key).organization === organization) uploadKeys.add(key);
    return [...uploadKeys];
  },
  // SES keeps no mails, and DynamoDB does not show removed rows.
  removeMails: async () => undefined,
  forget: async () => undefined,
});

/** Keys are listed URL-encoded, because XML cannot represent every key. */
const ENCODED = { EncodingType: 'url' as const };

async function* listKeys(s3: S3Access, Bucket: string, Prefix: string): AsyncIterable<string[]> {
  const { list } = await s3();
  let ContinuationToken: string | undefined;
  do {
    const page = await list({ Bucket, Prefix, ContinuationToken, ...ENCODED }).catch(failListing);
    yield keysOf(page.Contents);
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}

/** The key of every version and of every delete marker, so keys repeat. */
async function* listVersionKeys(s3: S3Access, Bucket: string, Prefix: string): AsyncIterable<string[]> {
  const { listVersions } = await s3();
  let marker: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
  while (marker !== undefined) {
    const page: ListObjectVersionsCommandOutput = await listVersions({ Bucket, Prefix, ...marker, ...ENCODED }).catch(
      failListing,
    );
    yield [...keysOf(page.Versions), ...keysOf(page.DeleteMarkers)];
    const { NextKeyMarker: key, NextVersionIdMarker: version } = page;
    marker = key && version ? { KeyMarker: decodedKey(key), VersionIdMarker: version } : undefined;
  }
}

const keysOf = (entries: { Key?: string | undefined }[] = []): string[] => entries.map(({ Key }) => decodedKey(Key));

function failListing(error: unknown): never {
  throw bucketFailure(error);
}

async function removeBatch(
  { client, tableName }: Pick<AdminStoreOptions, 'client' | 'tableName'>,
  keys: Key[],
): Promise<void> {
  let remaining: WriteRequest[] = keys.map((key) => ({ DeleteRequest: { Key: dynamoItem.ofKey(key) } }));
  for (let round = 0; remaining.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new Problem('busy', 'The table is over its limits; try again shortly.');
    if (round > 0) await wait(Math.random() * FIRST_WAIT_MS * 2 ** round);
    const batch = new BatchWriteItemCommand({ RequestItems: { [tableName]: remaining } });
    const { UnprocessedItems } = await client.send(batch).catch(fail);
    remaining = UnprocessedItems?.[tableName] ?? [];
  }
}
