/** Finds a deployed stage by its name, and the clients that only the operator's command line needs. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { blobsConfig, tableConfig } from '../../shared/core/config.ts';
import { type Environment, environment } from '../../shared/core/environment.ts';
import { Problem } from '../../shared/core/problem.ts';
import { stageName } from '../../shared/core/stage.ts';
import { systemClock } from '../../shared/core/time.ts';
import { dynamoAdminStore } from './admin-store.ts';
import { type Account, environmentAccount } from './client/account.ts';
import { dynamo } from './client/json-services.ts';
import { bucketOf } from './client/s3.ts';

/** Finds a deployed stage by its name: what its stack tells is what its functions have in their environment. */
const OUTPUTS = {
  TableName: environment.table,
  BucketName: environment.bucket,
  UploadsBucketName: environment.uploadsBucket,
  MasterSecretId: environment.masterSecret,
  Models: environment.models,
  SocketsUrl: environment.sockets,
} as const;

/** Which a stage has that sends mails. */
export type StageMail = { sender: string | undefined; set: string | undefined };

type Outputs = Readonly<Record<keyof typeof OUTPUTS, string | undefined>>;

export const environmentOf = (outputs: Outputs): Environment =>
  Object.fromEntries(Object.entries(OUTPUTS).map(([output, variable]) => [variable, outputs[output as keyof Outputs]]));

type StageOutputValues = { outputs: Outputs; sending: StageMail };

export async function stageOutputs(client: CloudFormationClient, stage: string): Promise<StageOutputValues> {
  const name = stackOf(stage);
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name })).catch((cause) => {
    const reason = cause instanceof Error ? cause.message : 'no answer';
    throw new Problem(
      'badSetting',
      `The stack ${name} cannot be read (${reason}): check the stage, region and credentials.`,
      { cause },
    );
  });
  const outputValues = new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const outputs = Object.fromEntries(
    Object.keys(OUTPUTS).map((output) => [output, outputValues.get(output)]),
  ) as Outputs;
  return { outputs, sending: { sender: outputValues.get('Sender'), set: outputValues.get('MailSet') } };
}

export function stackOf(stage: string): string {
  try {
    return `errand-${stageName(stage)}`;
  } catch (cause) {
    throw new Problem('badSetting', cause instanceof Error ? cause.message : 'The stage has no name.', { cause });
  }
}

// AWS access of the operator's command line: its own clients and credentials.

/** What brings no answer for so long is given up and tried again. */
const PATIENCE = { connectMs: 3_000, answerMs: 30_000 };
const requestHandler = {
  connectionTimeout: PATIENCE.connectMs,
  requestTimeout: PATIENCE.answerMs,
  throwOnRequestTimeout: true,
};

/** By the shell's profile, single sign-on and whatever else AWS's own tools go by. */
export function operatorAccount(env: Environment): Account {
  const { region, credentials } = new CloudFormationClient({ requestHandler }).config;
  return { ...environmentAccount(env), region, credentials: () => credentials() };
}

export const stackClientFrom = (): CloudFormationClient => new CloudFormationClient({ requestHandler });

export function everythingFrom(env: Environment, account: Account) {
  const reaching = { account, clock: systemClock, patience: PATIENCE };
  const { tableName } = tableConfig(env);
  const { bucket, uploads } = blobsConfig(env);
  const buckets = { bucket: bucketOf(bucket, reaching), uploads: bucketOf(uploads, reaching) };
  return dynamoAdminStore({ tableName, dynamo: dynamo(reaching), ...buckets });
}

/** For the operator who looks a stage over. */
export const examiningClients = () => ({
  stacks: new CloudFormationClient({ requestHandler }),
  dynamo: new DynamoDBClient({ requestHandler }),
  s3: new S3Client({ requestHandler }),
  ses: new SESv2Client({ requestHandler }),
  // By the region's own endpoint, whatever name an address of a queue has.
  sqs: new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false }),
});
