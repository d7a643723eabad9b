/** The doctor's report on healthy and broken deployed stages. The answers are those that AWS documents. */
import { DescribeStacksCommand, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetBucketVersioningCommand, HeadBucketCommand } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkStage } from '../../../adapters/aws/doctor.ts';
import { clients, mocks, queue } from './doctor-clients.ts';

const WEBHOOKS = 'QueuesWebhooksQueue0123ABCD';
const BURIED = 'QueuesWebhooksDeadLetters4567ABCD';

const outputs = {
  TableName: 't',
  BucketName: 'b',
  UploadsBucketName: 'u',
  Models: 'bedrock/eu.claude,openai/ours,offline/extractive',
};
const sending = { sender: undefined, configurationSet: undefined };
const stage = { stackName: 'errand-dev', outputs, sending, askModel: async () => undefined };

beforeEach(() => {
  mocks.cloudformation.on(DescribeStacksCommand).resolves({
    Stacks: [{ StackName: 'errand-dev', StackStatus: 'UPDATE_COMPLETE', CreationTime: new Date(0) }],
  });
  mocks.cloudformation
    .on(ListStackResourcesCommand)
    .resolves({
      StackResourceSummaries: [queue(WEBHOOKS), { ...queue('State'), ResourceType: 'AWS::DynamoDB::Table' }],
      NextToken: 'n',
    })
    .on(ListStackResourcesCommand, { StackName: 'errand-dev', NextToken: 'n' })
    .resolves({ StackResourceSummaries: [queue(BURIED)] });
  mocks.dynamodb.on(DescribeTableCommand, { TableName: 't' }).resolves({
    Table: { TableStatus: 'ACTIVE', ItemCount: 7, GlobalSecondaryIndexes: [{ IndexStatus: 'ACTIVE' }] },
  });
  mocks.s3.on(HeadBucketCommand, { Bucket: 'b' }).resolves({});
  mocks.s3.on(GetBucketVersioningCommand, { Bucket: 'u' }).resolves({ Status: 'Enabled' });
  depths({});
});
afterEach(() => {
  for (const mock of Object.values(mocks)) mock.reset();
});

function depths(of: Record<string, number>): void {
  for (const id of [WEBHOOKS, BURIED]) {
    const Attributes = { ApproximateNumberOfMessages: `${of[id] ?? 0}`, ApproximateNumberOfMessagesNotVisible: '1' };
    mocks.sqs.on(GetQueueAttributesCommand, { QueueUrl: `https://sqs/${id}` }).resolves({ Attributes });
  }
}

const statesOf = async (of: Parameters<typeof checkStage>[1] = stage) =>
  Object.fromEntries((await checkStage(clients, of)).map(({ check, state }) => [check, state]));
const detailOf = async (check: string, of: Parameters<typeof checkStage>[1] = stage) =>
  (await checkStage(clients, of)).find((each) => each.check === check)?.detail;

it('reports no problem for a healthy stage, with all its queues and models', async () => {
  expect(await statesOf()).toEqual({
    stack: 'ok',
    outputs: 'ok',
    table: 'ok',
    bucket: 'ok',
    'uploads bucket': 'ok',
    'queue Webhooks': 'ok',
    'queue WebhooksDeadLetters': 'ok',
    'model bedrock/eu.claude': 'ok',
    'model openai/ours': 'look',
    'model offline/extractive': 'ok',
    sender: 'ok',
  });
  expect(await detailOf('queue Webhooks')).toBe('0 waiting, 1 under way');
});

it('reports a model that no provider offers', async () => {
  const of = { ...stage, outputs: { ...outputs, Models: 'bedrok/eu.claude,offline/nope' } };
  expect(await statesOf(of)).toMatchObject({ 'model bedrok/eu.claude': 'wrong', 'model offline/nope': 'wrong' });
  expect(await detailOf('model bedrok/eu.claude', of)).toBe(
    'There is no connection bedrok to models: did you mean bedrock?',
  );
});

it('reports dead letters, and growing queues', async () => {
  depths({ [WEBHOOKS]: 5_000, [BURIED]: 2 });
  expect(await statesOf()).toMatchObject({ 'queue Webhooks': 'look', 'queue WebhooksDeadLetters': 'wrong' });
  expect(await detailOf('queue WebhooksDeadLetters')).toBe(
    '2 dead letters: see docs/operations/runbook.md#dead-letters',
  );
});

it('reports a failed deployment, a table whose index is not ready, and missing outputs', async () => {
  mocks.cloudformation.on(DescribeStacksCommand).resolves({
    Stacks: [{ StackName: 'errand-dev', StackStatus: 'UPDATE_ROLLBACK_FAILED', CreationTime: new Date(0) }],
  });
  mocks.dynamodb.on(DescribeTableCommand).resolves({
    Table: { TableStatus: 'ACTIVE', GlobalSecondaryIndexes: [{ IndexStatus: 'CREATING' }] },
  });
  const lacking = { ...stage, outputs: { ...outputs, BucketName: undefined } };
  expect(await statesOf(lacking)).toMatchObject({ stack: 'wrong', table: 'wrong', outputs: 'wrong' });
  expect(await detailOf('outputs', lacking)).toBe('BucketName: deploy the stack again');
});

it('reports a bucket of uploads without versioning', async () => {
  mocks.s3.on(GetBucketVersioningCommand).resolves({ Status: 'Suspended' });
  expect(await detailOf('uploads bucket')).toBe('u keeps no versions: deploy the stack again');
});

it('reports in one line why a check failed, and continues with the others', async () => {
  mocks.s3.on(HeadBucketCommand).rejects(Object.assign(new Error('denied\nat line 1'), { name: 'AccessDenied' }));
  const refused = async () => {
    throw Object.assign(new Error('no access to the model'), { name: 'AccessDeniedException' });
  };
  const deaf = { ...stage, askModel: refused };
  expect(await statesOf(deaf)).toMatchObject({ stack: 'ok', bucket: 'wrong', 'model bedrock/eu.claude': 'wrong' });
  expect(await detailOf('bucket', deaf)).toBe('AccessDenied: denied');
  expect(await detailOf('model bedrock/eu.claude', deaf)).toBe('AccessDeniedException: no access to the model');
});
