/** Writes single rows, each with one conditional request. */
import { checkedJson, checkKey } from '../shared/core/port-limits.ts';
import type { Draft, First, Ids, Key, Replacing, Row, Table } from '../shared/ports.ts';
import { ABSENT, ALIVE, EXPIRED, HELD } from './table-conditions.ts';
import { isOwnWrite, refusedBy } from './table-failures.ts';
import { number, text, toItem, toKeyItem } from './table-items.ts';
import type { TableReading } from './table-pages.ts';

export type Writing = TableReading & { ids: Ids };

export function writes({ dynamo, tableName, clock, ids }: Writing): Pick<Table, 'insert' | 'replace' | 'remove'> {
  const now = () => number(clock.now());
  const onRefusal = { TableName: tableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

  async function insert<T>(draft: Draft<T>, first: First = []): Promise<Row<T> | undefined> {
    await Promise.all(first.map((one) => insert(one)));
    const row = { ...draft, version: ids.mark() };
    const sent = dynamo('PutItem', {
      ...onRefusal,
      Item: toItem(row, checkedJson(row)),
      ConditionExpression: `${ABSENT} OR ${EXPIRED}`,
      ExpressionAttributeValues: { ':now': now() },
    });
    const refused = await refusedBy(sent);
    return refused && !isOwnWrite(refused, row.version) ? undefined : row;
  }

  return {
    insert,

    async replace<T>(held: Key & { version: string }, next: Omit<Draft<T>, keyof Key>, { first = [] }: Replacing = {}) {
      await Promise.all(first.map((one) => insert(one)));
      const row = { ...next, pk: held.pk, sk: held.sk, version: ids.mark() };
      const sent = dynamo('PutItem', {
        ...onRefusal,
        Item: toItem(row, checkedJson(row)),
        ConditionExpression: `${HELD} AND ${ALIVE}`,
        ExpressionAttributeValues: { ':held': text(held.version), ':now': now() },
      });
      const refused = await refusedBy(sent);
      return refused && !isOwnWrite(refused, row.version) ? undefined : row;
    },

    async remove(held) {
      checkKey(held);
      const sent = dynamo('DeleteItem', {
        ...onRefusal,
        Key: toKeyItem(held),
        ConditionExpression: `${HELD} AND ${ALIVE}`,
        ExpressionAttributeValues: { ':held': text(held.version), ':now': now() },
      });
      const refused = await refusedBy(sent);
      // Sent twice and nothing there: the first did it, and its reply was lost.
      return !refused || (refused.was === undefined && refused.attempts > 1);
    },
  };
}
