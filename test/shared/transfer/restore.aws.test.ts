/** A table is restored from its backups, as docs/operations/backup-and-restore.md says. moto has backups; DynamoDB Local has none. */
import {
  CreateBackupCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  paginateScan,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { ATTRIBUTES, INDEXES } from '../../../adapters/aws/dynamo-items.ts';
import type { State } from '../../../bin/operator/command.ts';
import { stageState } from '../../../bin/operator/stage-state.ts';
import { passwords } from '../../../engines/passwords/passwords.ts';
import { currentSecrets } from '../../../shared/accounts/webhook-secrets.ts';
import type { Key } from '../../../shared/ports.ts';
import { storedRowsOf } from '../../../shared/transfer/organization-rows.ts';
import { fillOrganization, shownOrganization } from './full-organization.ts';
import { createStage, errand } from './stages.ts';

const dynamoLocal = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
const moto = process.env.AWS_ENDPOINT_URL ?? '';
const dynamo = new DynamoDBClient({ endpoint: moto });

let number = Date.now();
let stage: string;
let state: State;
let acme: string;
let other: string;

// The command line and the adapters find the table in moto, too.
beforeAll(() => {
  process.env.AWS_ENDPOINT_URL_DYNAMODB = moto;
  return () => {
    process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamoLocal;
  };
});

beforeEach(async () => {
  stage = `restore${number++}`;
  await createStage(stage, dynamo);
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await dynamo.send(new UpdateContinuousBackupsCommand({ TableName: stage, PointInTimeRecoverySpecification }));
  state = await stageState(stage);
  [acme, other] = ['Acme', 'Other'].map((name) => errand('org', 'create', name, '--stage', stage).id);
  await fillOrganization({ ...state, passwords: passwords({ logCost: 10 }) }, acme);
});

const restoredTo = async (TargetTableName: string) => {
  const latest = { SourceTableName: stage, TargetTableName, UseLatestRestorableTime: true };
  await dynamo.send(new RestoreTableToPointInTimeCommand(latest));
};

async function items(TableName: string) {
  const all: string[] = [];
  for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName }))
    all.push(
      ...Items.map((item) => JSON.stringify(Object.entries(item).sort(([one], [next]) => (one < next ? -1 : 1)))),
    );
  return all.filter((item) => !item.includes('"AUDIT"')).sort();
}

it('lost rows come back out of a restored table, and what is there stays as it is', async () => {
  const [before, shown] = [await items(stage), await shownOrganization(state, acme)];
  const secrets = await currentSecrets(state, acme);
  await restoredTo(`${stage}-restored`);
  const lost: Key[] = [];
  for await (const row of storedRowsOf(state.everything, acme)) if (row.pk !== 'AUDIT') lost.push(row);
  await state.everything.removeRows(lost);
  expect(await shownOrganization(state, acme)).toMatchObject({ tasks: [], files: [] });
  const changed = await state.table.get<object>({ pk: `O#${other}`, sk: 'ORGANIZATION' });
  if (!changed) throw new Error('The other organization is gone.');
  await state.table.replace(changed, { ...changed, value: { ...changed.value, name: 'Changed' } });

  const report = errand('table', 'copy', '--from', `${stage}-restored`, '--org', acme, '--stage', stage);
  // The audit still has the row about the organization's creation; one row of the fixture has expired.
  expect(report).toEqual({ copied: lost.length - 1, present: 1, expired: 1 });
  expect(await shownOrganization(state, acme)).toEqual(shown);
  expect(await currentSecrets(state, acme)).toEqual(secrets);
  const others = (texts: string[]) => texts.filter((item) => !item.includes(`O#${other}"`));
  const expired = before.filter((item) => item.includes('DELIVERY#evt#000001'));
  expect([...others(await items(stage)), ...expired].sort()).toEqual(others(before));

  expect(errand('table', 'copy', '--from', `${stage}-restored`, '--stage', stage)).toMatchObject({ copied: 0 });
  expect(await state.table.get({ pk: `O#${other}`, sk: 'ORGANIZATION' })).toMatchObject({ value: { name: 'Changed' } });
});

it('a whole table is restored under its own name', async () => {
  const [before, shown] = [await items(stage), await shownOrganization(state, acme)];
  await restoredTo(`${stage}-restored`);
  const backup = new CreateBackupCommand({ TableName: `${stage}-restored`, BackupName: 'whole' });
  const { BackupDetails } = await dynamo.send(backup);
  await dynamo.send(new DeleteTableCommand({ TableName: stage }));
  const again = { TargetTableName: stage, BackupArn: BackupDetails?.BackupArn };
  await dynamo.send(new RestoreTableFromBackupCommand(again));
  const TimeToLiveSpecification = { Enabled: true, AttributeName: ATTRIBUTES.timeToLive };
  await dynamo.send(new UpdateTimeToLiveCommand({ TableName: stage, TimeToLiveSpecification }));

  const { Table } = await dynamo.send(new DescribeTableCommand({ TableName: stage }));
  const names = Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName);
  expect(names?.toSorted()).toEqual(
    Object.values(INDEXES)
      .map(({ name }) => name)
      .toSorted(),
  );
  expect(await items(stage)).toEqual(before);
  expect(await shownOrganization(state, acme)).toEqual(shown);
  expect(errand('doctor', '--stage', stage)).toContainEqual(expect.objectContaining({ check: 'table', state: 'ok' }));
});
