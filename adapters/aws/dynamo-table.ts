/** The table on DynamoDB: one item for each row, two sparse indexes, and bounded counters. */

import { DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { checkedJson, checkRowKey } from '../../shared/core/row-limits.ts';
import type { Draft, Key, Prerequisites, ReplaceOptions, Row, Table } from '../../shared/ports.ts';
import { fail, type Writing } from './dynamo-access.ts';
import { batch } from './dynamo-batch-get.ts';
import { ABSENT, ALIVE, EXPIRED, HELD, isOwnWrite, writeOutcome } from './dynamo-conditions.ts';
import { counters } from './dynamo-counters.ts';
import { attribute, dynamoItem } from './dynamo-items.ts';
import { pages } from './dynamo-pages.ts';

function writes({ client, tableName, clock, ids }: Writing): Pick<Table, 'insert' | 'replace' | 'remove'> {
  const now = () => attribute.number(clock.now());
  const onRefusal = { TableName: tableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

  async function insert<T>(draft: Draft<T>, prerequisites: Prerequisites = []): Promise<Row<T> | undefined> {
    await Promise.all(prerequisites.map((prerequisite) => insert(prerequisite)));
    const row = { ...draft, version: ids.mark() };
    const response = client.send(
      new PutItemCommand({
        ...onRefusal,
        Item: dynamoItem.ofRow(row, checkedJson(row)),
        ConditionExpression: `${ABSENT} OR ${EXPIRED}`,
        ExpressionAttributeValues: { ':now': now() },
      }),
    );
    const outcome = await writeOutcome(response);
    return outcome === 'done' || isOwnWrite(outcome, row.version) ? row : undefined;
  }

  return {
    insert,

    async replace<T>(
      current: Key & { version: string },
      next: Omit<Draft<T>, keyof Key>,
      { prerequisites = [] }: ReplaceOptions = {},
    ) {
      await Promise.all(prerequisites.map((prerequisite) => insert(prerequisite)));
      const row = { ...next, pk: current.pk, sk: current.sk, version: ids.mark() };
      const response = client.send(
        new PutItemCommand({
          ...onRefusal,
          Item: dynamoItem.ofRow(row, checkedJson(row)),
          ConditionExpression: `${HELD} AND ${ALIVE}`,
          ExpressionAttributeValues: { ':held': attribute.text(current.version), ':now': now() },
        }),
      );
      const outcome = await writeOutcome(response);
      return outcome === 'done' || isOwnWrite(outcome, row.version) ? row : undefined;
    },

    async remove(current) {
      checkRowKey(current);
      const response = client.send(
        new DeleteItemCommand({
          ...onRefusal,
          Key: dynamoItem.ofKey(current),
          ConditionExpression: `${HELD} AND ${ALIVE}`,
          ExpressionAttributeValues: { ':held': attribute.text(current.version), ':now': now() },
        }),
      );
      const outcome = await writeOutcome(response);
      // A retry that finds no row: the first attempt removed it, and its response was lost.
      return outcome === 'done' || (outcome.was === undefined && outcome.attempts > 1);
    },
  };
}

export function dynamoTable(o: Writing): Table {
  const { client, tableName, clock } = o;
  return {
    async get(key, { consistency = 'strong' } = {}) {
      checkRowKey(key);
      const input = { TableName: tableName, Key: dynamoItem.ofKey(key), ConsistentRead: consistency === 'strong' };
      const { Item: item } = await client.send(new GetItemCommand(input)).catch(fail);
      return item && !attribute.hasExpired(item, clock.now()) ? dynamoItem.parseRow(item) : undefined;
    },
    ...batch(o),
    ...writes(o),
    ...pages(o),
    ...counters(o),
  };
}
