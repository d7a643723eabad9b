/** Access of the operator's command line to a deployed stage: its outputs and its clients. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { blobsConfig, tableConfig } from '../../shared/core/config.ts';
import { stageName } from '../../shared/core/deployment-stage.ts';
import { type Environment, environment } from '../../shared/core/environment.ts';
import { Problem } from '../../shared/core/problem.ts';
import { dynamoClient, s3Access } from './clients.ts';
import { type AwsConnection, environmentConnection } from './connection.ts';
import { dynamoAdminStore } from './dynamo-admin-store.ts';
import { reasonOf } from './errors.ts';

/** The outputs of a stack, and the environment variables of its functions that have the same values. */
const OUTPUTS = {
  TableName: environment.table,
  BucketName: environment.bucket,
  UploadsBucketName: environment.uploadsBucket,
  MasterSecretId: environment.masterSecret,
  Models: environment.models,
  SocketsUrl: environment.sockets,
} as const;

/** Outputs of a stage that sends mails. */
export type StageMail = { sender: string | undefined; configurationSet: string | undefined };

type Outputs = Readonly<Record<keyof typeof OUTPUTS, string | undefined>>;

export const environmentOf = (outputs: Outputs): Environment =>
  Object.fromEntries(Object.entries(OUTPUTS).map(([output, variable]) => [variable, outputs[output as keyof Outputs]]));

type StageOutputValues = { outputs: Outputs; sending: StageMail };

export async function stageOutputs(client: CloudFormationClient, stage: string): Promise<StageOutputValues> {
  const name = stackOf(stage);
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name })).catch((cause) => {
    throw new Problem(
      'badSetting',
      `The stack ${name} cannot be read (${reasonOf(cause)}): check the stage, region and credentials.`,
      { cause },
    );
  });
  const outputValues = new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const outputs = Object.fromEntries(
    Object.keys(OUTPUTS).map((output) => [output, outputValues.get(output)]),
  ) as Outputs;
  return { outputs, sending: { sender: outputValues.get('Sender'), configurationSet: outputValues.get('MailSet') } };
}

export function stackOf(stage: string): string {
  try {
    return `errand-${stageName(stage)}`;
  } catch (cause) {
    throw new Problem('badSetting', cause instanceof Error ? cause.message : 'The stage has no name.', { cause });
  }
}

/** A request without a response by then is retried. */
const PATIENCE = { connectMs: 3_000, answerMs: 30_000 };
export const requestHandler = {
  connectionTimeout: PATIENCE.connectMs,
  requestTimeout: PATIENCE.answerMs,
  throwOnRequestTimeout: true,
};

/** The credentials and region that AWS's own tools would use: profile, single sign-on and so on. */
export function operatorAccount(env: Environment): AwsConnection {
  const { region, credentials } = new CloudFormationClient({ requestHandler }).config;
  return { ...environmentConnection(env), region, credentials: () => credentials() };
}

export const stackClientFrom = (): CloudFormationClient => new CloudFormationClient({ requestHandler });

export const everythingFrom = (env: Environment, account: AwsConnection) =>
  dynamoAdminStore({
    ...tableConfig(env),
    ...blobsConfig(env),
    client: dynamoClient(account, PATIENCE),
    s3: s3Access(account, PATIENCE),
  });

/** The clients of `errand doctor`. */
export const doctorClients = () => ({
  stacks: new CloudFormationClient({ requestHandler }),
  dynamo: new DynamoDBClient({ requestHandler }),
  s3: new S3Client({ requestHandler }),
  ses: new SESv2Client({ requestHandler }),
  // Uses the region's own endpoint, whatever host a queue's URL has.
  sqs: new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false }),
});
