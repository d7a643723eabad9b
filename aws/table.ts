/** The table on DynamoDB: one item for each row, two sparse indexes. */
import { checkKey } from '../shared/core/port-limits.ts';
import type { Table } from '../shared/ports.ts';
import { batch } from './table-batch.ts';
import { counters } from './table-counters.ts';
import { fail } from './table-failures.ts';
import { hasExpired, parseRow, toKeyItem } from './table-items.ts';
import { pages } from './table-pages.ts';
import { type Writing, writes } from './table-writes.ts';

export function dynamoTable(o: Writing): Table {
  const { dynamo, tableName, clock } = o;
  return {
    async get(key, { consistency = 'strong' } = {}) {
      checkKey(key);
      const wanted = { TableName: tableName, Key: toKeyItem(key), ConsistentRead: consistency === 'strong' };
      const { Item: item } = await dynamo('GetItem', wanted).catch(fail);
      return item && !hasExpired(item, clock.now()) ? parseRow(item) : undefined;
    },
    ...batch(o),
    ...writes(o),
    ...pages(o),
    ...counters(o),
  };
}
