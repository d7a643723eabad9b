/** Looks a deployed stage over: whether all that its stack made is there and answers, and what waits or was buried. */
import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetBucketVersioningCommand, HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { faultOfModels } from '../shared/accounts/organizations.ts';
import { checkMail } from './examine-mail.ts';
import { type CheckResult, type CheckVerdict, checked, ok, wrong } from './examine-one.ts';
import type { StageMail } from './stage.ts';

type DoctorClients = {
  stacks: CloudFormationClient;
  dynamo: DynamoDBClient;
  s3: S3Client;
  sqs: SQSClient;
  ses: SESv2Client;
};
type DeployedStage = {
  stackName: string;
  /** Those the command line and the functions live by. */
  outputs: Readonly<Record<string, string | undefined>>;
  /** Who its mails come from, and the set of SES they go out in. */
  sending: StageMail;
  /** Asks each model that the stage names for one word. */
  askModel(model: string): Promise<void>;
};

const SETTLED = /^(CREATE|UPDATE|IMPORT|UPDATE_ROLLBACK)_COMPLETE$/;
const DEAD_LETTERS = /DeadLetters/;
const MAX_WAITING = 1_000;

export async function checkStage(clients: DoctorClients, stage: DeployedStage): Promise<CheckResult[]> {
  const { TableName, BucketName, UploadsBucketName, Models = '' } = stage.outputs;
  const models = Models.split(',').filter((model) => model !== '');
  const found = await Promise.all([
    checked('stack', () => stackState(clients, stage.stackName)),
    checked('outputs', () => missing(stage.outputs)),
    checked('table', () => tableState(clients, TableName)),
    checked('bucket', () => bucketState(clients, BucketName)),
    checked('uploads bucket', () => uploadsState(clients, UploadsBucketName)),
    queues(clients, stage.stackName),
    checkMail(clients.ses, stage.sending),
    ...models.map((model) => checked(`model ${model}`, () => modelState(model, stage))),
  ]);
  return found.flat();
}

async function stackState({ stacks }: DoctorClients, StackName: string): Promise<CheckVerdict> {
  const { Stacks = [] } = await stacks.send(new DescribeStacksCommand({ StackName }));
  const status = Stacks[0]?.StackStatus ?? 'not there';
  return SETTLED.test(status) ? ok(status) : wrong(`${status}: see its events in CloudFormation`);
}

async function missing(outputs: DeployedStage['outputs']): Promise<CheckVerdict> {
  const absent = Object.keys(outputs).filter((name) => !outputs[name]);
  return absent.length === 0 ? ok('all there') : wrong(`${absent.join(', ')}: deploy the stack again`);
}

async function tableState({ dynamo }: DoctorClients, TableName: string | undefined): Promise<CheckVerdict> {
  const { Table } = await dynamo.send(new DescribeTableCommand({ TableName }));
  const indexes = Table?.GlobalSecondaryIndexes ?? [];
  const building = indexes.filter(({ IndexStatus }) => IndexStatus !== 'ACTIVE');
  if (Table?.TableStatus !== 'ACTIVE' || building.length > 0)
    return wrong(`${Table?.TableStatus}, an index is not ready`);
  return ok(`${TableName}, about ${Table.ItemCount ?? 0} rows`);
}

async function bucketState({ s3 }: DoctorClients, Bucket: string | undefined): Promise<CheckVerdict> {
  await s3.send(new HeadBucketCommand({ Bucket }));
  return ok(Bucket ?? '');
}

/** Without versions a file that was completed would change with what comes through its address. */
async function uploadsState({ s3 }: DoctorClients, Bucket: string | undefined): Promise<CheckVerdict> {
  const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket }));
  return Status === 'Enabled' ? ok(Bucket ?? '') : wrong(`${Bucket} keeps no versions: deploy the stack again`);
}

async function modelState(model: string, { askModel }: DeployedStage): Promise<CheckVerdict> {
  const fault = faultOfModels([model]);
  if (fault !== undefined) return wrong(fault);
  if (model.startsWith('offline/')) return ok('needs nothing');
  if (!model.startsWith('bedrock/')) return { state: 'look', detail: 'its key is not ours to use: submit a task' };
  await askModel(model);
  return ok('answers');
}

async function queues(clients: DoctorClients, StackName: string): Promise<CheckResult[]> {
  const urls: StackResourceSummary[] = [];
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client: clients.stacks },
      { StackName },
    ))
      urls.push(...StackResourceSummaries.filter(({ ResourceType }) => ResourceType === 'AWS::SQS::Queue'));
  } catch {
    return []; // what the stack is, is said above
  }
  return Promise.all(urls.map((queue) => checked(`queue ${nameOf(queue)}`, () => queueState(clients, queue))));
}

/** The logical id without what the CDK adds. */
const nameOf = ({ LogicalResourceId = '' }: StackResourceSummary): string =>
  LogicalResourceId.replace(/^Queues/, '').replace(/(Queue)?[0-9A-F]{8}$/, '');

async function queueState({ sqs }: DoctorClients, queue: StackResourceSummary): Promise<CheckVerdict> {
  const asked = { QueueUrl: queue.PhysicalResourceId, AttributeNames: ['All' as const] };
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(asked));
  const waiting = Number(Attributes.ApproximateNumberOfMessages ?? 0);
  const underway = Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0);
  if (DEAD_LETTERS.test(queue.LogicalResourceId ?? '')) {
    return waiting === 0 ? ok('empty') : wrong(`${waiting} dead letters: see docs/runbook.md#dead-letters`);
  }
  return { state: waiting > MAX_WAITING ? 'look' : 'ok', detail: `${waiting} waiting, ${underway} under way` };
}
