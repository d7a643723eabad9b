/** All that is stored on AWS, for the operator who erases. It reads the whole table: no function may. */
import { setTimeout as wait } from 'node:timers/promises';
import { BatchWriteItemCommand, type DynamoDBClient, paginateScan, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { Problem } from '../shared/core/problem.ts';
import type { Everything, Key, Stored } from '../shared/ports.ts';
import { bucketFailure } from './bucket-failure.ts';
import { fail } from './table-failures.ts';
import { itemRow, keyItem, text } from './table-items.ts';
import { ATTRIBUTES as A } from './table-layout.ts';

type Places = { dynamo: DynamoDBClient; tableName: string; s3: S3Client; bucket: string };

const WRITES_AT_ONCE = 25;
const MOST_ROUNDS = 7;
const FIRST_WAIT_MS = 50;

export const awsEverything = ({ dynamo, tableName, s3, bucket }: Places): Everything => ({
  async *rowsAbout(holding): AsyncIterable<Stored> {
    const pages = paginateScan(
      { client: dynamo },
      {
        TableName: tableName,
        ConsistentRead: true,
        FilterExpression: `contains(${A.pk}, :text) OR contains(${A.value}, :text)`,
        ExpressionAttributeValues: { ':text': text(holding) },
      },
    );
    for await (const { Items = [] } of pages) yield* Items.map((item) => itemRow(item));
  },
  async removeRows(keys) {
    for (let from = 0; from < keys.length; from += WRITES_AT_ONCE) {
      await removeSome({ dynamo, tableName }, keys.slice(from, from + WRITES_AT_ONCE));
    }
  },
  /** A bucket lists its folders, so that no name has to be known. */
  async blobsIn(folders) {
    const found: string[] = [];
    for (const Prefix of folders) {
      try {
        for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix })) {
          found.push(...Contents.flatMap(({ Key: key }) => key ?? []));
        }
      } catch (error) {
        throw bucketFailure(error);
      }
    }
    return found;
  },
});

async function removeSome({ dynamo, tableName }: Pick<Places, 'dynamo' | 'tableName'>, keys: Key[]): Promise<void> {
  let left: WriteRequest[] = keys.map((key) => ({ DeleteRequest: { Key: keyItem(key) } }));
  for (let round = 0; left.length > 0; round++) {
    if (round === MOST_ROUNDS) throw new Problem('busy', 'The table is over its limits; try again shortly.');
    if (round > 0) await wait(Math.random() * FIRST_WAIT_MS * 2 ** round);
    const command = new BatchWriteItemCommand({ RequestItems: { [tableName]: left } });
    const { UnprocessedItems } = await dynamo.send(command).catch(fail);
    left = UnprocessedItems?.[tableName] ?? [];
  }
}
