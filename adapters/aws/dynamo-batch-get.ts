/** Consistent reads of many rows of the table on DynamoDB at once. */
import { setTimeout as wait } from 'node:timers/promises';
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { Problem } from '../../shared/core/problem.ts';
import { checkRowKeys } from '../../shared/core/row-limits.ts';
import type { Key, Table } from '../../shared/ports.ts';
import { fail, type TableReading } from './dynamo-access.ts';
import { attribute, type DynamoItem, dynamoItem } from './dynamo-items.ts';

const MAX_BATCH_ROUNDS = 7;
const FIRST_WAIT_MS = 10;

const keyText = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);

export function batch(o: TableReading): Pick<Table, 'getMany'> {
  return {
    async getMany<T>(keys: Key[]) {
      checkRowKeys(keys);
      // DynamoDB refuses a batch that names a key twice.
      const keyItems = new Map(keys.map((key) => [keyText(key), dynamoItem.ofKey(key)]));
      const itemsByKey = await readBatch(o, [...keyItems.values()]);
      const now = o.clock.now();
      return keys.map((key) => {
        const item = itemsByKey.get(keyText(key));
        return item && !attribute.hasExpired(item, now) ? dynamoItem.parseRow<T>(item) : undefined;
      });
    },
  };
}

/** A response holds 16 MB at most, and a busy partition leaves keys unprocessed: the remaining keys are requested again. */
async function readBatch({ client, tableName }: TableReading, keys: DynamoItem[]): Promise<Map<string, DynamoItem>> {
  const itemsByKey = new Map<string, DynamoItem>();
  let remaining = keys;
  for (let round = 0; remaining.length > 0; round++) {
    if (round === MAX_BATCH_ROUNDS) throw new Problem('busy', 'The table is over its limits; try again shortly.');
    if (round > 0) await wait(Math.random() * FIRST_WAIT_MS * 2 ** round);
    const RequestItems = { [tableName]: { Keys: remaining, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems })).catch(fail);
    for (const item of Responses?.[tableName] ?? []) itemsByKey.set(keyText(dynamoItem.parseKey(item)), item);
    remaining = UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return itemsByKey;
}
