/**
 * Records the items of a DynamoDB table: `node test/upgrade/record-items.ts`, after record-state.ts. The DynamoDB adapter
 * of the version that is checked out writes the rows of the recorded state to DynamoDB Local.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../../adapters/aws/clients.ts';
import { environmentConnection } from '../../adapters/aws/connection.ts';
import { dynamoTable } from '../../adapters/aws/dynamo-table.ts';
import { sqliteTable } from '../../adapters/local/sqlite-table.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { ids as makeIds } from '../../shared/core/ids.ts';
import { setClock } from '../ports/clock.ts';
import { createTable } from '../ports/table/dynamo.ts';
import { startEmulators } from '../support/emulators/start.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recordedFolder, writeCompressed } from './recorded-file.ts';
import { readRecordedRows } from './recorded-rows.ts';
import { unpackState } from './state-archive.ts';

const RECORDED = process.argv[2] ?? recordedFolder(packageJson.version);
const TABLE = 'errand-recorded';

const emulators = await startEmulators();
Object.assign(process.env, {
  AWS_ENDPOINT_URL_DYNAMODB: emulators.dynamoUrl,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
});
const folder = temporaryFolder();
unpackState(join(RECORDED, 'state.tar.br'), folder.path);
const state = JSON.parse(readFileSync(join(RECORDED, 'state.json'), 'utf8'));
const clock = setClock(state.killedAt);
const ids = makeIds(clock);
const client = new DynamoDBClient({});
await createTable(client, TABLE);
const from = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids });
const to = dynamoTable({ client: dynamoClient(environmentConnection(process.env)), tableName: TABLE, clock, ids });
for (const { isCounter, ...key } of readRecordedRows(folder.path, state)) {
  const row = await from.get<Record<string, number>>(key);
  if (!row) throw new Error(`${key.pk} ${key.sk} is not there.`);
  const { version: _, ...draft } = row;
  if (isCounter) await to.spend(key, { by: row.value, atMost: {}, expiresAt: row.expiresAt ?? 0 });
  else await to.insert(draft);
}
const lines: string[] = [];
for await (const { Items = [] } of paginateScan({ client }, { TableName: TABLE }))
  lines.push(...Items.map((item) => JSON.stringify(item)));
writeCompressed(join(RECORDED, 'items.json'), `[\n${lines.sort().join(',\n')}\n]\n`);
console.log(`${lines.length} items`);
from.close();
folder.remove();
await emulators.stop();
process.exit();
