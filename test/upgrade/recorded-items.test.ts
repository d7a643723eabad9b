/** The DynamoDB adapter of today on items that earlier versions wrote. */
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, it } from 'vitest';
import type { DynamoItem } from '../../adapters/aws/dynamo-items.ts';
import { dynamoTable } from '../../adapters/aws/dynamo-table.ts';
import { sqliteTable } from '../../adapters/local/sqlite-table.ts';
import { ids as makeIds } from '../../shared/core/ids.ts';
import type { Key } from '../../shared/ports.ts';
import { setClock } from '../ports/clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { RELEASES, readRecorded, recordedFolder } from './recorded-file.ts';
import { readRecordedRows } from './recorded-rows.ts';
import { unpackState } from './state-archive.ts';

describe.each(RELEASES)('items of %s', (version) => {
const items: DynamoItem[] = readRecorded(version, 'items.json');
const state = readRecorded(version, 'state.json');

const folder = temporaryFolder();
unpackState(join(recordedFolder(version), 'state.tar.br'), folder.path);
const rows = readRecordedRows(folder.path, state);
const clock = setClock(state.killedAt);
const ids = makeIds(clock);
const sqlite = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids });
afterAll(() => {
  sqlite.close();
  folder.remove();
});

const textOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
const itemByKey = new Map(items.map((item) => [`${item.pk?.S} ${item.sk?.S}`, item]));
/** Answers GetItem from the recorded items. */
const client = new DynamoDBClient();
mockClient(client)
  .on(GetItemCommand)
  .callsFake(async ({ Key: key }: { Key: DynamoItem }) => ({ Item: itemByKey.get(`${key.pk?.S} ${key.sk?.S}`) }));
const dynamo = dynamoTable({ client, tableName: 'recorded', clock, ids });

it('has recorded an item of every row', () => {
  expect([...itemByKey.keys()].sort()).toEqual(rows.map(textOf).sort());
  expect(items.length).toBeGreaterThan(150);
});

it.each([...Map.groupBy(rows, ({ sk }) => sk.split('#')[0] ?? '')].map(([kind, alike]) => ({ kind, alike })))(
  'reads items of the kind $kind as the rows they were',
  async ({ alike }) => {
    for (const key of alike) {
      const [row, expected] = await Promise.all([dynamo.get(key), sqlite.get(key)]);
      expect({ ...row, version: '' }).toEqual({ ...expected, version: '' });
    }
  },
);
});
