/** Checks a deployed stage: that every resource of its stack exists and responds, and what its queues contain. */

import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetBucketVersioningCommand, HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import {
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetEmailIdentityCommand,
  type GetEmailIdentityCommandOutput,
  type SESv2Client,
} from '@aws-sdk/client-sesv2';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { faultOfModels } from '../../shared/accounts/models.ts';
import type { StageMail } from './deployed-stage.ts';
import { isAwsError } from './errors.ts';

/** `wrong`: has to be fixed. `look`: the operator should judge it. */
export type CheckResult = { check: string; state: 'ok' | 'look' | 'wrong'; detail: string };

export type CheckVerdict = Omit<CheckResult, 'check'>;

export const ok = (detail: string): CheckVerdict => ({ state: 'ok', detail });
export const wrong = (detail: string): CheckVerdict => ({ state: 'wrong', detail });

/** A check that throws counts as wrong, with the reason in one line. */
export async function runCheck(check: string, look: () => Promise<CheckVerdict>): Promise<CheckResult> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'no answer';
    return { check, state: 'wrong', detail: reason.split('\n', 1)[0] ?? '' };
  }
}

const REMEDY = 'see docs/guides/notifications.md#on-aws';

export async function checkMail(ses: SESv2Client, { sender, configurationSet }: StageMail): Promise<CheckResult[]> {
  if (sender === undefined)
    return [{ check: 'sender', ...ok('none: notifications are rejected until a deployment sets one') }];
  return Promise.all([
    runCheck(`sender ${sender}`, () => senderState(ses, sender)),
    runCheck('mail account', () => mailAccountState(ses)),
    runCheck('mail set', () => setState(ses, configurationSet)),
  ]);
}

/** SES looks for an identity of the address first, then for one of its domain. */
async function senderState(ses: SESv2Client, sender: string): Promise<CheckVerdict> {
  const domain = sender.slice(sender.lastIndexOf('@') + 1);
  for (const name of [sender, domain]) {
    const identity = await identityOf(ses, name);
    if (identity) return identityState(name, identity);
  }
  return wrong(`neither ${sender} nor ${domain} is an identity of SES in this region: verify one, ${REMEDY}`);
}

const identityOf = (ses: SESv2Client, EmailIdentity: string): Promise<GetEmailIdentityCommandOutput | undefined> =>
  ses.send(new GetEmailIdentityCommand({ EmailIdentity })).catch((error) => {
    if (isAwsError(error, 'NotFoundException')) return undefined;
    throw error;
  });

function identityState(name: string, { VerifiedForSendingStatus, VerificationStatus }: GetEmailIdentityCommandOutput) {
  if (VerifiedForSendingStatus) return ok(`${name} is verified`);
  const status = VerificationStatus ?? 'unknown';
  return wrong(`${name} is not verified for sending (${status}): follow the mail or the DNS records of SES, ${REMEDY}`);
}

export async function mailAccountState(ses: SESv2Client): Promise<CheckVerdict> {
  const { SendingEnabled, ProductionAccessEnabled, EnforcementStatus, SendQuota } = await ses.send(
    new GetAccountCommand({}),
  );
  if (!SendingEnabled || EnforcementStatus === 'SHUTDOWN')
    return wrong(`SES sends nothing for this account (${EnforcementStatus}): its reputation dashboard says why`);
  if (!ProductionAccessEnabled)
    return look(`in the sandbox, mails reach verified addresses only: ask SES for production access, ${REMEDY}`);
  if (EnforcementStatus !== 'HEALTHY')
    return look(`SES watches this account (${EnforcementStatus}): its reputation dashboard says why`);
  const { Max24HourSend = 0, SentLast24Hours = 0 } = SendQuota ?? {};
  return ok(`production access, ${SentLast24Hours} of ${Max24HourSend} mails sent in 24 hours`);
}

async function setState(ses: SESv2Client, ConfigurationSetName: string | undefined): Promise<CheckVerdict> {
  if (ConfigurationSetName === undefined) return wrong('the stack does not have it: deploy the stack again');
  const { SendingOptions } = await ses.send(new GetConfigurationSetCommand({ ConfigurationSetName }));
  // Sending is enabled unless the set disables it explicitly.
  if (SendingOptions?.SendingEnabled === false)
    return wrong(`${ConfigurationSetName} is paused: enable its sending in SES once the cause is fixed`);
  return ok(ConfigurationSetName);
}

export const look = (detail: string): CheckVerdict => ({ state: 'look', detail });

type DoctorClients = {
  stacks: CloudFormationClient;
  dynamo: DynamoDBClient;
  s3: S3Client;
  sqs: SQSClient;
  ses: SESv2Client;
};
type DeployedStage = {
  stackName: string;
  /** The outputs that the command line and the functions depend on. */
  outputs: Readonly<Record<string, string | undefined>>;
  /** The sender of its mails, and their configuration set in SES. */
  sending: StageMail;
  /** Sends a minimal request to the model; rejects if the model does not answer. */
  askModel(model: string): Promise<void>;
};

const SETTLED = /^(CREATE|UPDATE|IMPORT|UPDATE_ROLLBACK)_COMPLETE$/;
const DEAD_LETTERS = /DeadLetters/;
const MAX_WAITING = 1_000;

export async function checkStage(clients: DoctorClients, stage: DeployedStage): Promise<CheckResult[]> {
  const { TableName, BucketName, UploadsBucketName, Models = '' } = stage.outputs;
  const models = Models.split(',').filter((model) => model !== '');
  const results = await Promise.all([
    runCheck('stack', () => stackState(clients, stage.stackName)),
    runCheck('outputs', () => outputsState(stage.outputs)),
    runCheck('table', () => tableState(clients, TableName)),
    runCheck('bucket', () => bucketState(clients, BucketName)),
    runCheck('uploads bucket', () => uploadsState(clients, UploadsBucketName)),
    checkQueues(clients, stage.stackName),
    checkMail(clients.ses, stage.sending),
    ...models.map((model) => runCheck(`model ${model}`, () => modelState(model, stage))),
  ]);
  return results.flat();
}

async function stackState({ stacks }: DoctorClients, StackName: string): Promise<CheckVerdict> {
  const { Stacks = [] } = await stacks.send(new DescribeStacksCommand({ StackName }));
  const status = Stacks[0]?.StackStatus ?? 'not there';
  return SETTLED.test(status) ? ok(status) : wrong(`${status}: see its events in CloudFormation`);
}

async function outputsState(outputs: DeployedStage['outputs']): Promise<CheckVerdict> {
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

/** Without versioning, a later upload to the same URL would change a completed file. */
async function uploadsState({ s3 }: DoctorClients, Bucket: string | undefined): Promise<CheckVerdict> {
  const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket }));
  return Status === 'Enabled' ? ok(Bucket ?? '') : wrong(`${Bucket} keeps no versions: deploy the stack again`);
}

async function modelState(model: string, { askModel }: DeployedStage): Promise<CheckVerdict> {
  const fault = faultOfModels([model]);
  if (fault !== undefined) return wrong(fault);
  if (model.startsWith('offline/')) return ok('needs nothing');
  if (!model.startsWith('bedrock/')) return { state: 'look', detail: 'its key is not usable here: submit a task' };
  await askModel(model);
  return ok('answers');
}

async function checkQueues(clients: DoctorClients, StackName: string): Promise<CheckResult[]> {
  const urls: StackResourceSummary[] = [];
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client: clients.stacks },
      { StackName },
    ))
      urls.push(...StackResourceSummaries.filter(({ ResourceType }) => ResourceType === 'AWS::SQS::Queue'));
  } catch {
    return []; // the check of the stack reports this already
  }
  return Promise.all(urls.map((queue) => runCheck(`queue ${nameOf(queue)}`, () => queueState(clients, queue))));
}

/** The logical id without the prefix and the hash that the CDK adds. */
const nameOf = ({ LogicalResourceId = '' }: StackResourceSummary): string =>
  LogicalResourceId.replace(/^Queues/, '').replace(/(Queue)?[0-9A-F]{8}$/, '');

async function queueState({ sqs }: DoctorClients, queue: StackResourceSummary): Promise<CheckVerdict> {
  const input = { QueueUrl: queue.PhysicalResourceId, AttributeNames: ['All' as const] };
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(input));
  const waiting = Number(Attributes.ApproximateNumberOfMessages ?? 0);
  const underway = Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0);
  if (DEAD_LETTERS.test(queue.LogicalResourceId ?? '')) {
    return waiting === 0 ? ok('empty') : wrong(`${waiting} dead letters: see docs/operations/runbook.md#dead-letters`);
  }
  return { state: waiting > MAX_WAITING ? 'look' : 'ok', detail: `${waiting} waiting, ${underway} under way` };
}
