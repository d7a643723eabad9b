/** Reads many rows by key in few requests. */
import { setTimeout as wait } from 'node:timers/promises';
import { checkKeys } from '../shared/core/port-limits.ts';
import { Problem } from '../shared/core/problem.ts';
import type { Key, Table } from '../shared/ports.ts';
import { fail } from './table-failures.ts';
import { type DynamoItem, hasExpired, parseKey, parseRow, toKeyItem } from './table-items.ts';
import type { TableReading } from './table-pages.ts';

const MAX_BATCH_ROUNDS = 7;
const FIRST_WAIT_MS = 10;

const keyText = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);

export function batch(o: TableReading): Pick<Table, 'getMany'> {
  return {
    async getMany<T>(keys: Key[]) {
      checkKeys(keys);
      // DynamoDB refuses a batch that names a key twice.
      const asked = new Map(keys.map((key) => [keyText(key), toKeyItem(key)]));
      const found = await readBatch(o, [...asked.values()]);
      const now = o.clock.now();
      return keys.map((key) => {
        const item = found.get(keyText(key));
        return item && !hasExpired(item, now) ? parseRow<T>(item) : undefined;
      });
    },
  };
}

/** One answer holds 16 MB at most, and a busy partition leaves keys unprocessed: what is left is asked for again. */
async function readBatch({ dynamo, tableName }: TableReading, keys: DynamoItem[]): Promise<Map<string, DynamoItem>> {
  const found = new Map<string, DynamoItem>();
  let left = keys;
  for (let round = 0; left.length > 0; round++) {
    if (round === MAX_BATCH_ROUNDS) throw new Problem('busy', 'The table is over its limits; try again shortly.');
    if (round > 0) await wait(Math.random() * FIRST_WAIT_MS * 2 ** round);
    const RequestItems = { [tableName]: { Keys: left, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await dynamo('BatchGetItem', { RequestItems }).catch(fail);
    for (const item of Responses?.[tableName] ?? []) found.set(keyText(parseKey(item)), item);
    left = UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return found;
}
