/** The table's contract on DynamoDB, and behaviour of its wire protocol. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dynamoClient } from '../../adapters/aws/clients.ts';
import { environmentConnection } from '../../adapters/aws/connection.ts';
import { dynamoTable } from '../../adapters/aws/dynamo-table.ts';
import { ids } from '../../shared/core/ids.ts';
import type { Table } from '../../shared/ports.ts';
import { setClock } from './clock.ts';
import { createTable, deleteTable } from './table/dynamo.ts';
import { insertRow, key, MINUTE, present, type TableHarness, times } from './table/harness.ts';
import { replyLosingProxy } from './table/lossy-wire.ts';
import { tableContract } from './table.ts';

const client = new DynamoDBClient({});

type DynamoHarness = TableHarness & { duringLostReply(then: () => Promise<unknown>): void; lostReplies(): number };

async function open(): Promise<DynamoHarness> {
  const clock = setClock();
  const marks = ids(clock);
  const tableName = `errand-${marks.uuid()}`;
  let meanwhile: () => Promise<unknown> = async () => {};
  let lost = 0;
  const wire = await replyLosingProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', async () => {
    lost++;
    await meanwhile();
  });
  await createTable(client, tableName);
  const over = (address: object) => dynamoClient(environmentConnection({ ...process.env, ...address }));
  const at = { tableName, clock, ids: marks };
  return {
    table: dynamoTable({ ...at, client: over({}) }),
    flaky: dynamoTable({ ...at, client: over({ AWS_ENDPOINT_URL_DYNAMODB: wire.address }) }),
    clock,
    duringLostReply(then) {
      meanwhile = then;
    },
    lostReplies: () => lost,
    async close() {
      wire.close();
      await deleteTable(client, tableName);
    },
  };
}

tableContract('the table on DynamoDB', open);

describe('the table on DynamoDB, when a reply is lost', () => {
  let harness: DynamoHarness;
  let table: Table;
  let flaky: Table;
  beforeEach(async () => {
    harness = await open();
    ({ table, flaky } = harness);
  });
  afterEach(() => harness.close());

  it('loses one reply of every write', async () => {
    const row = await insertRow(flaky, { ...key, value: 1 });
    await flaky.remove(present(await flaky.replace(row, { value: 2 })));
    await flaky.spend(key, { by: { a: 1 }, atMost: {}, expiresAt: harness.clock.now() + MINUTE });
    expect(harness.lostReplies()).toBe(4);
  });

  it('loses the insert to a writer that replaced the new row meanwhile', async () => {
    harness.duringLostReply(async () => table.replace(present(await table.get(key)), { value: 'other' }));
    expect(await flaky.insert({ ...key, value: 'mine' })).toBeUndefined();
    expect(await table.get(key)).toMatchObject({ value: 'other' });
  });

  it('loses the replace to a writer that replaced the new row meanwhile', async () => {
    const stored = await insertRow(table, { ...key, value: 1 });
    harness.duringLostReply(async () => table.replace(present(await table.get(key)), { value: 'other' }));
    expect(await flaky.replace(stored, { value: 'mine' })).toBeUndefined();
    expect(await table.get(key)).toMatchObject({ value: 'other' });
  });

  it('loses the replace to a writer that removed the new row meanwhile', async () => {
    const stored = await insertRow(table, { ...key, value: 1 });
    harness.duringLostReply(async () => table.remove(present(await table.get(key))));
    expect(await flaky.replace(stored, { value: 'mine' })).toBeUndefined();
    expect(await table.get(key)).toBeUndefined();
  });

  it('leaves alone what was made under the key after its removal', async () => {
    const stored = await insertRow(table, { ...key, value: 1 });
    harness.duringLostReply(() => insertRow(table, { ...key, value: 'other' }));
    await flaky.remove(stored);
    expect(await table.get(key)).toMatchObject({ value: 'other' });
  });

  it('never passes the bound when another spends meanwhile', async () => {
    const spend = { by: { a: 1 }, atMost: { a: 2 }, expiresAt: harness.clock.now() + MINUTE };
    harness.duringLostReply(() => table.spend(key, spend));
    await flaky.spend(key, spend);
    expect(await table.get(key)).toMatchObject({ value: { a: 2 } });
  });
});

describe('the table on DynamoDB', () => {
  it('reads more than one answer of DynamoDB can hold', async () => {
    const { table, close } = await open();
    const keys = times(50, (n) => ({ pk: `P${n}`, sk: 'S' }));
    for (const at of keys) await insertRow(table, { ...at, value: at.pk.padEnd(380_000) });
    const rows = await table.getMany<string>(keys);
    expect(rows.map((row) => row?.value.trim())).toEqual(keys.map(({ pk }) => pk));
    await close();
  });
});
