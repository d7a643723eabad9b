/** Everything that is stored on AWS, for the operator who erases an organization. It reads the whole table: no function may. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ScanCommandInput, WriteRequest } from '@aws-sdk/client-dynamodb';
import { ARRIVALS, ownerOfBlob } from '../../shared/core/blobs.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Everything, Key, Stored } from '../../shared/ports.ts';
import type { Dynamo } from './client/json-services.ts';
import { tagIn } from './client/request.ts';
import type { Bucket } from './client/s3.ts';
import { ATTRIBUTES as A, parseRow, text, toKeyItem } from './dynamo-items.ts';
import { fail } from './dynamo-table.ts';
import { type Buckets, bucketFailure, decodedKey, keysIn, pageOf } from './s3-blobs.ts';

type AdminStoreOptions = Buckets & { dynamo: Dynamo; tableName: string };

const WRITES_AT_ONCE = 25;
const MAX_ROUNDS = 7;
const FIRST_WAIT_MS = 50;

export const dynamoAdminStore = ({ dynamo, tableName, bucket, uploads }: AdminStoreOptions): Everything => ({
  async *rowsAbout(holding): AsyncIterable<Stored> {
    const input: ScanCommandInput = {
      TableName: tableName,
      ConsistentRead: true,
      FilterExpression: `contains(${A.pk}, :text) OR contains(${A.value}, :text)`,
      ExpressionAttributeValues: { ':text': text(holding) },
    };
    do {
      const { Items = [], LastEvaluatedKey } = await dynamo('Scan', input).catch(fail);
      yield* Items.map((item) => parseRow(item));
      input.ExclusiveStartKey = LastEvaluatedKey;
    } while (input.ExclusiveStartKey);
  },
  async removeRows(keys) {
    for (let from = 0; from < keys.length; from += WRITES_AT_ONCE) {
      await removeSome({ dynamo, tableName }, keys.slice(from, from + WRITES_AT_ONCE));
    }
  },
  /** A bucket lists its folders, so that no name has to be known. */
  async blobsIn(folders) {
    const found: string[] = [];
    for (const folder of folders) for await (const keys of listed(bucket, folder)) found.push(...keys);
    return found;
  },
  /** Whose they are stands behind the hour: all are looked through. */
  async uploadsOf(organization) {
    const found = new Set<string>();
    for await (const keys of listedVersions(uploads, ARRIVALS))
      for (const key of keys) if (ownerOfBlob(key).organization === organization) found.add(key);
    return [...found];
  },
  // The mail service keeps none, and DynamoDB shows nobody what was removed.
  removeMails: async () => undefined,
  forget: async () => undefined,
});

async function* listed(bucket: Bucket, prefix: string): AsyncIterable<string[]> {
  let after: string | undefined;
  do {
    const from = after === undefined ? {} : { 'continuation-token': after };
    const body = await page(bucket, { 'list-type': '2', prefix, ...from });
    yield keysIn(body);
    after = tagIn(body, 'NextContinuationToken');
  } while (after !== undefined);
}

/** The key of every version and of every mark of deletion: the same key again for each of them. */
async function* listedVersions(bucket: Bucket, prefix: string): AsyncIterable<string[]> {
  let after: Record<string, string> | undefined = {};
  while (after !== undefined) {
    const body = await page(bucket, { versions: '', prefix, ...after });
    yield keysIn(body);
    const [key, version] = [tagIn(body, 'NextKeyMarker'), tagIn(body, 'NextVersionIdMarker')];
    after = key && version ? { 'key-marker': decodedKey(key), 'version-id-marker': version } : undefined;
  }
}

async function page(bucket: Bucket, query: Record<string, string>): Promise<string> {
  return pageOf(bucket, query).catch((error) => {
    throw bucketFailure(error);
  });
}

async function removeSome(
  { dynamo, tableName }: Pick<AdminStoreOptions, 'dynamo' | 'tableName'>,
  keys: Key[],
): Promise<void> {
  let left: WriteRequest[] = keys.map((key) => ({ DeleteRequest: { Key: toKeyItem(key) } }));
  for (let round = 0; left.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new Problem('busy', 'The table is over its limits; try again shortly.');
    if (round > 0) await wait(Math.random() * FIRST_WAIT_MS * 2 ** round);
    const { UnprocessedItems } = await dynamo('BatchWriteItem', { RequestItems: { [tableName]: left } }).catch(fail);
    left = UnprocessedItems?.[tableName] ?? [];
  }
}
