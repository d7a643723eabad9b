/** Rows that are copied out of a restored table: which, in which order, and what stays. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  PutItemCommand,
  ResourceNotFoundException,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it } from 'vitest';
import { stageOutputs } from '../../../adapters/aws/deployed-stage.ts';
import { dynamoItem } from '../../../adapters/aws/dynamo-items.ts';
import { copyMissingRows } from '../../../adapters/aws/table-copy.ts';
import { withAcme } from '../../bin/operator/errand.ts';

const dynamo = mockClient(DynamoDBClient);
const itemOf = (pk: string, sk: string, more: object = {}) =>
  dynamoItem.ofRow({ pk, sk, version: 'v', value: {}, ...more }, '{}');
const all = { from: 'restored', to: 'table', isWanted: () => true, now: 1_000, progress: () => undefined };

beforeEach(() => {
  dynamo.reset();
  const [task, about, old] = [
    itemOf('T', 'TASK', { dueAt: 1 }),
    itemOf('T', 'ABOUT'),
    itemOf('T', 'OLD', { expiresAt: 1_000 }),
  ];
  dynamo
    .on(ScanCommand, { ExclusiveStartKey: undefined })
    .resolves({ Items: [task, old], LastEvaluatedKey: { pk: { S: 'T' } } });
  dynamo.on(ScanCommand, { ExclusiveStartKey: { pk: { S: 'T' } } }).resolves({ Items: [about] });
  dynamo.on(PutItemCommand).resolves({});
});

const written = () => dynamo.commandCalls(PutItemCommand).map(({ args: [{ input }] }) => input.Item?.sk?.S);

it('copies what the reconciler acts on last, so that it finds what it needs, and nothing that has expired', async () => {
  expect(await copyMissingRows(all)).toEqual({ copied: 2, present: 0, expired: 1 });
  expect(written()).toEqual(['ABOUT', 'TASK']);
});

it('overwrites nothing, and counts what was there', async () => {
  dynamo.on(PutItemCommand).rejects(new ConditionalCheckFailedException({ message: 'there', $metadata: {} }));
  expect(await copyMissingRows(all)).toEqual({ copied: 0, present: 2, expired: 1 });
  for (const { args } of dynamo.commandCalls(PutItemCommand))
    expect(args[0].input).toMatchObject({ TableName: 'table', ConditionExpression: 'attribute_not_exists(pk)' });
});

it('says which table cannot be copied, and that it may run again', async () => {
  dynamo.on(ScanCommand).rejects(new ResourceNotFoundException({ message: 'no such table', $metadata: {} }));
  await expect(copyMissingRows(all)).rejects.toThrow(
    'Rows of restored cannot be copied (no such table): check the table and run it again.',
  );
});

it('shows no details of a wrong signature, which contain the token, and neither does a stack that cannot be read', async () => {
  const wrong = Object.assign(new Error('It does not match.\n\nx-amz-security-token:secret-token'), {
    name: 'SignatureDoesNotMatch',
  });
  dynamo.on(ScanCommand).rejects(wrong);
  await expect(copyMissingRows(all)).rejects.toThrow(/^Rows of restored cannot be copied \(It does not match\.\): /);
  const stacks = mockClient(CloudFormationClient).rejects(wrong);
  const read = stageOutputs(new CloudFormationClient(), 'dev');
  await expect(read).rejects.toThrow(/^The stack errand-dev cannot be read \(It does not match\.\): /);
  stacks.restore();
});

const { acme, refuses, run } = withAcme();

it('is for deployed stages, and needs the name of the table', async () => {
  await refuses(['table', 'copy', '--from', 'restored'], /The table on this machine is a file.*: use --stage/);
  const { status, stderr } = await run(['table', 'copy', '--org', acme().id]);
  expect([status, stderr]).toEqual([2, expect.stringContaining('Missing option: --from.')]);
});
